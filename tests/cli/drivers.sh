# The drivers under what build systems do to compilers.
S=$SOURCES/collatz.c
recorded() { vestige record -q -o "$1.vst" -- "./$1" 27 && vestige functions "$1.vst" steps --counts | tail -n 1 | sed 's/.* //'; }

echo "one step:"; vestige-cc $S -o one && recorded one
echo "two steps:"; vestige-cc -c $S -o two.o && vestige-cc two.o -o two && recorded two
echo "as a subcommand:"; vestige cc $S -o sub && recorded sub
echo "C++ driver:"; vestige-c++ -x c++ $S -o cxx && recorded cxx
echo "standard input:"; vestige-cc -x c - -o stdin < $S && recorded stdin
echo "response file:"; echo "-O2 -fno-inline $S -o response" > words && vestige-cc @words && recorded response
echo "no warnings:"; vestige-cc -Wall -Wextra -Werror -pedantic -c $S -o w.o && vestige-cc -Werror w.o -o warn && recorded warn
echo "static library:"; ar rc libtwo.a two.o && vestige-cc libtwo.a -o archive && recorded archive
echo "shared library without undefined symbols:"
vestige-cc -shared -fPIC -Wl,-z,defs -x c - -o libshared.so <<< 'int twice(int x) { return 2 * x; }' && echo ok
echo "static:"; vestige-cc -static $S -o static && recorded static
echo "static-pie:"; vestige-cc -static-pie $S -o staticpie && recorded staticpie
echo "LTO:"; vestige-cc -flto -O2 -fno-inline $S -o lto && recorded lto
echo "thin LTO:"; vestige-cc -flto=thin -fuse-ld=lld -O2 -fno-inline $S -o thin && recorded thin
echo "address sanitizer:"; vestige-cc -fsanitize=address $S -o asan && recorded asan
echo "undefined behaviour sanitizer:"; vestige-cc -fsanitize=undefined $S -o ubsan && recorded ubsan
echo "a plain host that opens a recorded library:"
clang-19 -x c - -o host -ldl <<< '#include <dlfcn.h>
#include <stdio.h>
int main(void) { void* l = dlopen("./libshared.so", RTLD_NOW); printf("%d\n", ((int (*)(int))dlsym(l, "twice"))(21)); }'
vestige record -q -o host.vst -- ./host && vestige functions host.vst twice --counts | tail -n 1 | sed 's/.* //'
echo "many inputs:"; echo 'int other(void) { return 1; }' > other.c && vestige-cc -c $S other.c && ls *.o | tr '\n' ' '; echo
echo "coverage:"; vestige-cc -fprofile-instr-generate -fcoverage-mapping $S -o cover && LLVM_PROFILE_FILE=c.profraw recorded cover
echo "keeps the vectorizer:"
vestige-cc -O2 --vestige-keep-vectorizer -c $S -o vector.o && echo ok
code vestige-cc --vestige-keep-vectorizr -c $S

echo "passed on:"
same() { vestige-cc "$@" > ours 2>&1; clang-19 "$@" > theirs 2>&1; cmp ours theirs && echo "same: $1"; }
same -E $S
same -M $S
same --version
same -v
same -print-search-dirs
same -dumpmachine
same -fsyntax-only -Wall $S
same -S -o - $S
vestige-cc -ffreestanding -c $S -o free.o
VESTIGE_DISABLE=1 vestige-cc $S -o disabled && code vestige record -o d.vst -- ./disabled
code vestige-cc nosuch.c
VESTIGE_CLANG=nosuchclang code vestige-cc -c $S
VESTIGE_CLANG=clang-19 vestige-c++ $S -c -o chosen.o -Wno-deprecated && echo "chosen clang"
