# Traces of records there and back: formats, codecs, pipes, reports, damage, wrong use.
python3 -c '
import struct, sys
rows = b"".join(struct.pack("<IQ", 0x401000 + 4 * (i % 9), 0x7fff0000 + 8 * i * (i % 9)) for i in range(20000))
open("t.vpc", "wb").write(b"vpc3" + rows)
open("t.bin", "wb").write(b"".join(struct.pack("<QQB", 0x401000 + i % 5, 0x5000 + 8 * i, 0x88) for i in range(9000)))
open("t.u32", "wb").write(b"".join(struct.pack("<I", i * i % 17) for i in range(30000)))
'
: > empty
printf 'ab' > two
head -c 100003 t.vpc > odd

echo "== every format, told and guessed, with and without a tail"
for file in t.vpc t.bin t.u32 empty two odd; do
  for format in "" vpc cf refs u64 record:pc:4,8 record:skip:3,u16,value:5 record:4,8,nopc u8; do
    vestige compress -q ${format:+--format "$format"} $file x.vcz && vestige decompress -q x.vcz back &&
      cmp $file back || echo "$file as '$format' failed"
  done
done
for file in t.vpc t.bin t.u32; do vestige compress --json $file x.vcz | grep -o '"format":"[^"]*"'; done

echo "== every codec"
for codec in vestige vpc vpc2 hybrid sequitur runs packed checkpoint fcm1 dfcm3 last8-stride select; do
  vestige compress -q --codec $codec odd x.vcz && vestige decompress -q x.vcz back && cmp odd back || echo "$codec failed"
done
for level in 1 5 9; do vestige compress -q -$level t.vpc x$level.vcz; vestige decompress -q x$level.vcz - | cmp - t.vpc; done
vestige compress -q t.vpc x.vcz && cmp x.vcz x5.vcz && echo "5 is the default"

echo "== lossy"
vestige compress -q --format vpc --lossy value:16 t.vpc l.vcz && vestige decompress l.vcz back 2>&1 | grep -o 'note: .*'
vestige decompress --json l.vcz back | jq -c '.errors, .out'
python3 -c '
import struct
a, b = (list(struct.iter_unpack("<IQ", open(name, "rb").read()[4:])) for name in ("t.vpc", "back"))
print(max(abs(x[1] - y[1]) for x, y in zip(a, b)), all(x[0] == y[0] for x, y in zip(a, b)), len(a) == len(b))'
code vestige compress -q --format vpc --lossy pc:4 t.vpc y.vcz
code vestige compress -q --format vpc --lossy value t.vpc y.vcz
code vestige compress -q --format vpc --lossy size:4 t.vpc y.vcz

echo "== pipes"
vestige compress -q --format vpc t.vpc x.vcz
vestige compress -q --format vpc - - < t.vpc | cmp - x.vcz && cat t.vpc | vestige compress -q --format vpc - - | cmp - x.vcz
cat x.vcz | vestige decompress -q - - | cmp - t.vpc && echo "same bytes"
vestige compress --format vpc --json t.vpc - 2> report.json > y.vcz; cmp x.vcz y.vcz; grep -c '"ratio"' report.json
vestige compress -q --format vpc t.vpc - | head -c 4 | tail -c 3; echo
(trap '' PIPE; vestige decompress x.vcz - 2> said; echo "[exit $?]" > status) | head -c 4; echo
cat said status

echo "== from the middle"
vestige compress -q --format vpc --section 3000 t.vpc s.vcz
records() { tail -c +$((5 + ($1 - 1) * 12)) t.vpc | head -c $(($2 * 12)); }
for range in "1 5" "3000 2" "6001 7000" "20000 1" "1 20000"; do
  set -- $range
  vestige decompress -q --from $1 --count $2 s.vcz - | cmp - <(records $1 $2) && echo "records $1 and on, $2"
done
vestige decompress -q --from 19990 s.vcz - | cmp - <(records 19990 11) && echo "to the end"
cat s.vcz | vestige decompress --from 19990 - piece 2>&1 | grep -o 'note: .*'
cmp piece <(records 19990 11)
head -c $(($(stat -c %s s.vcz) - 3)) s.vcz > cut.vcz
vestige decompress --from 19990 cut.vcz piece 2>&1 | grep -o 'note: .*'
vestige decompress --json --from 7 --count 3 s.vcz piece | jq -c '.records, .out, .found_by'
code vestige decompress --from 20002 s.vcz piece
code vestige decompress --count 3 s.vcz piece
code vestige decompress --from 0 s.vcz piece
for threads in 1 2 5; do vestige decompress -q --threads $threads s.vcz - | cmp - t.vpc && echo "$threads threads"; done

echo "== reports"
code vestige compress t.vpc x.vcz 2>&1 | sed 's/→ [0-9,]* bytes (ratio [0-9.]*)/→ N bytes (ratio X)/;s/[0-9.]* MB/X MB/'
code vestige decompress x.vcz back 2>&1 | sed 's/[0-9,]* →/N →/;s/[0-9.]* MB/X MB/'
vestige compress --json t.vpc x.vcz | jq -c 'keys_unsorted, .in, .codec, .records, (.ratio > 10), (.out == '$(stat -c %s x.vcz)')'
vestige decompress --json x.vcz back | jq -c 'keys_unsorted, .out, .problem'
vestige compress -q --codec vpc --explain t.vpc x.vcz | tr -s ' ' | grep -E '^(field|predictor|pc) [a-z]*' -o
vestige compress -q --codec vpc --explain --json t.vpc x.vcz |
  jq -c '.explain[] | .field, .values, (.by_pc | length), ([.predictors[].count] | add), .predictors[-1].predictor'
vestige compress -q --predictors fcm3,dfcm1 --json t.vpc x.vcz | jq -r .codec
vestige compress --codec vpc2 -9 --json t.vpc x.vcz > /dev/null

echo "== damage"
vestige compress -q --format vpc t.vpc x.vcz
size=$(stat -c %s x.vcz)
head -c $((size - 1)) x.vcz > cut.vcz
code vestige decompress -q cut.vcz back 2>&1 | sed "s/byte $((size - 1))/byte SIZE-1/;s/begins at byte [0-9]*/begins at byte N/;s/the [0-9,]* bytes/the N bytes/"
cmp back t.vpc
vestige decompress --json cut.vcz back 2> /dev/null | grep -c '"problem":"cut.vcz is cut short'
cp x.vcz changed.vcz
printf '\125\252\125' | dd of=changed.vcz bs=1 seek=$((size / 2)) conv=notrunc status=none
vestige decompress -q changed.vcz back 2> said; echo "[exit $?]"
grep -o 'is damaged at byte' said
cmp <(head -c $(stat -c %s back) t.vpc) back && echo "a beginning of it"
rm -f back
code vestige decompress t.vpc back
code vestige decompress empty back
head -c 20 x.vcz > header.vcz
code vestige decompress header.vcz back
(head -c 8 x.vcz; printf '\011\000'; tail -c +11 x.vcz) > newer.vcz
code vestige decompress newer.vcz back
ls back

echo "== wrong use and refusals"
code vestige compress nosuch x.vcz
code vestige decompress nosuch x
code vestige compress t.vpc t.vpc
ln t.vpc same
code vestige compress t.vpc same
code vestige compress t.vpc /dev/full
code vestige decompress x.vcz /dev/full
code vestige compress t.vpc nowhere/x.vcz
code vestige compress t.vpc .
code vestige compress . x.vcz
echo old > kept
code vestige compress t.vpc --format wrong kept
cat kept
code vestige compress t.vpc
code vestige compress t.vpc x.vcz more
code vestige compress --formt vpc t.vpc x.vcz
code vestige compress -10 t.vpc x.vcz
code vestige compress --threads 0 t.vpc x.vcz
vestige compress --codec vcp t.vpc x.vcz 2> said; echo "[exit $?] $(grep -c vestige said)"
vestige compress --predictors fmc1 t.vpc x.vcz 2> said; echo "[exit $?] $(grep -c vestige said)"
code vestige compress --codec vestige --predictors fcm1 t.vpc x.vcz
ls | grep -c part
