# Recording: names, status, refusals.
vestige-cc -O1 $SOURCES/collatz.c -o collatz
clang-19 $SOURCES/collatz.c -o plain
summary() { sed 's/([0-9.]* [KM]*i*B*[bytes]*)/(SIZE)/'; }
code vestige record -- ./collatz 27 2>&1 | summary
ls *.vst
code vestige record -q -o other.vst -- ./collatz 6
code vestige record -q -- ./collatz exit
code vestige record -q -- ./collatz kill
code vestige record -q -- ./collatz abort
code vestige record -o plain.vst -- ./plain
code vestige record -- ./nosuchprogram
code vestige record ./collatz
code vestige record --
code vestige record --wat control -- ./collatz
code vestige record -q --what control --engine llvm -- ./collatz
code vestige record --include 'colla*' --include nosuch.c -- ./collatz 27 2>&1 | summary
code vestige record -q --include 'colla*' -- ./collatz 27
for flag in "--what full --start main" "--what all" "--engine valgrind" "--engine gdb" "--order --what control" "--order --last 10" "--check --what control" \
            "--max-size lots" "--max-size nan" "--max-size 0" "--last -1"; do
  code vestige record $flag -- ./collatz
done
code vestige record -q --what memory -o memory.vst -- ./collatz
vestige info memory.vst --json | grep -o '"what":"[a-z]*"' | head -n 1
code vestige record --check -o plain.vst -- ./collatz 2>&1 | sed 's/([0-9.]* KiB)/(SIZE)/'
vestige-cc -O1 --vestige-check $SOURCES/collatz.c -o checked
vestige record -q --check -o checked.vst -- ./checked > /dev/null
vestige verify checked.vst | grep -o ', [0-9,]* values compared'
code vestige record -q -o /nosuchfolder/t.vst -- ./collatz
echo "without the recorder:"
code ./collatz 27
# A trace never takes the place of its program.
code vestige record -q -o collatz -- ./collatz 27
code vestige record -q --as eprsd -o ./collatz -- "$PWD/collatz" 27
code ./collatz 27
