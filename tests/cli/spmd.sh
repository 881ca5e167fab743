# Memory references as descriptors: what they say, that they replay, and what they refuse.
vestige-cc -O1 $SOURCES/nests.c -o nests
vestige record -q --what full -- ./nests 9
vestige record -q --what control -o control.vst -- ./nests 9
hide() { sed -E "s/0x[0-9a-f]+/ADDRESS/g;s/[0-9.]+ (KiB|bytes)$/SIZE/"; }
code vestige represent nests.vst --as eprsd -o small.vst 2>&1 | hide
vestige replay nests.vst > a.txt
vestige replay small.vst > b.txt
cmp a.txt b.txt && echo "the same replay"
code vestige contexts small.vst
code vestige contexts nests.vst --json | head -n 2
code vestige descriptors small.vst | hide
vestige descriptors small.vst --json | grep -c '"regular":true'
echo "as rows"
python3 - <<'END'
import csv, json, subprocess
for command in ("contexts", "descriptors"):
    text = lambda form: subprocess.run(["vestige", command, "small.vst", form], capture_output=True, text=True).stdout
    rows = list(csv.DictReader(text("--csv").splitlines()))
    objects = [json.loads(line) for line in text("--json").splitlines()]
    plain = lambda v: "" if v is None else str(v).lower() if isinstance(v, bool) else " ".join(map(str, v)) if isinstance(v, list) else str(v)
    same = [{key: plain(o.get(key)) for key in row} == row for o, row in zip(objects, rows)]
    print(command, list(rows[0]), len(rows) == len(objects) and all(same))
END
code vestige verify small.vst
vestige info small.vst --json | sed -E 's/"(file_bytes|descriptors|contexts|labels|program|threads|other)":[0-9]+/"\1":N/g;s/"(bits_per_statement|ratio)":[0-9.e-]+/"\1":X/g'
code vestige merge -q nests.vst small.vst -o both.vst
code vestige merge small.vst nests.vst -o again.vst --json | sed -E 's/"file_bytes":[0-9]+/"file_bytes":N/'
cmp both.vst again.vst && vestige info both.vst | sed -n 2,4p
vestige replay both.vst --thread 1.0 | cmp - a.txt && echo "the same replay of a rank"
echo "what is refused"
code vestige represent control.vst --as eprsd -o no.vst
code vestige represent nests.vst --as eprsd -o nests.vst
code vestige represent small.vst --as eprsd -o no.vst
code vestige walk small.vst
code vestige replay small.vst --thread 7
code vestige replay small.vst --library
head -c 700 small.vst > cut.vst
code vestige info cut.vst
code vestige merge nests.vst missing.vst -o no.vst
