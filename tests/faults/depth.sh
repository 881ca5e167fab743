# Deep tail recursion, flat on the usual stack, and deep recursion on a large one.
level=2
build recursion
ulimit -S -s 8192
wanted=$(clang-19 -O2 "-I$SOURCES" "$SOURCES/recursion.c" -o plain && ./plain tail 30000000)
record d -- ./recursion tail 30000000
same "tail: status" 0 "$status"
same "tail: output" "$wanted" "$(cat d.out)"
counts d recursion
same "tail: depth at the end" 1 "$(vestige walk d.vst --from end --back --json --count 100 |
  jq -r 'select(.function == "odd" or .function == "even").depth' | sort -u | xargs)"
sound d

# The limit is the program's own to raise: a recorder under ThreadSanitizer lowers it.
large='ulimit -S -s unlimited 2> /dev/null || ulimit -S -s "$(ulimit -H -s)"; exec "$@"'
for level in 0 2; do
  build recursion
  record d -- sh -c "$large" sh ./recursion plain 1000000
  same "plain at -O$level: status" 0 "$status"
  same "plain at -O$level: output" 1000000 "$(cat d.out)"
  counts d recursion
  same "plain at -O$level: deepest" 1000001 "$(vestige walk d.vst --all --level path --csv | awk -F, 'NR > 1 && $4 > most {most = $4} END {print most}')"
  sound d
done
