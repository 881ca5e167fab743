# Locks that are given back by somebody who does not have them.
vestige-cc -g -O0 -pthread $SOURCES/misuse.c -o misuse
vestige record -q --what full -o t.vst -- ./misuse
code vestige races t.vst
vestige races t.vst --json | sed -E 's/"object":[0-9]+/"object":N/; s/.*("misuses")/\1/'
vestige sync t.vst | sed -E 's/0x[0-9a-f]+/ADDRESS/; s/ +/ /g'
vestige sync t.vst --nth 0.1:1 --json | sed -E 's/"object":[0-9]+/"object":N/; s#"file":"[^"]*/#"file":"#'
