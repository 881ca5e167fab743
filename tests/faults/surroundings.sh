# What a program may do to its surroundings, and run without a recorder.
for level in 0 2; do
  build surroundings
  for how in plain close no_files undumpable errno; do
    record w -- ./surroundings $how
    same "$how: status" 0 "$status"
    same "$how: output" "done" "$(cat w.out)"
    same "$how: messages" "" "$(cat w.err)"
    counts w surroundings
    sound w
  done
  if ((EUID == 0)); then
    chmod o+rwx . w.tally
    record w -- ./surroundings user
    same "user: status" 0 "$status"
    counts w surroundings
    sound w
    mkdir -p cell
    record w -- ./surroundings root 300000 "$PWD/cell"
    same "root: status" 0 "$status"
    same "root: messages" "" "$(cat w.err)"
    counts w surroundings
    sound w
  fi

  cp surroundings kept
  record w -- ./surroundings gone
  same "gone: status" 0 "$status"
  same "gone: messages" "" "$(cat w.err)"
  counts w kept
  sound w
  cp kept surroundings
  record w -- ./surroundings gone 1000 fault
  same "gone, with a fault: status" 139 "$status"
  holds "gone, with a fault" "$(info w '.fatal[0]')" "of main ("
  counts w kept
  sound w
  cp kept surroundings

  # env -i takes the session away: an ordinary run.
  record w -- env -i ./surroundings plain
  same "env -i: status" 0 "$status"
  same "env -i: output" "done" "$(cat w.out)"
  (
    mkdir -p alone && cd alone || exit
    env -i "$PWD/../surroundings" plain > ../w.out 2> ../w.err
  )
  same "without record: status" 0 $?
  same "without record: output" "done" "$(cat w.out)"
  same "without record: messages" "" "$(cat w.err)"
  same "without record: files" "" "$(ls alone)"
  # A session that is no more.
  VESTIGE_SESSION=/proc/1/fd/3:0123456789abcdef ./surroundings close > w.out 2> w.err
  same "stale session: status" 0 $?
  same "stale session: messages" "" "$(cat w.err)"
done
