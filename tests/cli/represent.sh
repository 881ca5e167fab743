# What each representation answers, and what it says when it does not have the answer. tests/represent compares contents.
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
echo "== dor"
code vestige hot dor.vst
code vestige machine dor.vst
code vestige diff dor.vst dor.vst
