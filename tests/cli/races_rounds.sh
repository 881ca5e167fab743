# Rounds of a loop are taken at once, whatever another thread did at the same time of its own.
vestige-cc -g -O1 -pthread $SOURCES/same_time.c -o same_time
vestige record -q --what full -o t.vst -- ./same_time
vestige races t.vst --json | jq -c '.pairs[] | [.a.line, .a.kind, .b.line, .b.kind, .count]'
