"""random_wide.py SEED: a random C program over values that are not simple: long integers, vectors, structures in registers, long
double, half precision, complex numbers. It has no undefined behaviour, ends, and prints a hash of all it computed."""
import random
import sys

pick = random.Random(int(sys.argv[1]))
INTS = ["u128", "i128", "u64", "u32", "u16", "b97", "b200"]
VECTORS = {"v4u": ("u32", 4), "v8h": ("u16", 8), "v16b": ("u8", 16), "v2w": ("u64", 2), "v8u": ("u32", 8), "v2q": ("u128", 2)}
REALS = ["float", "double", "long double", "_Float16"]
REAL_VECTORS = {"v4f": ("float", 4), "v2d": ("double", 2), "v4d": ("double", 4)}
STRUCTS = {"pair": ["u64", "u64"], "mixed": ["double", "u32", "u16"], "small": ["u16", "u16", "float"], "large": ["u64", "u128", "v4u"]}
COMPLEX = ["double _Complex", "float _Complex"]
ALL = INTS + list(VECTORS) + REALS + list(REAL_VECTORS) + list(STRUCTS) + COMPLEX
functions = []


def literal(t):
    if t in VECTORS or t in REAL_VECTORS:
        element, count = (VECTORS | REAL_VECTORS)[t]
        return f"({t}){{{', '.join(literal(element) for _ in range(count))}}}"
    if t in STRUCTS:
        return f"({t}){{{', '.join(literal(m) for m in STRUCTS[t])}}}"
    if t in REALS + COMPLEX:
        return f"({t}){pick.choice(['0.5', '1.25', '-3', '0.0625', '7'])}"
    return f"({t}){pick.getrandbits(pick.choice([3, 16, 60]))}u"


def value(t, names, depth):
    """An expression of type t over variables (name, type)."""
    mine = [n for n, other in names if other == t]
    roll = pick.random()
    if depth <= 0 or roll < 0.15:
        return pick.choice(mine) if mine and roll < 0.9 else literal(t)
    more = lambda other: value(other, names, depth - 1)
    if roll < 0.3:
        callees = [f for f in functions if f[1] == t]
        if callees:
            name, _, takes = pick.choice(callees)
            return f"{name}({', '.join(more(p) for p in takes)})"
    if roll < 0.4:
        return f"({more('u32')} & {pick.choice([1, 4, 64])} ? {more(t)} : {more(t)})"
    if t in STRUCTS:
        return f"({t}){{{', '.join(more(m) for m in STRUCTS[t])}}}"
    if t in VECTORS:
        element, count = VECTORS[t]
        kind = pick.randrange(8)
        if kind == 0:
            same = [o for o, (e, c) in VECTORS.items() if o != t and o not in ("v8u", "v2q") and t not in ("v8u", "v2q")]
            if same:
                return f"({t}){more(pick.choice(same))}"
        if kind == 1:
            lanes = ", ".join(str(pick.randrange(2 * count)) for _ in range(count))
            return f"__builtin_shufflevector({more(t)}, {more(t)}, {lanes})"
        if kind == 2:
            return f"({more(t)} {pick.choice(['/', '%'])} ({more(t)} | 1))"
        if kind == 3:
            return f"({more(t)} {pick.choice(['<<', '>>'])} ({more(t)} & 7))"
        if kind == 4:
            return f"({t})({more(t)} {pick.choice(['<', '==', '>='])} {more(t)})"
        if kind == 5:
            return f"({t}){{{', '.join(more(element) if i < 2 else literal(element) for i in range(count))}}}"
        return f"({more(t)} {pick.choice(['+', '-', '*', '^', '&', '|'])} {more(t)})"
    if t in REAL_VECTORS:
        return f"({more(t)} {pick.choice(['+', '-', '*'])} {more(t)})"
    if t in COMPLEX:
        return f"({more(t)} {pick.choice(['+', '-'])} {more(t)})"
    if t in REALS:
        kind = pick.randrange(5)
        if kind == 0:
            return f"({t})({more('u16')} & 255)"
        if kind == 1:
            return f"({t}){more(pick.choice(REALS))}"
        return f"({more(t)} {pick.choice(['+', '-', '*'])} ({t}){more(t)})"
    kind = pick.randrange(9)
    if kind == 0:
        vector = pick.choice(list(VECTORS))
        return f"({t})({more(vector)})[{pick.randrange(VECTORS[vector][1])}]"
    if kind == 1:
        vector = pick.choice(list(VECTORS))
        return f"({t})({more(vector)})[{more('u32')} & {VECTORS[vector][1] - 1}]"
    if kind == 2:
        struct = pick.choice(list(STRUCTS))
        which = [i for i, m in enumerate(STRUCTS[struct]) if m in INTS]
        return f"({t})({more(struct)}).m{pick.choice(which)}"
    if kind == 3:
        return f"({t}){more(pick.choice(INTS))}"
    if kind == 4:
        left = f"(u128){more(t)}" if t == "i128" else f"({t}){more(t)}"
        return f"({t})({left} {pick.choice(['<<', '>>'])} {pick.choice([str(pick.randrange(16)), f'({more(chr(117) + str(32))} & 15)'])})"
    if kind == 5:
        return f"({t})({more(t)} {pick.choice(['<', '==', '>='])} {more(t)})"
    wide = "u128" if t == "i128" else t
    if kind == 6 and t not in ("b97", "b200"):
        return f"({t})(({wide}){more(t)} {pick.choice(['/', '%'])} (({wide}){more(t)} | 1u))"
    return f"({t})(({wide}){more(t)} {pick.choice(['+', '-', '*' if t not in ('b97', 'b200', 'u16') else '+', '^', '&', '|'])} ({wide}){more(t)})"


def block(names, depth, globals_):
    lines = []
    for _ in range(pick.randrange(2, 5)):
        kind = pick.randrange(6)
        writable = [(n, t) for n, t in names if not n.startswith("k")]
        name, t = pick.choice(writable + globals_ * 2 if writable else globals_)
        if kind < 4 or depth == 0:
            lines.append(f"{name} = {value(t, names + globals_, 3)};")
        elif kind == 4:
            lines.append(f"if ({value('u32', names + globals_, 2)} & 3) {{ {block(names, depth - 1, globals_)} }}")
        else:
            k = f"k{depth}"
            lines.append(f"for (u32 {k} = 0; {k} < {pick.randrange(2, 6)}; ++{k}) {{ {block(names + [(k, 'u32')], depth - 1, globals_)} }}")
    return "\n  ".join(lines)


print("""#include <stdio.h>
#include <string.h>
typedef __int128 i128; typedef unsigned __int128 u128; typedef unsigned long u64; typedef unsigned u32;
typedef unsigned short u16; typedef unsigned char u8; typedef unsigned _BitInt(97) b97; typedef unsigned _BitInt(200) b200;
#define VECTOR(name, element, count) typedef element name __attribute__((ext_vector_type(count)));
static u64 hash = 1469598103934665603u;
static __attribute__((noinline)) void add(const void* p, u64 n) { for (u64 i = 0; i < n; ++i) hash = (hash ^ ((const u8*)p)[i]) * 1099511628211u; }""")
for name, (element, count) in (VECTORS | REAL_VECTORS).items():
    print(f"VECTOR({name}, {element}, {count})")
for name, members in STRUCTS.items():
    print(f"typedef struct {{ {' '.join(f'{m} m{i};' for i, m in enumerate(members))} }} {name};")
globals_ = []
for i, t in enumerate(ALL):
    volatile = "volatile " if pick.random() < 0.1 and t not in STRUCTS else ""
    globals_.append((f"g{i}", t))
    print(f"static {volatile}{t} g{i};")
for f in range(6):
    t = pick.choice(ALL)
    takes = [pick.choice(ALL) for _ in range(pick.randrange(0, 4))]
    names = [(f"a{i}", p) for i, p in enumerate(takes)] + [("r", t)]
    print(f"static {pick.choice(['', '__attribute__((noinline)) '])}{t} f{f}({', '.join(f'{p} a{i}' for i, p in enumerate(takes)) or 'void'}) {{")
    print(f"  {t} r = {literal(t)};\n  {block(names, 1, globals_)}\n  return r;\n}}")
    functions.append((f"f{f}", t, takes))
print("int main(void) {")
print(f"  for (u32 k9 = 0; k9 < 4; ++k9) {{\n  {block([('k9', 'u32')], 2, globals_)}\n  }}")
for name, t in globals_:
    if t in REALS + COMPLEX or t in REAL_VECTORS or t in STRUCTS or t.startswith("b"):
        continue
    print(f"  {{ {t} v = {name}; add(&v, sizeof v); }}")
print('  printf("%lx\\n", hash);\n}')
