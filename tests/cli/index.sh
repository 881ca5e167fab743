# The index of a full recording: made, made anew, of no use elsewhere.
export XDG_CACHE_HOME=$PWD/cache
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q --what full -o full.vst -- ./collatz 27
numbers() { sed -E 's/[0-9][0-9,.]* (windows?|blocks?|reads|statements|bits|[KMG]?i?B|bytes|paths|symbols|chunks?)/N \1/g; s/(bytes|windows|blocks|reads|paths|statements|bits_per_statement|seconds|grammar_bytes|index_bytes|raw_bytes|rules|symbols)":[0-9.e-]+/\1":N/g'; }
code vestige index full.vst | numbers
code vestige index full.vst --json | numbers
head -c 4 full.vst.idx | od -An -c
head -c 4 full.vst.dep | od -An -c
vestige verify full.vst > /dev/null && echo "the trace is as it was"
vestige record -q --what control -o control.vst -- ./collatz 27
code vestige index control.vst | numbers
code vestige index control.vst --json --chunk-size 1K | numbers
code vestige index control.vst --chunk-size much
code vestige index nosuch.vst
code vestige index
# A directory that takes no files: the index goes to the cache.
exec 3< full.vst
vestige index /proc/self/fd/3 | sed 's#cache/vestige/[0-9a-f]*#cache/vestige/HASH#' | numbers
ls cache/vestige | wc -l
XDG_CACHE_HOME=/proc code vestige index /proc/self/fd/3 2>&1 | sed 's/fd.3[^:]*:/fd\/3.idx:/'
# A disk that is full.
rm -f control.vst.wpp
limited() { (trap '' XFSZ; ulimit -f 0; code vestige "$@") 2>&1 | cat | sed 's/wpp\.[A-Za-z0-9]*/wpp.X/'; }
limited index control.vst
limited hot control.vst
limited match control.vst --function main --path B0
