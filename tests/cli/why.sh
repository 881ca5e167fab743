# Where values came from. The chains were checked by hand.
vestige-cc -O0 -g $SOURCES/textbook.c -o textbook
vestige record -q --what full -- ./textbook
T=textbook.vst
echo "through a pointer, a copied struct, a function pointer, a global, a sum"
for line in 41 46 60 63 34; do code vestige why $T --at textbook.c:$line; done
code vestige why $T --at textbook.c:41 --json | sed -E 's/"(address|value)":[0-9]{9,}/"\1":N/g;s/"seconds":[0-9.e-]+/"seconds":X/;s/"file":"[^"]*\//"file":"/g'
code vestige why $T --at textbook.c:31@9
code vestige why $T --at textbook.c:999
