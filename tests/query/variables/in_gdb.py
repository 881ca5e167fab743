"""Runs inside gdb: stops at every mark() and writes what gdb says of the caller's variables.

One JSON object per stop: the caller's function, the number of real frames below it, and per variable its name,
line of declaration and value. What gdb cannot tell is left out.
"""

import json
import os

import gdb

SCALARS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM)


def plain(value):
    """The value as JSON; raises gdb.error when gdb does not have it."""
    kind = value.type.strip_typedefs()
    if value.is_optimized_out:
        raise gdb.error("optimized out")
    if kind.code in SCALARS:
        return int(value)
    if kind.code == gdb.TYPE_CODE_FLT:
        return float(value)
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        address = value if kind.code == gdb.TYPE_CODE_PTR else value.referenced_value().address
        return "null" if int(address) == 0 else "pointer"
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        members = {}
        for field in kind.fields():
            if hasattr(field, "bitpos") and not field.artificial and not (field.name or "").startswith("_vptr"):
                try:
                    members["<%s>" % field.name if field.is_base_class else field.name or ""] = plain(value[field])
                except gdb.error:
                    pass
        return members
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        return [plain(value[i]) for i in range(low, min(high, 199) + 1)]
    raise gdb.error("a kind that is not compared")


def variables(frame):
    """Those of the frame's blocks, innermost first, and the globals of its file."""
    block, seen = frame.block(), set()
    while block:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or symbol.name in seen:
                continue
            seen.add(symbol.name)
            try:
                value = plain(symbol.value(frame) if symbol.needs_frame else symbol.value())
            except (gdb.error, RuntimeError):
                continue
            is_union = symbol.type.strip_typedefs().unqualified().code == gdb.TYPE_CODE_UNION
            yield {"name": symbol.name, "line": symbol.line, "value": value, "union": is_union,
                   "global": not symbol.needs_frame and block.is_static or block.is_global}
        if block.is_global:
            return
        # An inlined function's block lies in that of the function around it, which is another frame.
        block = block.static_block if block.function else block.superblock


def real_frames_below(frame):
    below = 0
    while frame.older() and frame.older().is_valid():
        if frame.type() == gdb.NORMAL_FRAME:
            below += 1
        if frame.name() == "main" and frame.type() == gdb.NORMAL_FRAME:
            return below - 1
        frame = frame.older()
    return below - 1 if frame.name() != "main" else below


gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.Breakpoint("*mark")  # its first instruction: a recorded function has several bodies
gdb.execute("run > /dev/null", to_string=True)
with open(os.environ["STOPS"], "w") as out:
    while True:
        try:
            caller = gdb.newest_frame().older()
        except gdb.error:
            break
        function = caller.function()
        json.dump({"function": function.linkage_name, "line": caller.find_sal().line,
                   "depth": real_frames_below(caller), "variables": list(variables(caller))}, out)
        out.write("\n")
        try:
            gdb.execute("continue", to_string=True)
        except gdb.error:
            break
