// Floating point to integers of all widths, numbers that fit and numbers that do not: recorded, the program gets what it gets otherwise.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static volatile double numbers[] = {0,
                                    -0.9,
                                    1.5,
                                    -127.5,
                                    -128.9,
                                    255.9,
                                    32767.5,
                                    -32769,
                                    65535.5,
                                    2147483647.5,
                                    2147483648.0,
                                    -2147483648.9,
                                    -2147483649.0,
                                    4294967295.5,
                                    4294967296.0,
                                    0x1p62,
                                    0x1p63,
                                    -0x1p63,
                                    -0x1.1p63,
                                    0x1.8p63,
                                    0x1p64,
                                    1e300,
                                    -1e300,
                                    5e-324,
                                    INFINITY,
                                    -INFINITY,
                                    NAN};

#define CONVERT(name, type, from) \
  __attribute__((noinline)) static type name(from x) { return (type)x; }
#define BOTH(name, type) CONVERT(name, type, double) CONVERT(name##f, type, float)
BOTH(to_i8, int8_t)
BOTH(to_i16, int16_t)
BOTH(to_i32, int32_t)
BOTH(to_i64, int64_t)
BOTH(to_u8, uint8_t)
BOTH(to_u16, uint16_t)
BOTH(to_u32, uint32_t)
BOTH(to_u64, uint64_t)
BOTH(to_i128, __int128)
BOTH(to_bool, _Bool)
BOTH(to_odd, _BitInt(23))

// Addresses come of them.
static int histogram[64];

int main(void) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    const double x = numbers[i];
    const float f = (float)x;
    printf("%d %d %d %ld %u %u %u\n", to_i8(x), to_i16(x), to_i32(x), (long)to_i64(x), to_u8(x),
           to_u16(x), to_u32(x));
    printf("%d %d %d %ld %u %u %u\n", to_i8f(f), to_i16f(f), to_i32f(f), (long)to_i64f(f),
           to_u8f(f), to_u16f(f), to_u32f(f));
    printf("%lu %lu %d %d\n", (unsigned long)to_u64(x), (unsigned long)to_u64f(f), to_bool(x),
           to_boolf(f));
    sum += (uint64_t)to_i128(fabs(x) < 1e30 ? x : 0) +
           (uint64_t)to_i128f(fabsf(f) < 1e30f ? f : 0) +
           (unsigned)(int)to_odd(fabs(x) < 1e6 ? x : 1) +
           (unsigned)(int)to_oddf(fabsf(f) < 1e6f ? f : 1);
  }
  for (int i = 0; i < 1000; ++i) ++histogram[(unsigned)(sin(i) * 31.5 + 32) % 64];
  for (int i = 0; i < 64; ++i) sum = sum * 3 + (unsigned)histogram[i];
  printf("%lu\n", (unsigned long)sum);
  return 0;
}
