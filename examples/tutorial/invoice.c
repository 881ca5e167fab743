// Bills customers: reads "code discount amount" lines and prints what each of them owes.
#include <stdio.h>
#include <string.h>

struct customer {
  char code[8];
  int discount;  // in percent
  long owes;
};

static void enroll(struct customer* customer, const char* code, int discount) {
  customer->discount = discount;
  customer->owes = 0;
  strcpy(customer->code, code);
}

static long reduced(const struct customer* customer, long amount) {
  long part = 100 - customer->discount;
  return amount * part / 100;
}

int main(void) {
  char code[32];
  int discount;
  long amount;
  while (scanf("%31s %d %ld", code, &discount, &amount) == 3) {
    struct customer customer;
    enroll(&customer, code, discount);
    customer.owes += reduced(&customer, amount);
    printf("%s owes %ld\n", code, customer.owes);
  }
  return 0;
}
