# Races: pairs of statements, with a witness; what follows from another; suppressions.
vestige-cc -g -O0 -pthread $SOURCES/races.c -o races
vestige record -q --what full -o t.vst -- ./races 1
vestige record -q --what full -o free.vst -- ./races
vestige record -q --what control -o control.vst -- ./races 1
code vestige races t.vst
plain() { sed -E 's/"(address|object)":[0-9]+/"\1":N/g; s/"seconds":[0-9.e-]+/"seconds":X/; s#"file":"[^"]*/#"file":"#g'; }
vestige races t.vst --json --suppress counter --artifacts hide | plain
code vestige races t.vst --artifacts hide --csv | sed -E 's/,[0-9]{9,},/,N,/; s#,[^,]*/races.c#,races.c#g'
printf '# all of it\nraces.c:[0-9]*\n' > all.txt
code vestige races t.vst --suppressions all.txt
code vestige races t.vst --suppressions nowhere.txt
code vestige races free.vst
vestige races free.vst --json | plain
code vestige races control.vst
code vestige races t.vst --artifacts maybe
