#!/usr/bin/python3
"""A second reader of .vst files, written from docs/format.md alone: slow, plain, and strict.

    vst_reader.py info TRACE              totals, as `vestige info --json` counts them
    vst_reader.py walk TRACE [THREAD]     one line per block and event, as `vestige walk --json`; all threads by default

Everything in the file is read and checked on the way: checksums, directory, order, stacks at chunk starts. The first thing
that is not as the document says raises FormatError. Functions are printed by their linkage names, events without their text.
"""
import json
import struct
import sys

import xxhash
import zstandard


class FormatError(Exception):
    pass


def require(condition, what):
    if not condition:
        raise FormatError(what)


NONE = None


class Bytes:
    """Reads the primitive types of "Conventions" from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        require(self.at + n <= len(self.data), "cut short")
        piece = self.data[self.at:self.at + n]
        self.at += n
        return piece

    def rest(self):
        return self.take(len(self.data) - self.at)

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
            require(shift < 70, "a varint of more than ten bytes")

    def svarint(self):
        return unzigzag(self.varint())

    def string(self):
        return self.take(self.varint()).decode("utf-8", "replace")

    def index(self):
        value = self.varint()
        return value - 1 if value else NONE

    def list(self, item):
        return [item() for _ in range(self.varint())]


def unzigzag(value):
    return value >> 1 if value % 2 == 0 else -(value >> 1) - 1


def checksum(*pieces):
    state = xxhash.xxh3_64(seed=0)
    for piece in pieces:
        state.update(piece)
    return state.intdigest()


def expand(frame, size):
    raw = zstandard.ZstdDecompressor().decompress(frame, max_output_size=size) if size else b""
    require(len(raw) <= size, "a zstd frame expands to more than it may")
    return raw


def unsqueeze(data):
    if data[0] == 0:
        return data[1:]
    require(data[0] == 1, "squeezed in an unknown way")
    bytes_ = Bytes(data)
    bytes_.u8()
    size = bytes_.varint()
    frame = bytes_.rest()
    require(size <= min(64 * len(frame) + 65536, 1 << 30), "expands out of proportion")
    raw = expand(frame, size)
    require(len(raw) == size, "expands to another size than it says")
    return raw


# ---- the file -----------------------------------------------------------------------------------

FILE_MAGIC = bytes.fromhex("895653540d0a1a0a")
TRAILER_MAGIC = bytes.fromhex("00565354454e4400")
META, PROCESS, MODULE, THREAD, CONTROL, END, DIRECTORY = range(1, 8)
SYNC_CHUNK = 10


class Chunk:
    def __init__(self, kind, offset, sequence, payload):
        self.kind, self.offset, self.sequence, self.payload = kind, offset, sequence, payload


def read_chunks(data):
    """All chunks of a complete file in file order, the directory last; every checksum looked at."""
    require(len(data) >= 64 + 32, "too short")
    require(data[:8] == FILE_MAGIC, "not a trace")
    major, _minor, flags = struct.unpack_from("<HHI", data, 8)
    require(struct.unpack_from("<Q", data, 56)[0] == checksum(data[:56]), "file header checksum")
    require(major == 1 and flags == 0, "an unknown version")
    trace_id = data[16:32]
    directory_at, size = struct.unpack_from("<QQ", data, len(data) - 32)
    require(data[-16:-8] == TRAILER_MAGIC and size == len(data), "no trailer")
    require(struct.unpack_from("<Q", data, len(data) - 8)[0] == checksum(data[-32:-8]), "trailer checksum")

    chunks = []
    at = 64
    while at < len(data) - 32:
        magic, kind, chunk_flags, payload_size, sequence, payload_sum, header_sum = struct.unpack_from("<4sHHQQQQ", data, at)
        require(magic == b"VCHK" and chunk_flags == 0, f"no chunk at byte {at}")
        require(header_sum == checksum(trace_id, data[at:at + 32]), f"header checksum at byte {at}")
        end = at + 40 + payload_size
        require(end <= len(data) - 32, f"the chunk at byte {at} is cut short")
        payload = data[at + 40:end]
        require(payload_sum == checksum(payload), f"payload checksum at byte {at}")
        require(not chunks or sequence > chunks[-1].sequence, "sequence")
        chunks.append(Chunk(kind, at, sequence, payload))
        at = end + -end % 8
        require(not any(data[end:at]), "padding")
    require(at == len(data) - 32, "chunks end where the trailer begins")
    require(chunks and chunks[-1].kind == DIRECTORY and chunks[-1].offset == directory_at, "the directory is last")
    require(chunks[0].kind == META, "meta is first")
    return chunks


def check_directory(chunks):
    bytes_ = Bytes(unsqueeze(chunks[-1].payload))
    count = bytes_.varint()
    require(count == len(chunks) - 1, "the directory has a row for every chunk before it")
    offset = 0
    for chunk in chunks[:-1]:
        kind, offset, size = bytes_.varint(), offset + bytes_.varint(), bytes_.varint()
        require((kind, offset, size) == (chunk.kind, chunk.offset, len(chunk.payload)), "a directory row")
        if kind == CONTROL:
            row = [bytes_.varint() for _ in range(6)]
            control = Control(chunk.payload)
            require(row == [control.thread, control.first_time, control.path_count, len(control.stack_section),
                            len(control.event_section), len(control.word_section)], "a directory row of a control chunk")


# ---- word codecs --------------------------------------------------------------------------------

WORD_BLOCK = 131072


def block_sizes(words):
    return [min(WORD_BLOCK, words - at) for at in range(0, words, WORD_BLOCK)]


def read_differences(bytes_, count):
    words, last = [], 0
    for _ in range(count):
        last += bytes_.svarint()
        require(0 <= last < 1 << 32, "a dictionary word")
        words.append(last)
    return words


def decode_packed(data):
    bytes_ = Bytes(data)
    sizes = block_sizes(bytes_.varint())
    dictionary = read_differences(bytes_, bytes_.varint())
    rows = [(bytes_.u8(), bytes_.varint()) for _ in sizes]
    words = []
    for count, (width, size) in zip(sizes, rows):
        require(width in (1, 2, 4, 8, 16, 32), "a width")
        expected = (count * width + 7) // 8
        packed = expand(bytes_.take(size), expected)
        require(len(packed) == expected, "a packed block's size")
        if width < 8:
            per_byte, mask = 8 // width, (1 << width) - 1
            indices = [packed[i // per_byte] >> (i % per_byte * width) & mask for i in range(count)]
        else:
            indices = struct.unpack(f"<{count}{ {8: 'B', 16: 'H', 32: 'I'}[width] }", packed)
        words += [dictionary[i] for i in indices]
    require(bytes_.at == len(data), "bytes behind the last block")
    return words


K = 0x9e3779b1
MASK = 0xffffffff


def decode_context(data):
    bytes_ = Bytes(data)
    sizes = block_sizes(bytes_.varint())
    lengths = [bytes_.varint() for _ in sizes]
    words, trained = [], None
    for number, (count, length) in enumerate(zip(sizes, lengths)):
        table = [(0, 0)] * (1 << 14) if number == 0 else list(trained)
        words += decode_context_block(bytes_.take(length), count, table)
        if number == 0:
            trained = table
    require(bytes_.at == len(data), "bytes behind the last block")
    return words


def bits_of(section):
    for byte in section:
        for bit in range(8):
            yield byte >> bit & 1


def decode_context_block(data, count, table):
    bytes_ = Bytes(data)
    section_sizes = [bytes_.varint() for _ in range(4)]
    entries, width = bytes_.varint(), bytes_.u8()
    require(width in (1, 2, 4), "a width")
    limits = [(count + 7) // 8, (count + 7) // 8, count * width, entries * 10]
    flags, seconds, misses, dictionary = [expand(bytes_.take(size), limit) if size else b""
                                          for size, limit in zip(section_sizes, limits)]
    require(bytes_.at == len(data), "bytes behind a block's sections")
    require(len(flags) == limits[0], "flags")
    flag_bits, second_bits, miss_bytes, in_dictionary = bits_of(flags), bits_of(seconds), Bytes(misses), Bytes(dictionary)
    dictionary_words = read_differences(in_dictionary, entries)
    require(in_dictionary.at == len(dictionary), "a dictionary's size")
    words = []
    a = b = c = seconds_used = 0
    for flag in flag_bits:
        if len(words) == count:
            require(flag == 0, "padding bits")
            continue
        bk, ck = b * K & MASK, c * K & MASK
        index = ((a * K + (bk << 13 | bk >> 19) + (ck << 23 | ck >> 9)) & MASK) >> 18
        word, other = table[index]
        if flag:
            before = word
            word = other
            seconds_used += 1
            if next(second_bits):
                word = dictionary_words[int.from_bytes(miss_bytes.take(width), "little")]
            table[index] = word, before
        words.append(word)
        a, b, c = word, a, b
    require(miss_bytes.at == len(misses), "misses left over")
    require(len(seconds) == (seconds_used + 7) // 8, "seconds left over")
    return words


CODECS = {1: decode_packed, 2: decode_context}

# ---- function records ---------------------------------------------------------------------------

BRANCH, CALL, TAIL_CALL, RETURN, SYNC, UNWIND, STOP, INDIRECT = range(8)
OP_CALL, OP_LOAD, OP_STORE, OP_CMPXCHG, OP_ATOMICRMW = 99, 49, 50, 53, 54


class Statement:
    def __init__(self, bytes_, number, location):
        self.op = bytes_.u8()
        flags = bytes_.u8()
        self.pseudo = flags & 1 != 0
        self.type = bytes_.varint()
        self.location = location + bytes_.svarint()  # plus one
        self.callee = bytes_.varint() if flags & 2 else NONE
        self.attributes = bytes_.list(bytes_.varint) if flags & 4 else []
        self.operands = []
        for _ in range(bytes_.varint()):
            value = bytes_.varint()
            kind, value = value % 5, value // 5
            self.operands.append((kind, number - unzigzag(value) if kind == 0 else value))


class Segment:
    def __init__(self, bytes_):
        self.block, self.first_statement, self.statement_count = bytes_.varint(), bytes_.varint(), bytes_.varint()
        self.start, self.end = divmod(bytes_.u8(), 16)
        require(self.start <= 4 and self.end <= 7, "a segment's kinds")
        self.edges = [(value >> 1, value & 1) for value in bytes_.list(bytes_.varint)]


class Path:
    """A path taken apart: its segments, and what the document says follows from them."""

    def __init__(self, function, segments):
        first, last = segments[0], segments[-1]
        self.function = function
        self.enters = first.start == 1
        self.leaves = last.end in (TAIL_CALL, RETURN, UNWIND)
        self.blocks = [s.block for s in segments if s.start != 2]
        self.syncs = sum(s.end == SYNC for s in segments)
        self.statements = self.loads = self.stores = 0
        for segment in segments:
            for statement in function.statements[segment.first_statement:segment.first_statement + segment.statement_count]:
                self.count(function, statement)

    def count(self, function, statement):
        if statement.pseudo:
            return
        self.statements += 1
        callee = function.symbols[statement.callee] if statement.op == OP_CALL and statement.callee is not NONE else ""
        copies = callee.startswith(("llvm.memcpy", "llvm.memmove"))
        both = statement.op in (OP_CMPXCHG, OP_ATOMICRMW) or copies
        self.loads += both or statement.op == OP_LOAD
        self.stores += both or statement.op == OP_STORE or callee.startswith("llvm.memset")


class Function:
    def __init__(self, record):
        bytes_ = Bytes(record)
        version = bytes_.varint()
        require(version in (1, 2, 3, 4, 5), "a function record's version")
        self.name, self.unit = bytes_.string(), bytes_.string()
        self.files = bytes_.list(bytes_.string)
        self.file, self.line = bytes_.index(), bytes_.varint()
        self.scopes, self.types, self.symbols = (bytes_.list(bytes_.string) for _ in range(3))
        self.arguments = bytes_.list(bytes_.varint)
        self.constants = bytes_.list(lambda: self.constant(bytes_))
        self.locations = bytes_.list(
            lambda: (bytes_.index(), bytes_.varint(), bytes_.varint(), bytes_.index(), bytes_.index()))
        self.loops = bytes_.list(lambda: (bytes_.varint(), bytes_.index()))
        self.statements, self.blocks = [], []
        location = 0
        for _ in range(bytes_.varint()):
            loop, successors, parents = bytes_.index(), bytes_.list(bytes_.varint), bytes_.list(bytes_.varint)
            first, count = len(self.statements), bytes_.varint()
            for number in range(first, first + count):
                self.statements.append(Statement(bytes_, number, location))
                location = self.statements[-1].location
            self.blocks.append((first, count, loop, successors, parents))
        self.segments = bytes_.list(lambda: Segment(bytes_))
        self.path_count = bytes_.varint()
        self.source_types, self.variables, self.bindings, self.data = [], [], [], []
        if version >= 2:
            self.read_variables(bytes_, version >= 5)
        require(bytes_.at == len(record), "bytes behind a function record")
        self.number_paths()

    def read_variables(self, bytes_, addresses_in_data):
        self.source_types = bytes_.list(lambda: self.source_type(bytes_))
        self.variables = bytes_.list(lambda: self.variable(bytes_))
        position = 0
        for _ in range(bytes_.varint()):
            position += bytes_.varint()
            require(position < len(self.statements), "a binding's position")
            self.bindings.append(self.binding(bytes_, position))
        def address():
            offset, symbol = bytes_.varint(), bytes_.index()
            return offset, symbol, 0 if symbol == NONE else bytes_.svarint()

        self.data = bytes_.list(lambda: (bytes_.varint(), bytes_.take(bytes_.varint()),
                                         bytes_.list(address) if addresses_in_data else []))

    @staticmethod
    def source_type(bytes_):
        kind, name, size = bytes_.u8(), bytes_.string(), bytes_.varint()
        require(kind <= 10, "a type's kind")
        parts = []
        if kind == 8:
            parts = bytes_.list(lambda: (bytes_.string(), bytes_.svarint()))
        if kind == 9:
            parts = bytes_.list(lambda: (bytes_.string(), bytes_.varint(), bytes_.varint(), bytes_.varint()))
        if kind == 10:
            parts = [bytes_.varint()]
        return kind, name, size, parts

    @staticmethod
    def variable(bytes_):
        name, type_, location, parameter = bytes_.string(), bytes_.varint(), bytes_.index(), bytes_.varint()
        symbol = bytes_.varint() if parameter & 1 else NONE
        return name, type_, location, parameter >> 1, symbol

    @staticmethod
    def binding(bytes_, position):
        flags, variable = bytes_.u8(), bytes_.varint()
        require(flags & 7 <= 6, "a binding's kind")
        part = (bytes_.varint(), bytes_.varint()) if flags & 8 else None
        operands = []
        for _ in range(flags >> 5):
            kind, number = (lambda v: (v % 4, v // 4))(bytes_.varint())
            if kind == 0:
                number = position - unzigzag(number)
            if kind == 2:
                number = unzigzag(number - 1) if number else int.from_bytes(bytes_.take(8), "little")
            operands.append((kind, number, bytes_.svarint() if kind == 3 else 0))

        def step():
            kind = bytes_.u8()
            return kind, bytes_.varint() if kind in (0, 1, 15, 16) else 0

        return position, variable, flags & 7, part, operands, bytes_.list(step) if flags & 16 else []

    @staticmethod
    def constant(bytes_):
        kind, type_ = bytes_.u8(), bytes_.varint()
        require(kind <= 8, "a constant's kind")
        if kind in (0, 1):
            return kind, type_, bytes_.take(bytes_.varint())
        if kind == 4:
            return kind, type_, bytes_.varint(), bytes_.svarint()
        if kind == 5:
            return kind, type_, bytes_.list(bytes_.varint)
        if kind == 7:
            return kind, type_, bytes_.u8(), bytes_.list(bytes_.varint)
        return kind, type_

    def number_paths(self):
        self.paths = [None] * len(self.segments)
        for root in range(len(self.segments)):
            open_ = [root]
            while open_:
                at = open_[-1]
                segment = self.segments[at]
                missing = [t for t, cut in segment.edges if segment.end == BRANCH and not cut and self.paths[t] is None]
                if missing:
                    require(len(open_) <= len(self.segments), "a cycle of uncut edges")
                    open_.append(missing[0])
                    continue
                self.paths[at] = sum(map(self.along, segment.edges)) if segment.end == BRANCH else 1
                open_.pop()
        total = sum(self.paths[s] for s, segment in enumerate(self.segments) if segment.start)
        require(total == self.path_count, "the path count")

    def along(self, edge):
        target, cut = edge
        return 1 if cut else self.paths[target]

    def take_apart(self, number):
        at = 0
        while self.segments[at].start == 0 or number >= self.paths[at]:
            if self.segments[at].start:
                number -= self.paths[at]
            at += 1
        taken = []
        while True:
            segment = self.segments[at]
            taken.append(segment)
            if segment.end != BRANCH:
                break
            for edge in segment.edges:
                if number < self.along(edge):
                    break
                number -= self.along(edge)
            if edge[1]:
                break
            at = edge[0]
        return Path(self, taken)

    def place(self, block):
        """File, line and column of a block: those of its first statement that is somewhere in particular."""
        first, count = self.blocks[block][:2]
        for statement in self.statements[first:first + count]:
            if statement.location and self.locations[statement.location - 1][1]:
                file, line, column = self.locations[statement.location - 1][:3]
                return (NONE if file is NONE else self.files[file]), line, column
        return NONE, 0, 0


# ---- chunks -------------------------------------------------------------------------------------

EVENTS = {2: "module_load", 3: "module_unload", 4: "fatal_signal", 5: "handler_begin", 6: "handler_end", 7: "abandoned",
          8: "thread_create", 9: "thread_join", 10: "fork", 11: "unregistered"}


def read_change(bytes_):
    keep, path, time, frames = bytes_.varint(), 0, 0, []
    for _ in range(bytes_.varint()):
        path += bytes_.svarint()
        time += bytes_.svarint()
        frames.append((path, time))
    return keep, frames


def apply_change(stack, change):
    keep, frames = change
    require(keep <= len(stack), "a stack change keeps more than there is")
    return stack[:keep] + frames


class Control:
    def __init__(self, payload):
        bytes_ = Bytes(payload)
        self.thread, self.first_time, self.path_count = bytes_.varint(), bytes_.varint(), bytes_.varint()
        self.codec = bytes_.u8()
        stack_size, event_size = bytes_.varint(), bytes_.varint()
        self.stack_section, self.event_section = bytes_.take(stack_size), bytes_.take(event_size)
        self.word_section = bytes_.rest()

    def stack(self):
        """The stack change, and the depths before the second, third … block of words."""
        bytes_ = Bytes(unsqueeze(self.stack_section))
        change, depths = read_change(bytes_), []
        for _ in block_sizes(self.path_count)[1:]:
            depths.append((depths[-1] if depths else 0) + bytes_.svarint())
        return change, depths

    def words(self):
        require(self.codec in CODECS, "an unknown codec")
        words = CODECS[self.codec](self.word_section)
        require(len(words) == self.path_count, "as many words as paths")
        return words

    def events(self):
        """(time, kind, numbers, stack change or None) of each."""
        events, time = [], 0
        if not self.event_section:
            return events
        bytes_ = Bytes(unsqueeze(self.event_section))
        for _ in range(bytes_.varint()):
            kind = bytes_.u8()
            time += bytes_.varint()
            if kind == 1:
                reason = bytes_.u8()
                events.append((time, ("unwound", "gap", "switched")[reason], [], read_change(bytes_)))
            else:
                events.append((time, EVENTS.get(kind, "?"), bytes_.list(bytes_.varint), None))
        return events


class Sync:
    """A chunk of synchronization operations: (kind, result, time, stamp, object, other) of each."""

    def __init__(self, payload):
        bytes_ = Bytes(payload)
        self.thread, self.first, self.count, self.atomics, self.last_time = (bytes_.varint() for _ in range(5))
        self.operations, time, stamp = [], 0, 0
        while len(self.operations) < self.count:
            count = bytes_.varint()
            require(1 <= count <= 4096, "a block's operations")
            columns = Bytes(unsqueeze(bytes_.take(bytes_.varint())))
            whats = [columns.varint() for _ in range(count)]
            times = [time := time + columns.varint() for _ in range(count)]
            stamps = [stamp := stamp + columns.varint() for _ in range(count)]
            entry = 0
            entries = [entry := entry + columns.svarint() for _ in range(columns.varint())]
            objects = [entries[columns.varint()] for _ in range(count)]
            for what, at, when, object_ in zip(whats, times, stamps, objects):
                other = object_ + columns.svarint() & (1 << 64) - 1 if what % 256 in (8, 9, 12, 15) else None
                self.operations.append((what % 256, what // 256, at, when, object_, other))
            require(columns.at == len(columns.data), "bytes behind the columns")
        require(len(self.operations) == self.count, "as many operations as the head says")
        require(sum(op[0] >= 32 for op in self.operations) == self.atomics, "as many atomic operations")
        require(self.operations[-1][2] == self.last_time, "the last operation's time")


class Trace:
    def __init__(self, data):
        self.file_bytes = len(data)
        chunks = read_chunks(data)
        check_directory(chunks)
        self.meta, self.processes, self.modules, self.threads = {}, [], [], []
        self.functions, self.controls, self.ends, self.syncs = [], [], {}, []
        for chunk in chunks:
            bytes_ = Bytes(chunk.payload)
            if chunk.kind == META:
                self.meta = dict(bytes_.list(lambda: (bytes_.string(), bytes_.string())))
            elif chunk.kind == PROCESS:
                self.add(self.processes, bytes_.varint(), {
                    "pid": bytes_.varint(), "parent_pid": bytes_.varint(), "forked_from": bytes_.index(),
                    "executable": bytes_.string(), "arguments": bytes_.list(bytes_.string)})
            elif chunk.kind == MODULE:
                self.add_module(Bytes(unsqueeze(chunk.payload)))
            elif chunk.kind == THREAD:
                self.add(self.threads, bytes_.varint(), {
                    "process": bytes_.varint(), "tid": bytes_.varint(), "handler": bytes_.u8() == 1,
                    "parent": bytes_.index(), "parent_time": bytes_.varint()})
                self.controls.append([])
            elif chunk.kind == CONTROL:
                control = Control(chunk.payload)
                self.controls[control.thread].append(control)
            elif chunk.kind == SYNC_CHUNK:
                sync = Sync(chunk.payload)
                before = sum(s.count for s in self.syncs if s.thread == sync.thread)
                require(sync.first == before, "the operations before it")
                self.syncs.append(sync)
            elif chunk.kind == END:
                of, index, reason = bytes_.u8(), bytes_.varint(), bytes_.u8()
                self.ends[of, index] = reason, bytes_.svarint(), bytes_.varint()
        self.functions.sort(key=lambda entry: entry[0])
        self.known_paths = {}

    @staticmethod
    def add(list_, index, item):
        require(index == len(list_), "indices count from 0 in the order of their chunks")
        list_.append(item)

    def add_module(self, bytes_):
        index, name, load_address = bytes_.varint(), bytes_.string(), bytes_.varint()
        first, count = bytes_.varint(), bytes_.varint()
        functions = bytes_.list(lambda: (first + bytes_.varint(), Function(bytes_.take(bytes_.varint()))))
        for first_path, function in functions:
            require(first <= first_path and first_path + function.path_count <= first + count, "a function's path ids")
        self.add(self.modules, index, {"name": name, "load_address": load_address, "functions": len(functions)})
        self.functions += functions

    def path(self, id_):
        if id_ not in self.known_paths:
            low, high = 0, len(self.functions)
            while low < high:  # the last function that begins at or before the id
                middle = (low + high) // 2
                low, high = (middle + 1, high) if self.functions[middle][0] <= id_ else (low, middle)
            require(low > 0, f"path id {id_}")
            first, function = self.functions[low - 1]
            require(id_ < first + function.path_count, f"path id {id_}")
            self.known_paths[id_] = function.take_apart(id_ - first)
        return self.known_paths[id_]

    def steps(self, thread):
        """The thread's history: ("path", time, depth, Path) and ("event", time, depth, kind, numbers), in order."""
        stack, at_last_chunk, time = [], [], None
        for control in self.controls[thread]:
            change, depths = control.stack()
            at_last_chunk = apply_change(at_last_chunk, change)
            require(time is None or at_last_chunk == stack, f"the stack at the start of time {control.first_time}")
            stack = list(at_last_chunk)
            require(time is None or control.first_time == time + 1, "first times follow each other")
            time = control.first_time - 1
            events = iter(control.events() + [(float("inf"), "", [], None)])
            event = next(events)
            for id_ in control.words() + [None]:
                while event[0] <= time:
                    if event[3]:
                        stack = apply_change(stack, event[3])
                    yield "event", event[0], len(stack), event[1], event[2]
                    event = next(events)
                if id_ is None:
                    break
                time += 1
                path = self.path(id_)
                if path.enters or not stack:
                    stack.append(None)
                stack[-1] = id_, time
                yield "path", time, len(stack) - 1, path
                if path.leaves:
                    stack.pop()
                block, within = divmod(time + 1 - control.first_time, WORD_BLOCK)
                if within == 0 and block <= len(depths):
                    require(depths[block - 1] == len(stack), f"the depth behind time {time}")
            require(event[0] == float("inf"), "an event behind its chunk")
        end = self.ends.get((0, thread))
        require(end is None or time is None or end[2] == time, "the paths an end chunk counts")

    def walk(self, thread):
        """Rows as `vestige walk --level block --json` gives them, without the text of events."""
        for kind, time, depth, *what in self.steps(thread):
            if kind == "event":
                yield {"kind": "event", "thread": thread, "time": time, "depth": depth, "event": what[0], "numbers": what[1]}
                continue
            path = what[0]
            for block in path.blocks:
                file, line, column = path.function.place(block)
                yield {"kind": "block", "thread": thread, "time": time, "depth": depth, "function": path.function.name,
                       "block": f"B{block}", "file": file, "line": line, "column": column}

    def info(self):
        totals = dict.fromkeys(("paths", "blocks", "statements", "loads", "stores", "sync_ops"), 0)
        for thread in range(len(self.threads)):
            for kind, _time, _depth, *what in self.steps(thread):
                if kind != "path":
                    continue
                totals["paths"] += 1
                totals["blocks"] += len(what[0].blocks)
                totals["statements"] += what[0].statements
                totals["loads"] += what[0].loads
                totals["stores"] += what[0].stores
                totals["sync_ops"] += what[0].syncs
        stamps = [op[3] for sync in self.syncs for op in sync.operations]
        require(len(stamps) == len(set(stamps)), "stamps are unique")
        totals["sync_ops"] += sum(sync.count - sync.atomics for sync in self.syncs)
        controls = [control for list_ in self.controls for control in list_]
        ends = ("exited", "killed", "execed", "stopped", "unknown")

        def end_of(of, index):
            reason, status, _paths = self.ends.get((of, index), (4, 0, 0))
            return {"end": ends[reason], "status": status}

        return {
            "threads": len(self.threads), "processes": len(self.processes), "modules": len(self.modules),
            "functions": len(self.functions), **totals, "file_bytes": self.file_bytes, "what": self.meta.get("what"),
            "meta": self.meta,
            "sections": {"control": sum(len(c.word_section) for c in controls),
                         "stack": sum(len(c.stack_section) for c in controls),
                         "events": sum(len(c.event_section) for c in controls)},
            "process_list": [{**process, **end_of(1, i)} for i, process in enumerate(self.processes)],
            "thread_list": [{**thread, **end_of(0, i), "thread": i, "paths": sum(c.path_count for c in self.controls[i]),
                             "first_time": self.controls[i][0].first_time if self.controls[i] else 1}
                            for i, thread in enumerate(self.threads)],
            "module_list": self.modules,
        }


def main(arguments):
    command, file, *rest = arguments
    with open(file, "rb") as stream:
        trace = Trace(stream.read())
    if command == "info":
        print(json.dumps(trace.info()))
        return
    for thread in [int(rest[0])] if rest else range(len(trace.threads)):
        for row in trace.walk(thread):
            print(json.dumps(row))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("info", "walk"):
        sys.exit(__doc__)
    try:
        main(sys.argv[1:])
    except FormatError as error:
        sys.exit(f"{sys.argv[2]}: not as docs/format.md says: {error}")
