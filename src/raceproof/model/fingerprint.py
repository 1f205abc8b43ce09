"""Names for pairs that stay when lines move: by what is touched, and in which functions.

    hits  +  write in log_hit (src/log.c)  +  read in report (src/main.c)   ->   3f0c9a2be1d47756

Pairs that are equal in all this are told apart by their order in the files.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath

from raceproof.core import SourcePos
from raceproof.model.results import AccessResult, PairResult

DIGITS = 16
_PLACE = re.compile(r"(?:,| at)? \S+:\d+(?::\d+)?")
_NOWHERE = SourcePos("", 0)

_Key = tuple[str, ...]


def fingerprints(pairs: Sequence[PairResult]) -> tuple[str, ...]:
    """One fingerprint for each pair, in the same order; all different."""
    alike: dict[_Key, list[int]] = defaultdict(list)
    for index, pair in enumerate(pairs):
        alike[_key(pair)].append(index)
    result = [""] * len(pairs)
    for key, indices in alike.items():
        for ordinal, index in enumerate(sorted(indices, key=lambda i: _order(pairs[i]))):
            text = "\0".join((*key, str(ordinal)))
            result[index] = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS]
    return tuple(result)


def target_name(target: str) -> str:
    """`node.next (allocated at list.c:12)` without the place: `node.next (allocated)`."""
    return _PLACE.sub("", target)


@lru_cache(maxsize=1024)
def short_path(file: str) -> str:
    """The last two components: what stays the same wherever the program is checked from."""
    return "/".join(PurePath(file).parts[-2:])


def _key(pair: PairResult) -> _Key:
    accesses = sorted(_of_access(access) for access in pair.accesses)
    return (target_name(pair.target), *(part for access in accesses for part in access))


def _of_access(access: AccessResult) -> tuple[str, str, str]:
    return short_path(access.pos.file) if access.pos is not None else "", access.function, access.kind.value


def _order(pair: PairResult) -> tuple[list[SourcePos], int]:
    return sorted(access.pos or _NOWHERE for access in pair.accesses), pair.id
