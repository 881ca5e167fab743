"""Mutations of C source, one token each: operators, constants, conditions."""
import re
from dataclasses import dataclass

SWAPS = [("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("&&", "||"), ("||", "&&"), ("++", "--"), ("--", "++"),
         ("+=", "-="), ("-=", "+="), ("<<", ">>"), (">>", "<<"), ("<", "<="), (">", ">="), ("+", "-"), ("-", "+"),
         ("*", "+"), ("/", "*"), ("%", "/"), ("&", "|"), ("|", "&"), ("^", "&")]
# Longest first. Words, numbers, strings and comments are tokens, so nothing inside of them is touched.
TOKEN = re.compile(r'/\*.*?\*/|//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\.\d+\w*|\d+\w*|'
                   r'->|\+\+|--|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|\S')
BINARY = {"<", ">", "+", "-", "*", "/", "%", "&", "|", "^"}


@dataclass(frozen=True)
class Mutation:
    file: str
    line: int  # from 1
    column: int
    old: str
    new: str

    def apply(self, text):
        lines = text.split("\n")
        line = lines[self.line - 1]
        assert line.startswith(self.old, self.column)
        lines[self.line - 1] = line[:self.column] + self.new + line[self.column + len(self.old):]
        return "\n".join(lines)

    def __str__(self):
        return f"{self.file.rsplit('/', 1)[-1]}:{self.line}: {self.old} → {self.new}"


def of_line(file, number, line):
    """All mutations of one line of code."""
    if line.lstrip().startswith(("#", "*", "/*", "case", "default")) or line.rstrip().endswith("\\"):
        return
    swaps = dict(SWAPS)
    before = ""
    for match in TOKEN.finditer(line):
        token = match.group()
        if token in swaps:
            # A sign, a pointer or a dereference is no binary operator.
            operand = before and (before[-1].isalnum() or before[-1] in "_)]")
            spaced = line[match.start() - 1:match.start()] == " " and line[match.end():match.end() + 1] == " "
            if token not in BINARY or operand and (spaced or token in "<>"):
                yield Mutation(file, number, match.start(), token, swaps[token])
        elif token.isdigit() and before not in ("goto",) and len(token) < 7:
            yield Mutation(file, number, match.start(), token, str(int(token) + 1))
        elif token == "(" and before in ("if", "while"):
            yield Mutation(file, number, match.start(), token, "(!")
        before = token


def extent(lines, number):
    """The lines (from 1) of the statement that this line is a part of, roughly: between ; { and }."""
    ends = (";", "{", "}", ":", "*/")
    first = last = number
    while first > 1 and (above := lines[first - 2].split("//")[0].strip()) and not above.endswith(ends) \
            and not above.startswith("#"):
        first -= 1
    while last < len(lines) and not lines[last - 1].split("//")[0].split("/*")[0].strip().endswith(ends):
        last += 1
        if last - number > 12:
            break
    return range(first, last + 1)
