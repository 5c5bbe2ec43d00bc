"""Draw the curves of a stored result of ``benchmarks.scale``: cost and memory of each stage by number of notes.

python -m benchmarks.scale.picture benchmarks/results/DATE-scale-without-models.json docs/images/scale.svg
"""

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_COLOURS = ("#1d4f91", "#a4262c", "#1a6b3c", "#7a5c00", "#6b3fa0", "#555f69")
_WIDTH, _PANEL, _HEIGHT, _TOP, _LEFT = 900, 300, 330, 40, 70
_LEGEND_X = 720


def main() -> None:
    """Read the result and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path, help="JSON of a stored result")
    parser.add_argument("target", type=Path, help="SVG to write")
    arguments = parser.parse_args()
    content = json.loads(arguments.result.read_text(encoding="utf-8"))
    arguments.target.write_text(picture(content) + "\n", encoding="utf-8")


def picture(content: Mapping[str, Any]) -> str:
    """Return an SVG of core-seconds for 1,000 notes and of peak memory, both by number of notes."""
    by_notes = {
        int(table["title"].split()[0].replace(",", "")): {row[0]: row[1:] for row in table["rows"]}
        for table in content["tables"]
        if table["title"].endswith(" notes") and table["title"][0].isdigit()
    }
    sizes = sorted(by_notes)
    largest = by_notes[sizes[-1]]
    stages = sorted(largest, key=lambda name: -(largest[name][1] + largest[name][2]))[: len(_COLOURS)]
    costs = {name: [1_000 * (by_notes[n][name][1] + by_notes[n][name][2]) / n for n in sizes] for name in stages}
    memory = {name: [by_notes[n][name][3] for n in sizes] for name in stages}
    title = f"Core-seconds for 1,000 notes, and peak megabytes, of each stage by number of notes ({content['date']})"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{title}"'
            ' font-family="system-ui, sans-serif" font-size="12">',
            f"<title>{title}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
            *_panel("core-seconds for 1,000 notes", sizes, costs, _LEFT),
            *_panel("peak MB of a stage", sizes, memory, _LEFT + _PANEL + 40),
            *(
                f'<rect x="{_LEGEND_X}" y="{_TOP + 20 * i}" width="10" height="10" fill="{_COLOURS[i]}"/>'
                f'<text x="{_LEGEND_X + 16}" y="{_TOP + 9 + 20 * i}">{name}</text>'
                for i, name in enumerate(stages)
            ),
            "</svg>",
        ]
    )


def _panel(title: str, sizes: Sequence[int], curves: Mapping[str, Sequence[float]], left: int) -> list[str]:
    """Return one panel: the number of notes on a logarithmic axis, and values from zero."""
    width, bottom = _PANEL - 60, _HEIGHT - 40
    highest = max(max(values) for values in curves.values())
    power = 10.0 ** math.floor(math.log10(highest))
    step: float = next(s for s in (power / 5, power / 2, power, 2 * power) if highest / s <= 6)

    def x(notes: int) -> float:
        low, high = math.log10(sizes[0]), math.log10(sizes[-1])
        return round(left + width * (math.log10(notes) - low) / (high - low), 1)

    def y(value: float) -> float:
        return round(bottom - (bottom - _TOP) * value / (step * math.ceil(highest / step)), 1)

    parts = [f'<text x="{left}" y="{_TOP - 16}" font-weight="600">{title}</text>']
    for tick in range(math.ceil(highest / step) + 1):
        at = y(tick * step)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{at}" y2="{at}" stroke="#d5dbe0"/>')
        parts.append(f'<text x="{left - 8}" y="{at + 4}" text-anchor="end" fill="#55606a">{tick * step:,g}</text>')
    parts.extend(
        f'<text x="{x(notes)}" y="{bottom + 18}" text-anchor="middle" fill="#55606a">{notes:,}</text>'
        for notes in sizes
    )
    for colour, values in zip(_COLOURS, curves.values(), strict=False):
        points = [(x(notes), y(value)) for notes, value in zip(sizes, values, strict=True)]
        joined = " ".join(f"{a},{b}" for a, b in points)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.extend(f'<circle cx="{a}" cy="{b}" r="3.5" fill="{colour}"/>' for a, b in points)
    return parts


if __name__ == "__main__":
    main()
