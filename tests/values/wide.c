// Values that are not simple, through everything that can be done with them: 128-bit integers, long double, vectors,
// structures in registers, half precision, complex numbers, bit-fields, volatile and atomic accesses, arguments of
// all kinds, from and to code that is not recorded.
#include <complex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 i128;
typedef unsigned __int128 u128;
typedef int v4i __attribute__((vector_size(16)));
typedef short v8s __attribute__((vector_size(16)));
typedef unsigned char v16c __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef long v2l __attribute__((vector_size(16)));
typedef int v8i __attribute__((vector_size(32)));
typedef float v3f __attribute__((ext_vector_type(3)));
typedef _BitInt(200) b200;
typedef _BitInt(97) b97;
#define FAR __attribute__((noinline))

struct pair {
  long first, second;
};
struct mixed {
  double weight;
  int count;
  char tag;
};
struct point {
  float x, y, z;
};
struct large {
  long parts[7];
};
struct bits {
  unsigned small : 3;
  int odd : 11;
  unsigned long wide : 41;
};

static u128 seed = 88172645463325252ull;
static FAR uint64_t roll(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint64_t)(seed >> 3);
}
static void show(u128 n) {
  printf("%016llx%016llx\n", (unsigned long long)(n >> 64), (unsigned long long)n);
}

static FAR u128 mix(u128 a, i128 b, unsigned by) {
  u128 r = a * (u128)b + (a << 77) - (a >> 3);
  r ^= (u128)(b >> 70) | (a << 64);
  r += a > (u128)b ? a : b < -5 ? (u128)-b : 1;
  r -= (b >> 127) & 12345;
  r |= a << (by & 127);
  if (r == a) r = ~r;
  if ((i128)r <= b) r += (unsigned)a;
  return r + a / ((u128)b | 1) + (u128)(b % 1000003);
}
static FAR long double tower(long double x, int n) {
  long double sum = 0;
  for (int i = 1; i <= n; ++i) {
    x = x * 1.0000001L + 1.0L / i;
    sum += i & 1 ? x : -x / 3;
  }
  return sum < 0 ? -sum : sum;
}
static FAR struct pair turn(struct pair p, int by) {
  struct pair r = {p.second + by, p.first - by};
  return r;
}
static FAR struct mixed weigh(struct mixed m, float f) {
  m.weight += f;
  m.count = -m.count;
  m.tag ^= 1;
  return m;
}
static FAR struct point move(struct point p, struct point by) {
  struct point r = {p.x + by.x, p.y * by.y, p.z - by.z};
  return r;
}
static FAR struct large spin(struct large l) {
  for (int i = 0; i < 7; ++i) l.parts[i] = l.parts[(i + 3) % 7] * 5 + i;
  return l;
}
static FAR v4i lanes(v4i a, v4i b) {
  v4i c = (a + b) * 3 - (a ^ b);
  const v4i more = a > b;
  c = (c & more) | ((c << 2) & ~more);
  c |= __builtin_shufflevector(a, b, 0, 5, 2, 7);
  return c / (b | 1);
}
static FAR v2d reals(v2d a, v4f b, v3f c) {
  v2d r = a * 1.5 + __builtin_convertvector(__builtin_shufflevector(b, b, 1, 3), v2d);
  r[0] -= c.x;
  r[1] *= c.z + c.y;
  return r;
}
static FAR v16c bytes(const unsigned char* from, int n) {
  v16c sum = {0};
  for (int i = 0; i + 16 <= n; i += 16) {
    v16c some;
    memcpy(&some, from + i, 16);
    sum += some;
    sum ^= (v16c)__builtin_shufflevector((v8s)some, (v8s)sum, 7, 6, 5, 4, 11, 10, 9, 8);
  }
  return sum;
}
static FAR int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  long double sum = 0;
  i128 whole = 0;
  for (int i = 0; i < n; ++i) {
    sum += va_arg(list, long double);
    whole += va_arg(list, i128);
    struct pair p = va_arg(list, struct pair);
    whole ^= p.first + p.second;
  }
  va_end(list);
  show((u128)whole);
  return (int)sum;
}
static FAR b200 huge(b200 a, b97 b) { return (a & ~(b200)b) ^ ((a >> 101) | (b200)b) + a; }

static struct pair shared;
static volatile long double restless = 1.25L;
static volatile v4i restless_lanes = {1, 2, 3, 4};
static i128 counter __attribute__((aligned(16)));
static long fallen;

static FAR int overflows(int a, int b, unsigned long c, unsigned long d) {
  int sum;
  unsigned long product;
  fallen += __builtin_add_overflow(a, b, &sum);
  fallen += __builtin_mul_overflow(c, d, &product);
  return sum + (int)product;
}
static FAR __attribute__((target("cx16"))) void count_up(i128 by) {
  i128 old = counter - (by & 1);
  while (!__atomic_compare_exchange_n(&counter, &old, old * 3 + by, 0, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
}
static int by_first(const void* a, const void* b) {
  const struct pair *p = a, *q = b;
  return p->first < q->first ? -1 : p->first > q->first;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 40;
  u128 whole = 1;
  long double far = 0;
  struct pair pair = {1, 2};
  struct mixed mixed = {0.5, 3, 'a'};
  struct point point = {1, 2, 3};
  struct large large = {{1, 2, 3, 4, 5, 6, 7}};
  struct bits bits = {1, -2, 3};
  v4i ints = {1, -2, 3, -4};
  v2d doubles = {1, -1};
  v8i eight = {1, 2, 3, 4, 5, 6, 7, 8};
  b200 long_bits = 1;
  double complex turned = 1 + 2 * I;
  float _Complex small = 0.5f - 0.25f * I;
  _Float16 half = 1.5f16;
  unsigned char buffer[80];
  v2l places[4];
  for (int i = 0; i < n; ++i) {
    const uint64_t r = roll();
    whole = mix(whole + r, (i128)(int64_t)(r << 7) * (int64_t)r, (unsigned)r);
    far += tower((long double)r / 1e15L, 3 + i % 4);
    restless = restless * 3 / 2 + i;
    pair = turn(pair, i);
    shared = i % 3 ? pair : turn(shared, -i);
    mixed = weigh(mixed, (float)(r % 100));
    point = move(point, (struct point){(float)i, 0.5f, point.x});
    large = spin(large);
    bits.small += 1;
    bits.odd -= (int)(r & 7);
    bits.wide = bits.wide * 3 + r;
    ints = lanes(ints, (v4i){(int)r, i, -i, (int)(r >> 20)});
    restless_lanes += ints;
    doubles =
        reals(doubles, (v4f){(float)i, 1, 2, (float)(r & 15)}, (v3f){point.x, 0.25f, (float)i});
    if (doubles[1] > 1e6 || doubles[1] < -1e6) doubles = (v2d){1, 2};
    eight = eight * eight + (int)r;
    eight[i & 7] = i;
    for (int k = 0; k < 80; ++k) buffer[k] = (unsigned char)(r >> (k & 31));
    const v16c sum = bytes(buffer, 80);
    long_bits = huge(long_bits + (b200)r, (b97)r * 3);
    turned = turned * (0.5 + 0.5 * I) + i;
    small = small * conjf(small) + 1;
    half = half * (_Float16)1.25f + (_Float16)(float)(i & 3);
    if (half > (_Float16)1000.0f) half = (_Float16)0.125f;
    places[i & 3] = (v2l){(long)r, sum[i & 15]} + (i > 3 ? places[(i + 1) & 3] : (v2l){1, 1});
    overflows((int)r, (int)(r >> 9) << 3, r, r >> 40);
    count_up((i128)r << (i & 63));
  }
  struct pair sorted[12];
  for (int i = 0; i < 12; ++i) sorted[i] = turn((struct pair){(long)roll() % 100, i}, i);
  qsort(sorted, 12, sizeof *sorted, by_first);
  show(whole);
  show((u128)counter);
  show((u128)(long_bits >> 90));
  printf("%.18Lg %.18Lg\n", far, restless);
  printf("%ld %ld %ld %ld %ld %ld\n", pair.first, pair.second, shared.first, large.parts[3],
         sorted[5].first, fallen);
  printf("%g %d %c %g %g %g\n", mixed.weight, mixed.count, mixed.tag, point.x, point.y, point.z);
  printf("%u %d %lu\n", bits.small, bits.odd, (unsigned long)bits.wide);
  printf("%d %d %d %d %d\n", ints[0], ints[3], restless_lanes[1], eight[2], eight[7]);
  printf("%g %g %g %g %g %g\n", doubles[0], doubles[1], creal(turned), cimag(turned), crealf(small),
         (double)half);
  printf("%d %ld %ld\n", variadic(2, 1.5L, (i128)7 << 70, pair, 2.5L, (i128)-9, shared),
         places[0][0], places[3][1]);
  return 0;
}
