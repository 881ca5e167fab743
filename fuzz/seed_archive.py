#!/usr/bin/python3
"""seed_archive.py VESTIGE: writes the seeds of fuzz_archive and fuzz_archive_round_trip with that program."""
import os
import struct
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
CODECS = ["vestige -1", "vestige -5", "vestige -9", "vpc", "vpc2", "sequitur", "runs", "packed", "checkpoint", "fcm2", "dfcm1",
          "last4", "last2-stride", "select", "hybrid"]
TRACE = b"vpc3" + b"".join(struct.pack("<IQ", 0x401000 + 4 * (i % 7), 0x7FFF0000 + 8 * i * (i % 3)) for i in range(60))


def put(target, name, data):
    folder = os.path.join(here, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as stream:
        stream.write(data)


def parameters(description):
    """The last field of a header's description (docs/codecs.md)."""
    at = 1

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = description[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def block():
        nonlocal at
        size = varint()
        at += size
        return description[at - size:at]

    block(), block(), block()
    for _ in range(varint()):
        at += 2
        block()
    varint()
    return block()


def main(vestige):
    for codec in CODECS:
        section = ["--section", "1000"]
        command = [vestige, "compress", "-q", "--format", "vpc", "--codec", *codec.split(), *section, "-", "-"]
        file = subprocess.run(command, input=TRACE, stdout=subprocess.PIPE, check=True).stdout
        size = struct.unpack_from("<I", file, 12)[0]
        description, at, frames = file[16:16 + size], 16 + size + 8, []
        rows = 1
        while rows > 0:
            rows, payload = struct.unpack_from("<II", file, at)
            rows %= 2**31
            frames.append((rows, file[at + 8:at + 8 + payload]))
            at += 16 + payload
        name = codec.replace(" ", "")
        put("fuzz_archive", f"seed-file-{name}", b"\0" + file)
        put("fuzz_archive", f"seed-frames-{name}", b"\1" + struct.pack("<H", size) + description
            + b"".join(struct.pack("<HH", rows, len(payload)) + payload for rows, payload in frames))
        told = parameters(description)
        put("fuzz_archive", f"seed-decoder-{name}", b"\2" + bytes([description[0], 0, len(told)]) + told
            + b"".join(struct.pack("<HH", rows - 1, len(payload)) + payload for rows, payload in frames[:-1]))
    put("fuzz_archive", "seed-directory", b"\3" + bytes([100, 200, 1, 5, 60, 0, 30, 20, 30, 20, 30, 20, 30, 20]))
    for codec in range(16):
        put("fuzz_archive_round_trip", f"seed-{codec}",
            bytes([codec, 1 + codec % 3, codec * 2 % 9, codec * 3, 40 + codec, 0]) + TRACE[:100])


main(*sys.argv[1:])
