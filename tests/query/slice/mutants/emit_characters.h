/* For programs that write single characters. */
int emit_character(int character, FILE* file);
#undef putc
#define putc emit_character
#define fputc emit_character
