"""Programs beside those of bench/record, in kind the second paper's: a compiler (its gcc), a Lisp whose calls nest as deep as they are written (its li), a
solver (its espresso and vpr), and an interpreter that parses text (its parser). All from Debian's sources."""

import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/real"))
import programs  # noqa: E402  (how the real programs are built)

CALLS = """
(define (fib n) (if (< n 2) 1 (+ (fib (- n 1)) (fib (- n 2)))))
(define (down n) (if (= n 0) 0 (+ 1 (down (- n 1)))))
(define (sum l) (if (empty? l) 0 (+ (first l) (sum (rest l)))))
(define (queens n r c d e) (if (= r n) 1 (apply + (map (lambda (i)
  (if (or (find i c) (find (+ r i) d) (find (- r i) e)) 0
    (queens n (+ r 1) (cons i c) (cons (+ r i) d) (cons (- r i) e)))) (sequence 0 (- n 1))))))
(for (i 1 {rounds}) (println (down 150)) (println (sum (sequence 1 100))))
(println (fib {fib}))
(println (queens {queens} 0 '() '() '()))
(exit)
"""
WORDS = "{ for (i = 1; i <= NF; ++i) { n[$i]++; t += length($i) } if ($0 ~ /[a-z]+_t [*]?[a-z]/) ++m; s = s + NF * 1.5 } END { for (w in n) if (n[w] > 99) ++k; print k, t, m, s }"


def build_tcc(folder, cc, cxx, flags):
    programs.sh(folder, f"./configure --cc=clang-19 && {cc} {flags} -w -DONE_SOURCE=1 tcc.c -o tcc -lm -ldl -lpthread")


def build_newlisp(folder, cc, cxx, flags):
    programs.sh(folder, f"{cc} {flags} -w -DLINUX -DNEWLISP64 newlisp.c nl-symbol.c nl-math.c nl-list.c nl-liststr.c nl-string.c nl-filesys.c nl-sock.c "
                        "nl-import.c nl-xml-json.c nl-web.c nl-matrix.c nl-debug.c pcre.c -o newlisp -lm -ldl")


def build_minisat2(folder, cc, cxx, flags):
    programs.build_minisat2(folder, cc, str(cxx).replace("vestige-cc", "vestige-c++"), flags)


# By name: how it is built, and what comes of that; how it may end; the scale of its log.
BUILDERS = {
    "tcc": (build_tcc, "tcc"),
    "newlisp": (build_newlisp, "newlisp"),
    "minisat2": (build_minisat2, "minisat-core"),
    "mawk": (programs.build_mawk, "mawk"),
}
STATUSES = {"minisat2": (10, 20)}  # satisfiable, not
SCALES = {"tcc": 4, "newlisp": 1, "minisat2": 1, "mawk": 1}


def clauses(file, variables, count):
    """A random formula of three literals a clause, the same every time."""
    pick = random.Random(1)
    lines = [" ".join(str(v if pick.random() < 0.5 else -v) for v in pick.sample(range(1, variables + 1), 3)) + " 0" for _ in range(count)]
    file.write_text(f"p cnf {variables} {count}\n" + "\n".join(lines) + "\n")


def given(kept, work, name, scale):
    """Arguments and input of a run."""
    file = work / f"{name}.input"
    if name == "newlisp":
        file.write_text(CALLS.format(rounds=int(60 * scale), fib=22, queens=6))
        return ["-s", "20000", str(file)], None
    if name == "minisat2":
        clauses(file, 170, 725)
        return ["-verb=0", "-cpu-lim=3600", str(file)], None
    if name == "mawk":
        headers = sorted(pathlib.Path("/usr/include").rglob("*.h"))
        file.write_bytes(b"".join(header.read_bytes() for header in headers if header.is_file())[:int(2_500_000 * scale)])
        return [WORDS, str(file)], None
    # tcc: itself, several times, and expressions nested deeply.
    source = kept / "tcc-recorded"
    deep = "".join(f"int f{i}(int x) {{ return {'(' * 120}x{f'+{i})' * 120}; }}\n" for i in range(100))
    (work / "deep.c").write_text(deep)
    copies = []
    for i in range(int(scale)):
        copy = source / f"copy{i}.c"
        copy.write_bytes((source / "tcc.c").read_bytes())
        copies.append(str(copy))
    return ["-nostdinc", f"-B{source}", f"-I{source}/include", f"-I{source}", "-I/usr/include/x86_64-linux-gnu", "-I/usr/include", "-DONE_SOURCE=1", "-c",
            *copies, str(work / "deep.c")], None
