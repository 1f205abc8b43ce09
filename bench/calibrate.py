"""Show how well the size of generated programs meets the size asked for.

python bench/calibrate.py                  sizes 1,000 to 100,000, three seeds each
python bench/calibrate.py 3000 --seeds 10
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.generate import generate
from bench.measure import compile_to_ir, count_by_function, simplified_ir
from bench.synth import Options

_GLOBAL = re.compile(r"^@(?!\.str|__const)\S+ = (?!external).*(?:global|constant)", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description="compare the size of generated programs with the size asked for")
    parser.add_argument("sizes", type=int, nargs="*", default=[1000, 5000, 20_000, 100_000], metavar="N")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--races", type=int, default=0, metavar="K")
    args = parser.parse_args()
    print("| asked | seed | estimate | IR instructions | off | functions | per function | per global |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    worst = 0.0
    for size in args.sizes:
        for seed in range(1, args.seeds + 1):
            generated = generate(Options(size, seed, args.races))
            with tempfile.TemporaryDirectory() as directory:
                source = Path(directory) / "program.c"
                source.write_text(generated.text, encoding="utf-8")
                ir = simplified_ir(compile_to_ir(source))
            counts = count_by_function(ir)
            total = sum(counts.values())
            off = total / size - 1
            worst = max(worst, abs(off))
            print(
                f"| {size:,} | {seed} | {generated.estimate:,} | {total:,} | {off:+.1%} | {len(counts):,}"
                f" | {total / len(counts):.0f} | {total / len(_GLOBAL.findall(ir)):.0f} |"
            )
    print(f"\nWorst: {worst:.1%}.")
    return 0 if worst <= 0.15 else 1


if __name__ == "__main__":
    raise SystemExit(main())
