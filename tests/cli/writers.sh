# Who wrote, and who read it.
vestige-cc -O0 -g $SOURCES/textbook.c -o textbook
vestige record -q --what full -- ./textbook
T=textbook.vst
lines() { sed -E 's/.*"line":([0-9]+).*"reason":"([a-z]+)".*/\1 \2/' | tr '\n' ';'; echo; }
store=$(vestige statements $T --json | jq -r 'select(.op == "store" and .line == 35) | .id' | head -1)
echo "read from line 35's store"
vestige readers $T --at "#$store" --json | lines
load=$(vestige readers $T --at "#$store" --json | jq -r .id | head -1)
echo "and back"
vestige writers $T --at "#$load" --json | jq -c '.id == '$store
address=$(vestige addresses $T "#$store" --json | jq -r .address | head -1)
vestige writers $T --address $address --json | lines
vestige writers $T --address $((address + 3)) --json | lines
echo "as rows"
diff <(vestige readers $T --at "#$store" --json | jq -r '[.id, .thread, .instance, .time, .function, .file, .line, .value, .address, .reason] | map(tostring) | join(",")') \
     <(vestige readers $T --at "#$store" --csv | sed 1d) && echo "the same in CSV"
vestige writers $T --address 1 --csv
code vestige writers $T --address 1
code vestige writers $T
code vestige writers $T --address x
code vestige writers $T --at "#$store" --address 1
code vestige readers $T --at "#$store@9"
