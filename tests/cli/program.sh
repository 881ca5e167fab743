# The static program, for people and for programs.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -- ./collatz 6
T=collatz.vst
code vestige functions $T --counts
code vestige functions $T 'st*' --json
code vestige functions $T nothing
code vestige functions $T '#*' -q
code vestige blocks $T steps --counts
code vestige blocks $T '#1' --csv
code vestige blocks $T '#9'
code vestige blocks $T stepz
code vestige statements $T steps --counts | head -n 12
code vestige statements $T collatz.c:10
code vestige statements $T steps:B2.1 --json
code vestige statements $T steps:B2.99
code vestige statements $T
