# The keys of info --json that scripts rely on, with their values where those are known.
vestige-cc -O0 $SOURCES/collatz.c -o collatz
vestige record -q -- ./collatz exit
vestige info collatz.vst --json > info.json
python3 - <<'END'
import json, os
info = json.load(open("info.json"))
for key in ("threads", "ranks", "paths", "blocks", "statements", "loads", "stores", "sync_ops"):
    print(key, info[key])
assert info["raw_bytes"] == 4 * (info["blocks"] + info["loads"] + info["stores"])
assert info["file_bytes"] == os.stat("collatz.vst").st_size
assert sum(info["sections"].values()) == info["file_bytes"], info["sections"]
assert abs(info["bits_per_statement"] - 8 * info["file_bytes"] / info["statements"]) < 1e-9
print(sorted(info["sections"]))
process = info["process_list"][0]
print(process["end"], process["status"], process["arguments"])
thread = info["thread_list"][0]
print(thread["name"], thread["first_time"], thread["paths"] == info["paths"], thread["handler"])
END
vestige info collatz.vst | sed 's/[0-9.]* *[KM]*i*B[^,]*,.*/SIZE/; /^  /d'
code vestige info nosuch.vst
code vestige info $SOURCES/collatz.c
code vestige info .
vestige-cc -O1 $SOURCES/strides.c -o strides
vestige record -q --what control -o control.vst -- ./strides > /dev/null
code vestige info control.vst --tiers
vestige record -q --what full -o full.vst -- ./strides > /dev/null
vestige info full.vst --tiers --json | jq -c '.tiers | keys_unsorted, .node_times.tier1, .node_values.original, .edges.original, .dependences, (.total.tier2 < .total.tier1)'
vestige info full.vst --tiers | sed '1,/^$/d' | cut -c 1-31 | head -n 5
