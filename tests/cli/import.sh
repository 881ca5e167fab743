# Control flow of another tool: imported, walked and asked about; pipes, archives, wrong input.
python3 -c '
import struct
ENTRY, EXIT = 1 << 30, 1 << 31
events = [3, EXIT, 5]                       # two activations that were there before
for i in range(3):
    events += [ENTRY | 12, 0]
    for j in range(2): events += [1, 2 + j % 2, ENTRY | 7, 0, EXIT]
    events += [4, EXIT]
events += [6, ENTRY | 12, 0, 1]             # it ends inside
def write(name, words): open(name, "wb").write(struct.pack("<%dI" % len(words), *words))
write("t.u32", events)
write("reserved.u32", [0, 3 << 30])
write("huge.u32", [ENTRY | 3, 0, (1 << 30) - 1])
write("bare.u32", [ENTRY | 3, ENTRY | 3, 5, EXIT])
write("none.u32", [])
open("odd.u32", "wb").write(b"12345")
'
echo "== import"
code vestige import --from cf t.u32 -o t.vst 2>&1 | sed 's/[0-9,]* bytes/N bytes/'
vestige import --from cf t.u32 -o t.vst --json | jq -c 'keys_unsorted, .events, .blocks, .entries, .exits, .functions'

echo "== every command takes it"
vestige verify t.vst --json | jq -c .ok,.problems
vestige info t.vst --json | jq -c '.threads, .functions, .blocks, .statements, .loads, .bits_per_statement, .meta.imported, .meta.input'
vestige info t.vst | grep -v bytes
code vestige functions t.vst
code vestige blocks t.vst f12
code vestige blocks t.vst unknown --json
code vestige statements t.vst f12
code vestige walk t.vst --level block --all
vestige walk t.vst --level block --all --back --json | tac | cmp - <(vestige walk t.vst --level block --all --json) && echo "the same backwards"
code vestige walk t.vst --level path --count 4
code vestige walk t.vst --level statement
code vestige values t.vst all
code vestige blocks t.vst 12
code vestige blocks t.vst '#12'
code vestige index t.vst

echo "== pipes and archives"
vestige compress -q --format cf t.u32 t.vcz
vestige import -q --from cf t.vcz -o a.vst; cat t.u32 | vestige import -q --from cf - -o b.vst
cat t.vcz | vestige import -q --from cf - -o c.vst; vestige import -q --from cf - -o d.vst < t.u32
for copy in a b c d; do
  vestige walk $copy.vst --level block --all --json | cmp - <(vestige walk t.vst --level block --all --json)
done

echo "== odd, but control flow"
for file in bare none; do
  vestige import -q --from cf $file.u32 -o x.vst && vestige verify x.vst --json | jq -c .ok
  code vestige walk x.vst --level block
  vestige info x.vst --json | jq -c .paths,.blocks
done

echo "== refused"
rm x.vst
code vestige import --from cf reserved.u32 -o x.vst
code vestige import --from cf huge.u32 -o x.vst
code vestige import --from cf odd.u32 -o x.vst
head -c 60 t.vcz > cut.vcz
code vestige import --from cf cut.vcz -o x.vst 2>&1 | sed 's/ at byte.*/ at byte N/;s/;.*//'
code vestige import --from cf nosuch -o x.vst
code vestige import --from cf t.u32 -o nowhere/x.vst
code vestige import --from cf t.u32 -o t.u32
code vestige import --from lackey t.u32 -o x.vst
code vestige import t.u32 -o x.vst
code vestige import --from cf t.u32
ls x.vst
