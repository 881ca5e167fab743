"""What walk_counts prints, as Python values."""
import subprocess
from dataclasses import dataclass, field


@dataclass
class Statement:
    block: int
    op: str
    pseudo: bool
    file: str
    line: int
    column: int
    count: int
    symbol: str
    offset: int
    adds_one: bool


@dataclass
class Function:
    name: str
    unit: str
    file: str
    line: int
    activations: int
    blocks: list = field(default_factory=list)
    statements: list = field(default_factory=list)


def walk_counts(tool, trace):
    """Walks the trace both ways; returns its functions and the tool's last word."""
    done = subprocess.run([tool, trace], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{trace}: {done.stderr}")
    functions = []
    for line in done.stdout.splitlines():
        kind, *rest = line.split("\t")
        if kind == "function":
            name, unit, file, line_number, activations = rest
            functions.append(Function(name, unit, file, int(line_number), int(activations)))
        elif kind == "blocks":
            functions[-1].blocks = [int(count) for count in rest]
        else:
            block, op, pseudo, file, line_number, column, count, symbol, offset, one = rest
            functions[-1].statements.append(Statement(int(block), op, pseudo == "1", file, int(line_number),
                                                      int(column), int(count), symbol, int(offset), one == "1"))
    return functions, done.stderr.strip()
