# The ranks of a parallel run are one recording, also when some of them fail. The ranks are started here as mpirun starts them.
vestige-cc -O1 $SOURCES/rank.c -o rank
run() { # run NAME ARGUMENTS…: all ranks at once, then how each ended
  local name=$1 r pids=() codes=()
  shift
  for r in 2 0 1; do
    OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=3 PMIX_NAMESPACE=$name vestige record -q -o $name.vst -- ./rank "$@" 2>> $name.err &
    pids[r]=$!
  done
  for r in 0 1 2; do
    wait ${pids[r]} 2> /dev/null
    codes[r]=$?
  done
  echo "$name: ${codes[*]}"
  cat $name.err
  ls $name.vst*
  vestige info $name.vst | grep -E '^(program|ranks|missing|threads|paths)'
}
run whole
vestige walk whole.vst --thread 2.0 --json | grep -c function
vestige represent -q whole.vst --as eprsd -o small.vst | sed 's, in .* bytes,,'
for r in 0 1 2; do cmp <(vestige replay whole.vst --thread $r.0) <(vestige replay small.vst --thread $r.0) && vestige replay small.vst --thread $r.0 | wc -l; done
vestige info small.vst --json | grep -oE '"ranks":[0-9]+'
run killed 1 kill
code vestige verify killed.vst --json | sed -E 's/"(chunks|paths|statements)":[0-9]+/"\1":N/g'
code vestige merge -q killed.vst whole.vst -o merged.vst
vestige info merged.vst | grep ranks
run orphan 0 orphan
run failed 2 fail
echo "what is refused"
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=no vestige record -q -o none/no.vst -- ./rank
echo "[exit $?]"
echo "outputs apart"
for r in 0 1; do
  OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=apart vestige record -q -o apart$r.vst -- ./rank 9 wait &
done
wait
vestige merge -q apart1.vst apart0.vst -o apart.vst
for r in 0 1; do vestige replay apart.vst --thread $r.0 | wc -l; done
ls apart*
