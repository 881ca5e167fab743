# exit and its kin from deep inside, from a callback, from a thread.
for level in 0 2; do
  build leaving
  # leaves HOW STATUS [thread]
  leaves() {
    record l -- ./leaving $1 ${3-}
    same "$1 ${3-}: status" "$2" "$status"
    same "$1 ${3-}: messages" "" "$(cat l.err)"
    counts l leaving
    sound l
  }
  for where in "" thread; do
    for how in exit _exit _Exit quick_exit syscall; do leaves $how 21 $where; done
    leaves abort 134 $where
    leaves raise 143 $where
  done
  leaves thread_syscall 22 thread
  leaves callback 23
done
