# The disk is full: the program is unharmed, the error is one sentence, what was written can be read.
level=0
build erratic
wanted=$(./erratic 5000000)

# full WHAT FILE PROGRAM'S-STATUS: `record` was run with its file there.
full() {
  same "$1: the program's output" "$wanted" "$(cat d.out)"
  same "$1: status" "$3" "$status"
  same "$1: lines of error" 1 "$(wc -l < d.err)"
  holds "$1: error" "$(cat d.err)" "vestige: "
  holds "$1: error" "$(cat d.err)" "$2"
  cp "$2" full.vst
  recovered full
  mv full.recovered.vst full.vst
  at_least "$1: calls in what was written" 100000 "$(activations_of full step)"
}

(
  ulimit -S -f 8192  # KiB
  TALLY=$PWD/d.tally vestige record -q -o limited.vst -- ./erratic 5000000 > d.out 2> d.err
)
status=$?
full "file size limit" limited.vst 4
(
  ulimit -S -f 8192
  TALLY=$PWD/d.tally vestige record -q -o limited.vst -- ./erratic 5000000 7 > d.out 2> d.err
)
status=$?
full "file size limit, and a program that fails" limited.vst 7

mkdir -p small
if mount -t tmpfs -o size=8m none small 2> /dev/null; then
  TALLY=$PWD/d.tally vestige record -q -o small/t.vst -- ./erratic 5000000 > d.out 2> d.err
  status=$?
  full "full disk" small/t.vst 4
  # Nothing fits at all.
  rm small/t.vst
  dd if=/dev/zero of=small/fill bs=1M count=9 2> /dev/null
  vestige record -q -o small/t.vst -- ./erratic 1000 > d.out 2> d.err
  same "no room from the start: status" 4 $?
  holds "no room from the start: error" "$(cat d.err)" "small/t.vst"
  umount small
else
  echo "no small file system to be had: not root"
fi
