"""Records as the runtime writes them: what `protocol.parse` reads, for records that are kept."""

from __future__ import annotations

from urllib.parse import quote

from raceproof.explore.protocol import BoundedRecord, OtherRecord, OutputRecord, RaceRecord
from raceproof.ir import SiteId
from raceproof.model import Run

Kept = RaceRecord | OtherRecord | BoundedRecord | OutputRecord


def format_record(record: Kept) -> str:
    return "\t".join(_fields(record))


def _fields(record: Kept) -> tuple[str, ...]:
    match record:
        case RaceRecord():
            (a, b), (thread_a, thread_b) = record.accesses, record.threads
            numbers = (a, thread_a, b, thread_b)
            address, together = quote(record.address), str(int(record.together))
            return ("race", *map(str, numbers), address, together, *_run(record.run))
        case OtherRecord():
            where = (str(record.thread), _site(record.site))
            return ("other", quote(record.kind), quote(record.message), *where, *_run(record.run))
        case BoundedRecord(site=None):
            return ("bounded", quote(record.reason))
        case BoundedRecord():
            return ("bounded", quote(record.reason), _site(record.site))
        case OutputRecord():
            return ("output", quote(record.text, errors="surrogateescape"))


def _run(run: Run) -> tuple[str, str, str]:
    sites = run.input_sites or (None,) * len(run.inputs)
    return (
        " ".join(f"{thread}:{until}" for thread, until in run.turns),
        " ".join(f"{value}@{_site(site)}" for value, site in zip(run.inputs, sites, strict=True)),
        " ".join(f"{thread.id}:{thread.parent}:{_site(thread.created_at)}" for thread in run.threads),
    )


def _site(site: SiteId | None) -> str:
    return str(site) if site is not None else "-1"
