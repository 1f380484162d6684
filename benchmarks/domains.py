"""How fast tasks are made, on one core.

    OPENBLAS_NUM_THREADS=1 python benchmarks/domains.py               # CAD, half a minute
    OPENBLAS_NUM_THREADS=1 python benchmarks/domains.py --quick       # every tenth
    OPENBLAS_NUM_THREADS=1 python benchmarks/domains.py --env mesh    # minutes: meshes are computed

Each domain makes one task at each difficulty. A CAD task is made by numbers and words alone: no
kernel runs until somebody works on it. The time is processor time of this process, so a shared
machine does not disturb it. Aim: 20 tasks a second, median over the CAD domains told in words; the
last column is how many times that.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterable, Sequence

from cadwright.envs.domains.domain import Domain
from cadwright.envs.domains.family import DIFFICULTIES
from cadwright.envs.domains.registry import domains, generate

AIM_PER_S = 20.0
SEED = 3


def per_second(domain: Domain) -> float:
    """Return the tasks that a domain makes in a second of processor time."""
    generate(domain.id, SEED + 1, 1)  # loads what the domain needs
    start = time.process_time()
    for difficulty in DIFFICULTIES:
        generate(domain.id, SEED, difficulty)
    return len(DIFFICULTIES) / max(time.process_time() - start, 1e-6)


def row(name: str, rates: Sequence[float]) -> str:
    """Return a line of the table."""
    median, slowest = statistics.median(rates), min(rates)
    cells = (name, str(len(rates)), f"{median:.0f}", f"{slowest:.0f}", f"{median / AIM_PER_S:.1f}x")
    return "| " + " | ".join(cells) + " |"


def table(chosen: Iterable[Domain]) -> str:
    """Return rates by environment, operation and modality."""
    rates: dict[str, list[float]] = {}
    for domain in chosen:
        way = f"{domain.env}.{domain.operation}.{domain.modality}"
        rates.setdefault(way, []).append(per_second(domain))
    lines = [
        "| tasks | domains | median/s | slowest/s | aim of 20/s |",
        "|---|---|---|---|---|",
        *(row(way, values) for way, values in sorted(rates.items())),
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every tenth domain")
    parser.add_argument("--env", choices=("cad", "mesh", "browser"), default="cad")
    asked = parser.parse_args()
    chosen = [domain for domain in domains() if domain.env == asked.env]
    chosen = chosen[:: 10 if asked.quick else 1]
    print(table(chosen))


if __name__ == "__main__":
    main()
