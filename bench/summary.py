"""The head of docs/results.md: where raceproof stands against others, taken from the tables below it.

    python bench/summary.py            prints it
    python bench/summary.py --write    and puts it into docs/results.md

What others reach was measured or published elsewhere and is written down here; what raceproof reaches is read from the
tables that the other scripts have written. A table that is not there gives no line.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.results import RESULTS, markdown_table, read_block, replace_block

Row = dict[str, str]
Line = tuple[str, str, str]
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_OTHER_VARIANT = "another variant"


def tables(block: str) -> list[list[Row]]:
    """The tables of a block, each row by the names of its columns; of columns with the same name the first counts."""
    found: list[list[Row]] = []
    lines = [line.strip() for line in block.splitlines()]
    for number, line in enumerate(lines):
        if not line.startswith("| ---"):
            continue
        head = _cells(lines[number - 1])
        rows: list[Row] = []
        for row in lines[number + 1 :]:
            if not row.startswith("|"):
                break
            rows.append(dict(reversed(list(zip(head, _cells(row), strict=False)))))
        found.append(rows)
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(text)]


def number(text: str) -> float:
    found = numbers(text)
    return found[0] if found else 0.0


def executions(block: str) -> list[Line]:
    """Rates against the better of two others on the same program, and the longest program of all."""
    rows = tables(block)[0] if tables(block) else []
    ratios = [
        number(row["executions/s"]) / max(numbers(row["others /s"]))
        for row in rows
        if row["others /s"] and _OTHER_VARIANT not in row["others /s"] and " h" not in row["others /s"]
    ]
    lines = []
    if ratios:
        middle = sorted(ratios)[len(ratios) // 2]
        ours = f"{min(ratios):,.0f} to {max(ratios):,.0f} times as many, {middle:,.0f} in the middle"
        what = f"executions a second, {len(ratios)} programs with known traces"
        lines.append((what, ours, "the better of nidhugg (optimal) and GenMC, in each program"))
    for row in rows:
        if " h" in row["others /s"]:
            what = f"all {row['traces']} traces of {row['program']}"
            lines.append((what, f"{number(row['CPU s']):,.0f} s", f"nidhugg / GenMC: {row['others /s']}"))
    return lines


def rare_race(block: str) -> list[Line]:
    found = [row for table in tables(block)[1:] for row in table if row.get("program", "").startswith("rare race")]
    others = "GenMC: execution 924 of 925; nidhugg does not look for races"
    return [("a race behind 6+6 locked sections", f"found in execution {row['executions']}", others) for row in found]


def own_programs(block: str) -> list[Line]:
    """All engines together on our own programs; the others had other programs, of the same kinds."""
    for row in tables(block)[0] if tables(block) else ():
        if row["engines"] == "all":
            races, proved = (next(k for k in row if k.startswith(s)) for s in ("races executed", "proved"))
            racy, free = int(number(races)), int(number(proved))
            ours = f"{row[races]} of {racy} races executed, {row[proved]} of {free} others proved, {row['wrong']} wrong"
            others = "on 455 others: ThreadSanitizer 69 to 86 % of the races, helgrind 65 % and 12 false alarms of 213"
            return [("small programs with known verdicts", ours, others)]
    return []


def corpus(block: str) -> list[Line]:
    rows = {row["truth"]: row for table in tables(block) for row in table if "truth" in row}
    if not rows:
        return []
    said = [f"{rows[truth][truth]} of {sum(number(v) for k, v in rows[truth].items() if k != 'truth'):.0f} {truth}"
            for truth in ("race-free", "race")]  # fmt: skip
    wrong = re.search(r"(\d+) wrong", block)
    score = re.search(r"score (\d+) of (\d+)", block)
    ours = ", ".join([*said, *([f"{wrong[1]} wrong"] if wrong else [])])
    if score:
        ours += f": {100 * int(score[1]) / int(score[2]):.0f} % of the points"
    others = (
        "on all 1,029 tasks of SV-COMP 2025: Goblint 78 % of the points, RacerF 74 %, all 13 together, ideally, 97 %"
    )
    return [("SV-COMP tasks at hand", ours, others)]


def nets(block: str) -> list[Line]:
    found = re.search(r"Decided correctly, evidence accepted: (\d+) of (\d+), (\d+) of them within 5 s", block)
    if found is None:
        return []
    ours = f"{found[3]} of {found[2]} decided within 5 s, all answers checked"
    return [("Petri nets", ours, "of another sample of 62: mist 31, BFC 45, ICover 46 within 5 s")]


def real_programs(block: str) -> list[Line]:
    rows = tables(block)[0] if tables(block) else []
    if not rows or "lines" not in rows[0]:
        return []
    looked = [row for row in rows if number(row["pairs"])]
    pairs, proved = (sum(number(row[name]) for row in looked) for name in ("pairs", "proved"))
    lines = sum(number(row["lines"]) for row in looked)
    raced = sum(number(row["races executed"]) > 0 for row in rows)
    ours = f"{len(looked)} of {len(rows)} programs, {lines:,.0f} lines: {proved:,.0f} of {pairs:,.0f} pairs proved"
    ours += f", races executed in {raced}"
    return [("real programs, whole", ours, "not compared")]


SOURCES: Sequence[tuple[str, Callable[[str], list[Line]]]] = (
    ("explore", executions),
    ("explore", rare_race),
    ("unproved", own_programs),
    ("corpus", corpus),
    ("petri", nets),
    ("real", real_programs),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"put it into docs/{RESULTS.name}")
    args = parser.parse_args()
    lines = [line for name, read in SOURCES for line in read(read_block(name))]
    table = markdown_table(("what", "raceproof", "others"), lines, left=3)
    print(table)
    if args.write:
        replace_block("summary", f"`.venv/bin/python bench/summary.py --write`\n\n{table}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
