"""Curves on logarithmic axes, as SVG text: no library, the same text for the same points.

A figure is a row of panels that share their curves' colours and one legend below; a curve that was cut off, because
its next point took too long, ends in an open circle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

# Told apart by the colour-blind too (Okabe and Ito).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5d5d5d", "#8c2d04", "#4b0082")
_WIDTH, _HEIGHT = 430, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 30, 44
_LEGEND_ROW, _LEGEND_COLUMNS = 18, 4


@dataclass(frozen=True, slots=True)
class Curve:
    """Points in order of x, all positive. `is_cut`: there would be more, had there been time."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. Curves of the same name have the same colour in every panel of a figure."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]


def figure(panels: Sequence[Panel]) -> str:
    """The panels beside one another, with a legend."""
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    colours = {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(names)}
    rows = math.ceil(len(names) / _LEGEND_COLUMNS)
    width, height = _WIDTH * len(panels), _HEIGHT + rows * _LEGEND_ROW + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts += [f'<g transform="translate({number * _WIDTH} 0)">', *_panel(panel, colours), "</g>"]
    for number, name in enumerate(names):
        x = _LEFT + (number % _LEGEND_COLUMNS) * (width - _LEFT) / _LEGEND_COLUMNS
        y = _HEIGHT + 12 + number // _LEGEND_COLUMNS * _LEGEND_ROW
        parts.append(f'<line x1="{x:.1f}" y1="{y - 4}" x2="{x + 18:.1f}" y2="{y - 4}" stroke="{colours[name]}" ')
        parts[-1] += 'stroke-width="2"/>'
        parts.append(f'<text x="{x + 24:.1f}" y="{y}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis from `low` to `high` on the pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        part = (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return self.start + part * (self.end - self.start)


def axis_ends(values: Sequence[float]) -> tuple[float, float]:
    """The marks around all values; never the same twice, so that one value can be drawn too."""
    low, high = min(values, default=1.0), max(values, default=10.0)
    below = [mark for mark in _marks_around(low) if mark <= low]
    above = [mark for mark in _marks_around(high) if mark >= high]
    if below[-1] == above[0]:
        return below[-1], above[1]
    return below[-1], above[0]


def ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... within the axis; only powers of ten where there would be too many."""
    power, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    fine = [factor * 10.0**exponent for exponent in range(power, last + 1) for factor in (1, 2, 5)]
    found = [mark for mark in fine if low * 0.999 <= mark <= high * 1.001]
    if len(found) <= 8:
        return found
    return [mark for mark in found if math.isclose(math.log10(mark), round(math.log10(mark)), abs_tol=1e-9)]


def _marks_around(value: float) -> list[float]:
    power = math.floor(math.log10(value))
    return [factor * 10.0**exponent for exponent in range(power - 1, power + 3) for factor in (1, 2, 5)]


def _panel(panel: Panel, colours: dict[str, str]) -> list[str]:
    points = [point for curve in panel.curves for point in curve.points]
    x_axis = _Axis(*axis_ends([x for x, _ in points]), _LEFT, _WIDTH - _RIGHT)
    y_axis = _Axis(*axis_ends([y for _, y in points]), _HEIGHT - _BOTTOM, _TOP)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts = [f'<text x="{middle:.0f}" y="18" text-anchor="middle" font-weight="bold">{escape(panel.title)}</text>']
    for mark in ticks(x_axis.low, x_axis.high):
        x = x_axis.at(mark)
        parts.append(f'<line x1="{x:.1f}" y1="{y_axis.start}" x2="{x:.1f}" y2="{y_axis.end}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{y_axis.start + 16}" text-anchor="middle">{_number(mark)}</text>')
    for mark in ticks(y_axis.low, y_axis.high):
        y = y_axis.at(mark)
        parts.append(f'<line x1="{x_axis.start}" y1="{y:.1f}" x2="{x_axis.end}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(mark)}</text>')
    bottom = _HEIGHT - 8
    parts.append(f'<text x="{middle:.0f}" y="{bottom}" text-anchor="middle">{escape(panel.x_label)}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_TOP - 8}" text-anchor="end">{escape(panel.y_label)}</text>')
    for curve in panel.curves:
        parts += _curve(curve, colours[curve.name], x_axis, y_axis)
    return parts


def _curve(curve: Curve, colour: str, x_axis: _Axis, y_axis: _Axis) -> list[str]:
    places = [(x_axis.at(x), y_axis.at(y)) for x, y in curve.points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'] if len(places) > 1 else []
    for number, (x, y) in enumerate(places):
        is_end = curve.is_cut and number == len(places) - 1
        fill = "white" if is_end else colour
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if is_end else 3}" fill="{fill}" stroke="{colour}" ')
        parts[-1] += 'stroke-width="1.5"/>'
    return parts


def _number(value: float) -> str:
    if value >= 10_000:
        return f"{value / 1000:,.0f}k" if value < 1e6 else f"{value / 1e6:g}M"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
