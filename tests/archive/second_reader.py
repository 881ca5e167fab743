"""second_reader.py NAME: reads NAME.vcz from the words of docs/codecs.md alone, and compares with NAME.raw.hex.

Knows the container and the tests' own codec (each value as an svarint, its difference from the one before in its
column), which stands in the golden files under number 1 with the parameter 5a.
"""

import struct
import sys

import xxhash


def checksum(data):
    return xxhash.xxh3_64_intdigest(data)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data), "cut short"
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize(code)))[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def svarint(self):
        value = self.varint()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def bytes(self):
        return self.take(self.varint())


def numbers(*values):
    return checksum(struct.pack("<QQ", *values))


def read(data):
    file = Reader(data)
    assert file.take(8) == bytes.fromhex("89 56 43 5a 0d 0a 1a 0a"), "magic"
    major, _minor, size = file.number("H"), file.number("H"), file.number("I")
    assert major in (1, 2), "version"
    header = Reader(file.take(size))
    header_check = total = chain = file.number("Q")
    assert total == checksum(data[:16 + size]), "header checksum"

    assert header.number("B") == 1, "codec"
    names = header.bytes(), header.bytes()
    raw = header.bytes()
    fields = [(header.number("B"), header.number("B"), header.bytes()) for _ in range(header.varint())]
    block_rows = header.varint()
    assert header.bytes() == b"\x5a", "parameters"
    if major == 2:
        assert [header.varint() for _ in fields] == [0] * len(fields), "errors"
    print(*names, fields, block_rows)

    last, records, sections = [0] * len(fields), 0, []
    while True:
        begin = file.at
        rows, size = file.number("I"), file.number("I")
        restarts, rows = rows >> 31, rows % 2**31
        payload = Reader(file.take(size))
        assert file.number("I") == checksum(data[begin:begin + 8 + size]) % 2**32, "frame check"
        if major == 2 and sections and (restarts or not rows):
            chain = numbers(chain, total)
        if restarts:
            assert major == 2
            last, total = [0] * len(fields), numbers(header_check, records)
            sections.append((begin, records))
        if rows:
            assert rows <= block_rows, "rows"
            assert sections or major == 1, "no section"
            columns = [[] for _ in fields]
            for i, column in enumerate(columns):
                for _ in range(rows):
                    last[i] = (last[i] + payload.svarint()) % 2**64
                    column.append(last[i].to_bytes(8, "little")[:fields[i][0]])
            piece = b"".join(b"".join(row) for row in zip(*columns))
        else:
            counted, final = payload.number("Q"), payload.number("Q")
            piece = payload.take(len(payload.data) - 16)
            if major == 2:
                total = chain
        total = numbers(total, checksum(piece))
        assert file.number("I") == total % 2**32, "raw check"
        raw += piece
        records += rows
        if not rows:
            assert counted == records and final == total, "trailer"
            break
    if major == 2:
        begin_directory, trailer = file.at, begin
        size = file.number("I")
        content = Reader(file.take(size))
        assert file.number("I") == checksum(data[begin_directory:begin_directory + 4 + size]) % 2**32, "directory check"
        assert file.number("Q") == begin_directory, "directory's place"
        assert file.take(8) == bytes.fromhex("89 56 43 5a 64 69 72 0a"), "directory's end"
        assert (content.varint(), content.varint(), content.varint()) == (records, trailer, len(sections))
        at = first = 0
        for section in sections:
            at, first = at + content.varint(), first + content.varint()
            assert section == (at, first), "section"
        assert content.at == size, "more in the directory"
    assert file.at == len(data), "more behind the end"
    return raw


def main():
    name = sys.argv[1]
    with open(name + ".vcz", "rb") as stream:
        raw = read(stream.read())
    with open(name + ".raw.hex") as stream:
        assert raw == bytes.fromhex(stream.read()), raw.hex()


main()
