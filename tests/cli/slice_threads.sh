# Slices through memory that threads share: what was joined, what was given before the thread began, what a lock
# protects; and what nothing orders.
vestige-cc -O0 -g -pthread $SOURCES/handover.c -o handover
vestige record -q --what full -- ./handover
T=handover.vst
lines() { echo "$* $(vestige slice $T --at "$@" --json | sed -E 's/.*"lines":(\[[^]]*\]).*"unresolved":(\{[^}]*\}).*/\1 \2/')"; }
for line in 32 33 27; do lines handover.c:$line --data-only; done
lines handover.c:23 --data-only --forward
vestige why $T --at handover.c:32
vestige slice $T --at handover.c:32 --data-only --instances --json | sed -E 's/"id":([0-9]+),"thread":([0-9]+).*"line":([0-9]+),.*/\1 thread \2 line \3/;s/^\{//'
