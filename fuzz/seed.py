#!/usr/bin/python3
"""seed.py TRACE: writes the seeds in corpus/ from a small trace (tests/golden/v1.0.trace), by the second reader."""
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "tests", "reader"))
import vst_reader as vst


def put(target, name, data):
    folder = os.path.join(here, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as stream:
        stream.write(data)


def records(payload):
    bytes_ = vst.Bytes(vst.unsqueeze(payload))
    bytes_.varint(), bytes_.string(), bytes_.varint(), bytes_.varint(), bytes_.varint()
    return bytes_.list(lambda: (bytes_.varint(), bytes_.take(bytes_.varint()))[1])


def main(file):
    with open(file, "rb") as stream:
        data = stream.read()
    put("fuzz_reader", "seed-trace", data)
    seen = {}
    for chunk in vst.read_chunks(data):
        number = seen[chunk.kind] = seen.get(chunk.kind, 0) + 1
        payload = chunk.payload
        if chunk.kind == vst.MODULE:
            for i, record in enumerate(records(payload)):
                put("fuzz_function_record", f"seed-{number}-{i}", record)
        if chunk.kind in (vst.MODULE, vst.DIRECTORY):
            payload = b"\0" + vst.unsqueeze(payload)
        if chunk.kind == vst.CONTROL:
            control = vst.Control(payload)
            put("fuzz_word_codecs", f"seed-{number}", bytes([control.codec - 1]) + control.word_section)
            put("fuzz_chunks", f"seed-stack-{number}", b"\x08" + control.stack_section)
            if control.event_section:
                put("fuzz_chunks", f"seed-events-{number}", b"\x09\0" + vst.unsqueeze(control.event_section))
        if number <= 2:
            put("fuzz_chunks", f"seed-{chunk.kind}-{number}", bytes([chunk.kind]) + payload)
    # Three synchronization operations, stored plainly: a lock, a wait, an atomic operation.
    columns = bytes([1, 8, 34, 1, 2, 1, 1, 1, 2, 2, 0x40, 0x10, 0, 1, 0, 4])
    put("fuzz_chunks", "seed-sync", bytes([10, 0, 0, 3, 1, 4, 3, 1 + len(columns), 0]) + columns)
    # One block of each codec before its compression: see fuzz_word_codecs.cpp.
    put("fuzz_word_codecs", "seed-sections", bytes([2, 1, 2, 9, 0, 2, 0b110, 1, 1, 0b11, 2, 0, 1, 3, 0xd0, 0x0f, 2]))
    put("fuzz_word_codecs", "seed-indices", bytes([3, 2, 9, 0, 0x21, 0x43, 0x65, 0x10, 0x02]))
    for repeat in 0, 60, 255:
        for spread in range(4):
            put("fuzz_words_round_trip", f"seed-{repeat}-{spread}", bytes([repeat, spread, 1, 2, 3, 1, 2, 4, 1, 2, 3, 9]))
    # A table of machine labels with two rows of one thread and none of the other; a piece with three misses.
    geometries = bytes([0x80, 0x80, 2, 8, 64, 0x80, 0x80, 0x40, 16, 64])
    piece = bytes([0, 9]) + bytes(8)
    rows = bytes([5, 0, 10, 0, 3, 0, 1]) + piece + bytes([3, 1, 100, 0, 20, 5, 2]) + piece + piece
    put("fuzz_machine", "seed-table", b"\0\0" + geometries + b"\1\2\2" + rows + b"\0")
    put("fuzz_machine", "seed-piece", bytes([1, 3, 0x0c, 2, 4, 6]))
    for i, (kind, text) in enumerate(TYPED):
        put("fuzz_names", f"seed-{i}", bytes([kind]) + text)


# As fuzz_names.cpp takes them.
TYPED = [(0, b"vpc"), (0, b"record:pc:4,value:8,skip:2"), (0, b"record:u16,i32 name,nopc"), (1, b"sync:12"), (1, b"noise:20"),
         (1, b"last4,dfcm4.2,stride"), (1, b"32K,8,64"), (1, b"32K,8,64/1M,16,64,plru,shared"), (2, b"#12"), (2, b"f0:B1.2"),
         (2, b"file.c:12:3"), (2, b"point.x[3]@main:27"), (2, b"0.0"), (3, b"\0B1 B2 B3"), (4, b"\x0012 14 15"),
         (5, b"\0B1 (B2|B3)* .{2,5} @? L12 @f1+ B4")]

main(*sys.argv[1:])
