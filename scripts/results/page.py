"""What a page of docs/results is made of: a paper's own figures, and which of our measurements answers them."""

import math
from dataclasses import dataclass, field
from typing import Callable

from measured import column


@dataclass
class Picture:
    name: str
    title: str
    draw: Callable  # of chart
    of: Callable  # what it draws, of our tables


@dataclass
class Paper:
    name: str
    title: str
    about: str
    figures: str
    commands: list
    pictures: list
    differs: str
    rows: dict = field(default_factory=dict)  # of the paper's own tables, by the title of ours
    methods: dict = field(default_factory=dict)  # by the title of ours: how it was measured, and in what the paper measured otherwise; where the benchmark does not print it


def records(text):
    """Lines of words: a name, then numbers as the paper prints them."""
    return [line.split() for line in text.strip().splitlines()]


def named(rows):
    return [[f"{name} (paper)", *cells] for name, *cells in rows]


def lines(tables, first, *names):
    """Rows of the tables that have these columns: the first column and those named."""
    for table in tables:
        at = [column(table, name) for name in (first, *names)]
        if None not in at:
            for row in table[1:]:
                yield [row[place] for place in at]


def geomean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0
