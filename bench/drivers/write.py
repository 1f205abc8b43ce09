"""Write the drivers: `python bench/drivers/write.py` puts uart.c, disk.c, nic.c, audio.c and camera.c beside this file.

The files are kept in the repository; `--check` says whether they are what this script writes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.drivers import parts
from bench.drivers.parts import Part

HERE = Path(__file__).resolve().parent
HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
"""
CHOICES = (2, 3, 4, 5, 6, 7)


@dataclass(frozen=True, slots=True)
class Driver:
    """`rounds`: how often each thread calls its parts. `units`: a name and a part each."""

    name: str
    about: str
    rounds: int
    units: tuple[tuple[str, Part], ...]


DRIVERS = (
    Driver(
        "uart",
        "a serial line: commands, a log of errors, frames, counters",
        2,
        (
            ("line", parts.COMMAND),
            ("errors", parts.LOG),
            ("frame", parts.CHECKSUM),
            ("traffic", parts.STATISTICS),
            ("mode", parts.PHASES),
            ("modem", parts.MAILBOX),
            ("breaks", parts.BARE_STATISTICS),
            ("fifo", parts.SPLIT),
            ("shared_irq", parts.SHARED_LINE),
            ("shutdown", parts.STOPPING),
            ("echo", parts.CHECKSUM),
            ("parity", parts.COMMAND),
            ("xon", parts.DONE_BITS),
            ("pending", parts.QUEUE),
            ("baud", parts.PHASES),
        ),
    ),
    Driver(
        "disk",
        "a disk: request queues, a cache with references, pages at a limit",
        2,
        (
            ("queue", parts.QUEUE),
            ("cache", parts.REFERENCES),
            ("pages", parts.PAGES),
            ("seek", parts.COMMAND),
            ("smart", parts.LATE_LOG),
            ("journal", parts.LOG),
            ("sector", parts.CHECKSUM),
            ("removal", parts.STOPPING),
            ("spin_up", parts.PHASES),
            ("bounce", parts.SPLIT),
            ("transfers", parts.STATISTICS),
            ("trim", parts.QUEUE),
            ("format", parts.CHECKSUM),
            ("power", parts.MAILBOX),
            ("flush", parts.PAGES),
        ),
    ),
    Driver(
        "nic",
        "a network card: credits, rings, start and stop",
        3,
        (
            ("transmit", parts.CREDITS),
            ("receive", parts.LOG),
            ("link", parts.PHASES),
            ("filter", parts.SPLIT),
            ("reset", parts.LATE_STOPPING),
            ("firmware", parts.COMMAND),
            ("descriptor", parts.QUEUE),
            ("header", parts.CHECKSUM),
            ("packets", parts.STATISTICS),
            ("wake", parts.PLAIN_FLAG),
            ("negotiation", parts.DONE_BITS),
            ("bonding", parts.SHARED_LINE),
            ("mac", parts.MAILBOX),
            ("pause_frames", parts.PAGES),
            ("trailer", parts.CHECKSUM),
            ("flow", parts.CREDITS),
            ("multicast", parts.QUEUE),
        ),
    ),
    Driver(
        "audio",
        "a sound card: buffers that are split, periods, volume",
        2,
        (
            ("playback", parts.SPLIT),
            ("capture", parts.SPLIT),
            ("period", parts.MAILBOX),
            ("volume", parts.COMMAND),
            ("codec", parts.PHASES),
            ("underruns", parts.BARE_STATISTICS),
            ("stream", parts.REFERENCES),
            ("close", parts.STOPPING),
            ("midi", parts.LOG),
            ("sample", parts.CHECKSUM),
            ("ticks", parts.STATISTICS),
            ("mixer", parts.DONE_BITS),
            ("events", parts.QUEUE),
            ("surround", parts.COMMAND),
            ("metering", parts.CHECKSUM),
        ),
    ),
    Driver(
        "camera",
        "a camera: everything at once, twice",
        3,
        (
            ("exposure", parts.COMMAND),
            ("focus", parts.COMMAND),
            ("frames", parts.LOG),
            ("lines", parts.LATE_LOG),
            ("sensor", parts.PHASES),
            ("flash", parts.MAILBOX),
            ("shutter", parts.MAILBOX),
            ("bayer", parts.SPLIT),
            ("jpeg", parts.CHECKSUM),
            ("raw", parts.CHECKSUM),
            ("buffers", parts.REFERENCES),
            ("unplug", parts.STOPPING),
            ("suspend", parts.LATE_STOPPING),
            ("bandwidth", parts.CREDITS),
            ("memory", parts.PAGES),
            ("calibration", parts.DONE_BITS),
            ("usage", parts.STATISTICS),
            ("faults", parts.BARE_STATISTICS),
            ("jobs", parts.QUEUE),
            ("line_sharing", parts.SHARED_LINE),
            ("metadata", parts.QUEUE),
            ("thumbnail", parts.CHECKSUM),
            ("gain", parts.PHASES),
            ("button", parts.PLAIN_FLAG),
        ),
    ),
)


def driver_text(driver: Driver) -> str:
    return "".join(_text(driver))


def _text(driver: Driver) -> Iterator[str]:
    yield f"/* {driver.about}. Written by bench/drivers/write.py. */\n{HEAD}"
    for number, (name, part) in enumerate(driver.units):
        n, k = (CHOICES[at % len(CHOICES)] for at in (number + 2, 5 * number + 1))
        yield Template(part.text).substitute(p=name, n=n, k=k)
    for role, call in (("control", "sum += {}_control(round);"), ("worker", "sum += {}_worker(round);")):
        calls = [call.format(name) for name, part in driver.units if role in part.roles]
        yield _thread(f"{role}_thread", driver.rounds, ["    int sum = 0;\n"], calls, "sum > 0 ? arg : NULL")
    interrupts = [f"{name}_interrupt(round);" for name, part in driver.units if "interrupt" in part.roles]
    yield _thread("interrupt_thread", driver.rounds, [], interrupts, "arg")
    yield "\nint main(int argc, char **argv) {\n    pthread_t user, device, deferred;\n    (void)argv;\n"
    yield from (f"    {name}_configure(argc);\n" for name, part in driver.units if "configure" in part.roles)
    yield "    pthread_create(&user, NULL, control_thread, NULL);\n"
    yield "    pthread_create(&device, NULL, interrupt_thread, NULL);\n"
    yield "    pthread_create(&deferred, NULL, worker_thread, NULL);\n"
    yield from (f"    {name}_stop();\n" for name, part in driver.units if "stop" in part.roles)
    yield "    pthread_join(user, NULL);\n    pthread_join(device, NULL);\n    pthread_join(deferred, NULL);\n"
    yield "    return 0;\n}\n"


def _thread(name: str, rounds: int, before: Sequence[str], calls: Sequence[str], result: str) -> str:
    lines = [
        f"\nstatic void *{name}(void *arg) {{\n",
        *before,
        f"    for (int round = 0; round < {rounds}; round++) {{\n",
    ]
    lines += [f"        {call}\n" for call in calls]
    return "".join((*lines, "    }\n", f"    return {result};\n}}\n"))


def main() -> int:
    parser = argparse.ArgumentParser(description="write the drivers of the table")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a file is another one")
    args = parser.parse_args()
    different = []
    for driver in DRIVERS:
        path, text = HERE / f"{driver.name}.c", driver_text(driver)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            different.append(path.name)
            if not args.check:
                path.write_text(text, encoding="utf-8")
    print(f"{'differ' if args.check else 'written'}: {', '.join(different) or 'none'}")
    return 1 if args.check and different else 0


if __name__ == "__main__":
    raise SystemExit(main())
