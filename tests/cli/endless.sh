# Slices in loops that never end, both ways, at three levels. The lines were checked by hand.
lines() { echo "$* $(vestige slice $T --at "$@" --json | sed -E 's/.*"lines":(\[[^]]*\]).*/\1/')"; }
for level in O0 O1 O2; do
  vestige-cc -$level -g -pthread $SOURCES/endless.c -o endless
  for loop in server events nested waits interpreter worker; do
    vestige record -q --what full -o $loop.vst -- ./endless $loop
    T=$loop.vst
    echo "$loop -$level"
    case $loop in
      server) lines endless.c:22@1; lines endless.c:24@3; lines endless.c:21:12@2 --forward ;;
      events) lines endless.c:32:21@2; lines endless.c:33:21@1; lines endless.c:36@2; lines endless.c:31:5@3 --forward ;;
      nested) lines endless.c:49@1; lines endless.c:46@3; lines endless.c:43@2; lines endless.c:48:12@1 --forward ;;
      waits) lines endless.c:58@4; lines endless.c:58@6; lines endless.c:62@1; lines endless.c:59:17@3 --forward; lines endless.c:59:17@5 --forward ;;
      interpreter) lines endless.c:70@2; lines endless.c:73@1; lines endless.c:76@1 ;;
      worker) lines endless.c:85; lines endless.c:84:12@2 --forward ;;
    esac
  done
done
