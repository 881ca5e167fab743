# Walking, both ways, at every level.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q --what control -- ./collatz 6
T=collatz.vst
code vestige walk $T --count 12
code vestige walk $T --back --count 5
vestige record -q --what control -o long.vst -- ./collatz 27
vestige walk long.vst | tail -n 1
vestige walk long.vst --back | tail -n 1
code vestige walk $T --level path --from 4 --count 4
code vestige walk $T --level statement --from 4 --count 4
code vestige walk $T --json --from 4 --count 2
code vestige walk $T --json --level path --from 4 --count 1 | sed "s/\"path\":[0-9]*/\"path\":N/"
code vestige walk $T --csv --level statement --from 4 --count 1
for level in path block statement; do
  vestige walk $T --level $level --json > forwards
  vestige walk $T --level $level --json --back | tac | cmp - forwards && echo "$level: backwards is the reverse of forwards"
  vestige walk $T --level $level --csv | sed 1d | wc -l | cmp - <(wc -l < forwards) && echo "$level: as many rows in CSV"
  vestige walk $T --level $level --all | wc -l | cmp - <(wc -l < forwards) && echo "$level: as many rows for people"
done
code vestige walk $T --count 0
code vestige walk $T --count -1
code vestige walk $T --from yesterday
code vestige walk $T --from 1000000
code vestige walk $T --from sync:1
code vestige walk $T --thread 7
code vestige walk $T --thread 0.0 --count 1
