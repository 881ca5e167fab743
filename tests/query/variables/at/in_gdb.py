"""Runs inside gdb. With $POINTS it stops at the points of $POINTS (JSON: number, file, line, hit) and writes what gdb shows there to $STOPS, one
JSON object per point: the locals and arguments of the frame, innermost block first, and the globals of its file.

Without $POINTS it stops in mark() and shows the caller.

Members and elements are followed as far as `vestige variable --at` shows them. A pointer is "pointer" or "null"."""

import json
import os

import gdb

SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM)
MOST_ELEMENTS, MOST_LEAVES = 200, 2000


class Full(Exception):
    pass


def plain(value, left):
    kind = value.type.strip_typedefs()
    if value.is_optimized_out:
        raise gdb.error("optimized out")
    if left[0] <= 0:
        raise Full()
    if kind.code in SCALARS:
        left[0] -= 1
        return int(value)
    if kind.code == gdb.TYPE_CODE_FLT:
        left[0] -= 1
        return {"<float>": repr(float(value))}
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        left[0] -= 1
        address = value if kind.code == gdb.TYPE_CODE_PTR else value.referenced_value().address
        return "null" if int(address) == 0 else "pointer"
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        members = {}
        nameless = 0
        for field in kind.fields():
            if not hasattr(field, "bitpos") or field.artificial or (field.name or "").startswith("_vptr"):
                continue
            name = "<%s>" % field.name if field.is_base_class else field.name
            if not name:
                name, nameless = "<%d>" % nameless, nameless + 1
            try:
                members[name] = plain(value[field], left)
            except gdb.error:
                pass
            except Full:
                break
        return {"<union>": members} if kind.code == gdb.TYPE_CODE_UNION else members
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        found = []
        for i in range(low, min(high, MOST_ELEMENTS - 1) + 1):
            try:
                found.append(plain(value[i], left))
            except Full:
                break
        target = kind.target().strip_typedefs().unqualified()
        if target.code == gdb.TYPE_CODE_INT and target.sizeof == 1 and target.name and "char" in target.name:
            return {"<text>": found}
        return found
    raise gdb.error("a kind that is not compared")


def variables(frame):
    block, seen = frame.block(), set()
    place = frame.find_sal().symtab
    # Of a header's function many units have a copy, and gdb takes one of them for the one that was linked.
    ambiguous = place is not None and place.filename.endswith((".h", ".hpp"))
    while block:
        if ambiguous and (block.is_static or block.is_global):
            return
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or symbol.name in seen:
                continue
            seen.add(symbol.name)
            try:
                value = plain(symbol.value(frame) if symbol.needs_frame else symbol.value(), [MOST_LEAVES])
            except (gdb.error, RuntimeError, Full):
                continue
            yield {"name": symbol.name.rsplit("::", 1)[-1], "line": symbol.line, "value": value, "local": symbol.needs_frame,
                   "argument": symbol.is_argument}
        if block.is_global:
            return
        block = block.static_block if block.function else block.superblock


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set breakpoint pending on")
gdb.execute("set auto-load off", to_string=True)
points = json.load(open(os.environ["POINTS"])) if "POINTS" in os.environ else []
gdb.execute("set args %s < %s > /dev/null 2>&1" % (os.environ.get("ARGUMENTS", ""), os.environ.get("INPUT", "/dev/null")))
by_line = {}
for point in points:
    by_line.setdefault((point["file"], point["line"]), []).append(point)
out = open(os.environ["STOPS"], "w")
waiting = {}


def give(point, **what):
    json.dump({"number": point["number"], **what}, out)
    out.write("\n")
    out.flush()


if not points:
    gdb.Breakpoint("mark")  # each file has its own
    gdb.execute("run", to_string=True)
    number = 0
    while gdb.selected_inferior().pid:
        caller = gdb.newest_frame().older()
        give({"number": number}, line=caller.find_sal().line, variables=list(variables(caller)))
        number += 1
        try:
            gdb.execute("continue", to_string=True)
        except gdb.error:
            break
    gdb.execute("quit")

# Executions count from the first constructor on: the libraries are there, and nothing of them has run.
gdb.execute("break main")
gdb.execute("set stop-on-solib-events 1")
gdb.execute("run", to_string=True)
while gdb.newest_frame().name() != "main" and not any("libc.so" in (file.filename or "") for file in gdb.objfiles()):
    gdb.execute("continue", to_string=True)
gdb.execute("set stop-on-solib-events 0")
gdb.execute("delete")
for (file, line), those in by_line.items():
    those.sort(key=lambda point: point["hit"])
    try:
        places = [place for place in gdb.decode_line("%s:%d" % (file, line))[1] or [] if place.line == line]
    except gdb.error:
        places = []
    if len(places) != 1:
        for point in those:
            give(point, skipped="gdb has %d places for the line" % len(places))
        continue
    breakpoint = gdb.Breakpoint("*%d" % places[0].pc)
    block = gdb.block_for_pc(places[0].pc)
    while block and not block.function:
        block = block.superblock
    if block and block.start == places[0].pc:
        # A function on one line. Its arguments are where they should be behind what comes before its statements.
        breakpoint.delete()
        breakpoint = gdb.Breakpoint("%s:%d" % (file, line))
    breakpoint.ignore_count = those[0]["hit"] - 1
    waiting[breakpoint.number] = (breakpoint, those)

last = []
gdb.events.stop.connect(lambda event: last.append(event))
while waiting:
    last.clear()
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:
        break
    if not last or not isinstance(last[-1], gdb.BreakpointEvent):
        if not gdb.selected_inferior().pid:
            break
        if last and isinstance(last[-1], gdb.SignalEvent):
            continue
        break
    frame = gdb.newest_frame()
    for breakpoint in last[-1].breakpoints:
        _, those = waiting[breakpoint.number]
        point = those.pop(0)
        give(point, function=frame.name(), variables=list(variables(frame)))
        if those:
            breakpoint.ignore_count = those[0]["hit"] - breakpoint.hit_count - 1
        else:
            del waiting[breakpoint.number]
            breakpoint.delete()
for _, those in waiting.values():
    for point in those:
        give(point, skipped="gdb did not come there")
