"""`python build.py bench [--json] [--only NAME] [--runs N]`: prints what each benchmark measured."""

import argparse
import dataclasses
import json

from tests.bench.host import BenchHost
from tests.bench.measure import Row
from tests.bench.suite import BENCHMARKS


def main() -> None:
    parser = argparse.ArgumentParser(prog="build.py bench")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--only", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}")
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each (default 5)")
    options = parser.parse_args()
    if options.only and options.only not in BENCHMARKS:
        parser.error(f"no benchmark {options.only!r}; there are {', '.join(BENCHMARKS)}")
    with BenchHost() as host:
        for name in [options.only] if options.only else BENCHMARKS:
            for row in BENCHMARKS[name](host, options.runs):
                print(json.dumps(dataclasses.asdict(row)) if options.json else line(row), flush=True)


def line(row: Row) -> str:
    text = f"{row.name:<44} {row.value:>9.1f} {row.unit}"
    if row.baseline is None or row.ratio is None:
        return text
    aim = "" if row.aim is None else f"  (aim {row.aim:g} or less)"
    return f"{text:<58} baseline {row.baseline:>8.1f}   ratio {row.ratio:5.2f}{aim}"


if __name__ == "__main__":
    main()
