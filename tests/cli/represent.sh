# What each representation answers, and what it says when it does not have the answer. tests/query/represent compares contents.
vestige-cc -O1 -pthread $SOURCES/locks.c -o locks
vestige record -q --what full -o locks.vst -- ./locks > /dev/null
for as in cor dor cdr; do vestige represent -q locks.vst --as $as -o $as.vst > /dev/null; done
for as in cor dor cdr; do
  echo "== $as"
  code vestige walk $as.vst --thread 0.1 --count 1
  code vestige match $as.vst --function main --path B0 --json | sed -E 's/"(scheme|seconds)":[0-9.e-]+/"\1":N/g'
  code vestige functions $as.vst main --counts --json | sed -E 's/.*"activations"/"activations"/'
  vestige sync $as.vst --nth 0.1:1 --json | jq -c '[.thread, .number, .kind]'
  code vestige addresses $as.vst all --count 1 --json | sed -E 's/"address":[0-9]+/"address":N/'
  code vestige values $as.vst all --count 1
  code vestige races $as.vst
done 2>&1
echo "== addresses of a cdr, for people"
vestige-cc -O0 $SOURCES/nests.c -o nests
vestige record -q --what full -- ./nests 9
vestige represent -q nests.vst --as cdr -o nests.cdr.vst > /dev/null
rows() { grep -c '^ '; }
vestige addresses nests.cdr.vst all | rows
test $(vestige addresses nests.cdr.vst all 2>&1 >/dev/null | sed -nE 's/^… ([0-9,]+) more addresses \(use --all\)$/\1/p' | tr -d ,) = $(($(vestige addresses nests.cdr.vst all --json | wc -l) - 40)) && echo "and how many more"
vestige addresses nests.cdr.vst all --runs | rows
test $(vestige addresses nests.cdr.vst all --all | rows) = $(vestige addresses nests.cdr.vst all --json | wc -l) && echo "all of them"
vestige addresses nests.cdr.vst all --from 100000
echo "== dor"
code vestige hot dor.vst
code vestige machine dor.vst
code vestige diff dor.vst dor.vst
echo "== wet"
vestige represent -q nests.vst --as wet -o wet.vst --json | jq -c keys_unsorted
same() { test "$(vestige "$1" nests.vst "${@:2}" | sed 's/"seconds":.*//')" = "$(vestige "$1" wet.vst "${@:2}" | sed 's/"seconds":.*//')" && echo "the same $1"; }
same walk --level statement --json
same values all --json
same addresses all --json
last=$(vestige values nests.vst all --json | tail -1 | jq .statement)
same slice --at "#$last" --json
same slice --at "#$last" --instances --json
same slice --at "#$last" --instances --csv
same why --at "#$last" --json
code vestige verify wet.vst | sed -E 's/[0-9][0-9,]* /N /g'
code vestige races wet.vst
code vestige represent -q wet.vst --as wet -o again.vst
echo "== what the recording holds in less"
cat > scatter.c <<'END'
#include <stdio.h>
int table[1 << 20];
int main(void) {
  unsigned x = 1;
  for (int i = 0; i < 100000; i++) table[(x = x * 1664525u + 1013904223u) >> 12]++;
  printf("%d\n", table[5]);
}
END
vestige-cc -O1 -g scatter.c -o scatter && vestige record -q -o scatter.vst -- ./scatter > /dev/null
for as in cdr eprsd; do
  vestige represent scatter.vst --as $as -o copy.vst --json 2> said | jq -c .kept
  cmp copy.vst scatter.vst && sed -E 's/[0-9.]+ [KM]iB/N/g' said
  vestige represent scatter.vst --as $as --always -o form.vst --json 2> said | jq -c .kept
  sed -E 's/[0-9.]+ [KM]iB/N/g' said
  test $(stat -c %s form.vst) -gt $(stat -c %s copy.vst) && echo "the form is larger"
done
vestige represent -q scatter.vst --as dor -o form.vst --json | jq -c .kept
vestige represent -q scatter.vst --as eprsd --lossy address:64 -o form.vst --json | jq -c .kept
