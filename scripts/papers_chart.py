"""Bars on a logarithmic axis, as SVG."""

import math
from dataclasses import dataclass


@dataclass
class Bar:
    label: str
    value: float
    whose: str  # "paper", "peer" or "vestige"


COLORS = {"paper": "#b8b8b8", "peer": "#7da7d9", "vestige": "#c2572b"}
ROW, LEFT, WIDTH = 18, 250, 460


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def draw(axis, bars):
    bars = [bar for bar in bars if bar.value > 0]
    low = math.floor(math.log10(min(bar.value for bar in bars)) - 0.05)
    high = max(math.ceil(math.log10(max(bar.value for bar in bars))), low + 1)
    x = lambda value: LEFT + WIDTH * (math.log10(value) - low) / (high - low)
    height = ROW * (len(bars) + 3)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{height}" font-family="sans-serif" font-size="11">',
           f'<rect width="100%" height="100%" fill="white"/><text x="{LEFT}" y="14" font-weight="bold">{escaped(axis)}</text>']
    for power in range(low, high + 1):
        out.append(f'<line x1="{x(10.0 ** power):.1f}" x2="{x(10.0 ** power):.1f}" y1="{ROW}" y2="{height - ROW}" stroke="#ddd"/>'
                   f'<text x="{x(10.0 ** power):.1f}" y="{height - 5}" text-anchor="middle">{10.0 ** power:g}</text>')
    for row, bar in enumerate(bars):
        y = ROW * (row + 1) + 5
        out.append(f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escaped(bar.label)}</text>'
                   f'<rect x="{LEFT}" y="{y}" width="{max(1.0, x(bar.value) - LEFT):.1f}" height="{ROW - 4}" fill="{COLORS[bar.whose]}"/>'
                   f'<text x="{x(bar.value) + 4:.1f}" y="{y + 11}">{bar.value:.3g}</text>')
    return "\n".join(out + ["</svg>", ""])
