"""Compares what gdb shows of variables (in_gdb.py) with what `vestige variable --at` says."""

import math
import struct

NO_TEXT = -1000


def leaves(shown, path=""):
    """Paths and values of what gdb shows; of texts the characters up to the zero."""
    if isinstance(shown, dict):
        if "<text>" in shown:
            text = shown["<text>"]
            end = text.index(0) + 1 if 0 in text else len(text)
            return {"%s[%d]" % (path, i): c & 255 for i, c in enumerate(text[:end])}
        if "<float>" in shown:
            return {path: float(shown["<float>"])}
        if "<union>" in shown:
            return leaves(shown["<union>"], path)
        return {p: v for name, part in shown.items() for p, v in leaves(part, path + "." + name).items()}
    if isinstance(shown, list):
        return {p: v for i, part in enumerate(shown) for p, v in leaves(part, "%s[%d]" % (path, i)).items()}
    return {path: shown}


def told(value, shown, path=""):
    """The same of what vestige says, in the shape of what gdb shows; None is unknown."""
    if isinstance(shown, dict):
        if "<text>" in shown:
            if isinstance(value, str):
                # JSON has no bytes: from the first that is no UTF-8 on nothing can be compared.
                text = list(value[: (value + "\ufffd").index("\ufffd")].encode())
                rest = [NO_TEXT] * len(shown["<text>"]) if "\ufffd" in value else [0]
                return {"%s[%d]" % (path, i): c for i, c in enumerate((text + rest)[: len(shown["<text>"])])}
            return {"%s[%d]" % (path, i): None if c is None else c & 255 for i, c in enumerate(value or [])}
        if "<float>" in shown:
            return {path: value if value is None else float(value)}
        if "<union>" in shown:
            return told(value, shown["<union>"], path)
        found, nameless = {}, 0
        bases = iter([part for key, part in value.items() if key[:1] == "<"] if isinstance(value, dict) else [])
        for name, part in shown.items():
            key = name
            if name[:1] == "<" and name[1:-1].isdigit():
                key, nameless = "", nameless + 1
            if name[:1] == "<" and key:  # a base class, which gdb names in another way
                found.update(told(next(bases, None), part, path + "." + name))
                continue
            inner = value.get(key) if isinstance(value, dict) and (key or nameless == 1) else None
            found.update(told(inner, part, path + "." + name))
        return found
    if isinstance(shown, list):
        return {p: v for i, part in enumerate(shown)
                for p, v in told(value[i] if isinstance(value, list) and i < len(value) else None, part, "%s[%d]" % (path, i)).items()}
    return {path: value}


def as_single(number):
    try:
        return struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return None


def same(told_value, shown):
    if shown in ("null", "pointer"):
        return (told_value == 0) == (shown == "null")
    if isinstance(shown, float):
        close = math.isclose(told_value, shown, rel_tol=1e-12)
        return close or math.isnan(shown) and math.isnan(told_value) or as_single(told_value) == shown
    if isinstance(told_value, bool):
        return int(told_value) == shown
    return told_value == shown or (isinstance(told_value, int) and (told_value - shown) % 2 ** 32 == 0 and min(told_value, shown) < 0)


def plain_path(path):
    """Base classes and members without a name are called otherwise by gdb: all of them <>."""
    out, inside = "", 0
    for character in path.replace("..", ".<>.").replace("..", ".<>."):
        inside += character == "<"
        if not inside or inside == 1 and character == "<":
            out += character
        inside -= character == ">"
        if character == ">" and not inside:
            out += character
    return out


def reason_of(because, path):
    if not because:
        return "no reason"
    plain = {plain_path(key): reason for key, reason in because.items()}
    path = plain_path(path)
    while path not in plain and path:
        path = path[:max(path.rfind("."), path.rfind("["), 0)]
    return plain.get(path, "no reason")


class Comparison:
    """Sums over stops. What differs between the two native builds is not initialized, and does not count."""

    def __init__(self):
        self.sums = {"local": [0, 0], "global": [0, 0]}  # shown by gdb, and known to vestige
        self.reasons, self.different, self.uninitialized = {}, [], 0
        self.not_in_json = 0

    def add(self, where, line, zero, pattern, rows):
        """At a line: a local that is declared there or further on has no value yet (a native build does not set it either, when it is
        declared with a value)."""
        zero = [v for v in zero if not v["local"] or v["argument"] or v["line"] < line]
        other = {(v["name"], v["line"]): leaves(v["value"]) for v in pattern}
        for variable in zero:
            key = variable["name"], variable["line"]
            row = rows.get(key)
            if not row and not variable["local"]:  # gdb gives the line in the class for a static member
                named = [one for (name, _), one in rows.items() if name == variable["name"] and one["kind"] in ("global", "static")]
                row = named[0] if len(named) == 1 else None
            self.add_variable(where, variable, other.get(key, {}), row)

    def add_variable(self, where, variable, other, row):
        said = told(row["value"], variable["value"]) if row else {}
        for path, value in leaves(variable["value"]).items():
            if path not in other or not (other[path] == value or other[path] != other[path] and value != value):
                self.uninitialized += 1
                continue
            if said.get(path) == NO_TEXT:
                self.not_in_json += 1
                continue
            sums = self.sums["local" if variable["local"] else "global"]
            sums[0] += 1
            name = "%s %s%s" % (where, variable["name"], path)
            if said.get(path) is None:
                why = reason_of(row["unknown_because"], path) if row else "vestige has no such variable"
                self.reasons.setdefault(why, []).append(name)
            elif same(said[path], value):
                sums[1] += 1
            else:
                self.different.append("%s: %s in gdb, %s in vestige" % (name, value, said[path]))

    def shown(self):
        return sum(shown for shown, _ in self.sums.values())

    def share(self, kind):
        shown, known = self.sums[kind]
        return 100 * known / shown if shown else 100

    def share_text(self, kind):
        return "%d of %d (%.2f %%)" % (self.sums[kind][1], self.sums[kind][0], self.share(kind))

    def least_share(self):
        return min(map(self.share, self.sums))

    def is_complete(self):
        """Vestige knows all that gdb knows, but what a va_list is made of."""
        return not set(self.reasons) - {"written by va_start()", "written by va_copy()"}

    def without_reason(self):
        return [why for why in self.reasons if why in ("no reason", "")]

    def details(self, examples):
        return ["%d unknown: %s (%s)" % (len(where), why, "; ".join(sorted(set(where))[:examples]))
                for why, where in sorted(self.reasons.items(), key=lambda one: -len(one[1]))] + [
                    "DIFFERENT %s" % text for text in self.different[:10 * examples]]
