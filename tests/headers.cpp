// The program that the precompiled headers of the tests belong to; it does nothing.
int main() {}
