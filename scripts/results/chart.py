"""Bars, shares and curves as SVG."""

import math
from dataclasses import dataclass


@dataclass
class Bar:
    label: str
    value: float
    whose: str  # a key of COLORS


@dataclass
class Share:
    label: str
    parts: dict  # name: percent


@dataclass
class Stack:
    label: str
    parts: dict  # name: how much


GREY, BLUE, GREEN, ORANGE, YELLOW = "#b8b8b8", "#7da7d9", "#8fbf8f", "#c2572b", "#d9c27d"
COLORS = {"paper": GREY, "vestige": ORANGE,
          "gzip -9": BLUE, "zstd -19": GREEN, "vestige -9": ORANGE,
          "general compressors": BLUE, "the paper's best, ours": GREEN, "compress": BLUE, "send": YELLOW, "decompress": GREEN,
          "scheme 1": GREY, "scheme 2": BLUE, "scheme 3": GREEN, "scheme 4": ORANGE,
          "tier 2, ours": BLUE, "our files": ORANGE,
          "times": BLUE, "values": ORANGE, "edges": YELLOW}
SERIES = ("#c2572b", "#3b6ea5", "#4c8f4c", "#8a5fa8", "#a8862a", "#555555")
ROW, GAP, LEFT, WIDTH = 18, 8, 250, 460


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def page(height, title, body):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{height}" font-family="sans-serif" font-size="11">',
                      f'<rect width="100%" height="100%" fill="white"/><text x="{LEFT}" y="14" font-weight="bold">{escaped(title)}</text>',
                      *body, "</svg>", ""])


def legend(names, colors, y):
    out, x = [], LEFT
    for name in names:
        out.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colors[name]}"/><text x="{x + 14}" y="{y}">{escaped(name)}</text>')
        x += 34 + 7 * len(name)
    return out


def powers(values):
    """The powers of ten around them, and where a value lies between."""
    low = math.floor(math.log10(min(values)) - 0.05)
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return range(low, high + 1), lambda value: (math.log10(value) - low) / (high - low)


def number_text(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def bars(title, found):
    """On a logarithmic axis. Neighbours with one label are a group."""
    found = [bar for bar in found if bar.value > 0]
    marks, place = powers([bar.value for bar in found])
    x = lambda value: LEFT + WIDTH * place(value)
    grouped = any(a.label == b.label for a, b in zip(found, found[1:]))
    body, y, label = [], 2 * ROW + 5, None
    for bar in found:
        if bar.label != label:
            y += GAP if grouped and label is not None else 0
            label = bar.label
            body.append(f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escaped(label)}</text>')
        body.append(f'<rect x="{LEFT}" y="{y}" width="{max(1.0, x(bar.value) - LEFT):.1f}" height="{ROW - 4}" fill="{COLORS[bar.whose]}"/>'
                    f'<text x="{x(bar.value) + 4:.1f}" y="{y + 11}">{number_text(bar.value)}</text>')
        y += ROW
    axis = []
    for power in marks:
        axis.append(f'<line x1="{x(10.0 ** power):.1f}" x2="{x(10.0 ** power):.1f}" y1="{2 * ROW}" y2="{y + 4}" stroke="#ddd"/>'
                    f'<text x="{x(10.0 ** power):.1f}" y="{y + 18}" text-anchor="middle">{number_text(10.0 ** power)}</text>')
    return page(y + 26, title, [*legend(dict.fromkeys(bar.whose for bar in found), COLORS, ROW + 12), *axis, *body])


def shares(title, found):
    """Parts of a hundred percent."""
    out = legend(found[0].parts, COLORS, ROW + 12)
    for row, share in enumerate(found):
        y, x = ROW * (row + 2) + 5, float(LEFT)
        out.append(f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escaped(share.label)}</text>')
        for name, percent in share.parts.items():
            width = WIDTH * percent / 100
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 4}" fill="{COLORS[name]}"/>')
            if percent >= 6:
                out.append(f'<text x="{x + width / 2:.1f}" y="{y + 11}" text-anchor="middle">{percent:.0f} %</text>')
            x += width
    return page(ROW * (len(found) + 3), title, out)


def stacks(title, found):
    """Parts one behind the other, their sum at the end."""
    widest = max(sum(stack.parts.values()) for stack in found)
    out = legend(found[0].parts, COLORS, ROW + 12)
    for row, stack in enumerate(found):
        y, x = ROW * (row + 2) + 5, float(LEFT)
        out.append(f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escaped(stack.label)}</text>')
        for name, value in stack.parts.items():
            width = WIDTH * value / widest
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 4}" fill="{COLORS[name]}"/>')
            x += width
        out.append(f'<text x="{x + 4:.1f}" y="{y + 11}">{number_text(sum(stack.parts.values()))}</text>')
    return page(ROW * (len(found) + 3), title, out)


def apart(places, least):
    """The places, in their order from above, moved down where two are nearer than that."""
    moved, last = {}, -math.inf
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        moved[name] = last = max(place, last + least)
    return moved


def curves(title, across, series):
    """Lists of points by name; the height is logarithmic."""
    marks, place = powers([y for points in series.values() for _, y in points])
    widest = max(x for points in series.values() for x, _ in points)
    top, bottom = 30, 290
    x = lambda value: LEFT + WIDTH * value / widest
    y = lambda value: bottom - (bottom - top) * place(value)
    out = []
    for power in marks:
        out.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(10.0 ** power):.1f}" y2="{y(10.0 ** power):.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end">{number_text(10.0 ** power)}</text>')
    power = 10.0 ** math.floor(math.log10(widest / 3))
    step = max(n * power for n in (1, 2, 5) if n * power <= widest / 3)
    for mark in range(int(widest / step) + 1):
        out.append(f'<text x="{x(mark * step):.1f}" y="{bottom + 16}" text-anchor="middle">{number_text(mark * step)}</text>')
    out.append(f'<text x="{LEFT + WIDTH / 2}" y="{bottom + 32}" text-anchor="middle">{escaped(across)}</text>')
    labels = apart({name: y(points[-1][1]) for name, points in series.items()}, 12)
    for color, (name, points) in zip(SERIES, series.items()):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{color}"/>' for a, b in points]
        out.append(f'<text x="{x(points[-1][0]) + 8:.1f}" y="{labels[name] + 4:.1f}" fill="{color}">{escaped(name)}</text>')
    return page(bottom + 44, title, out)
