"""`[[suppress]]`: findings that the user does not want to hear of again, and why.

A suppression says where by names, never by line numbers: those move. It hides nothing and changes no verdict; it gives
findings the user's reason, for reports to put them aside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from raceproof.config.patterns import matches, matches_path
from raceproof.config.tables import Table
from raceproof.core import InputError, suggestion
from raceproof.ir import Program
from raceproof.model import AccessKind, AccessResult, CheckResult, PairResult, Verdict, target_name

_FINDINGS = (Verdict.RACE, Verdict.UNKNOWN)
_FIRST = re.compile(r"[A-Za-z_*?][\w*?]*(?=[.\[]|$| \()")  # of the name of a location, if it is an identifier
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_HINTS = dict.fromkeys(
    ("line", "lines", "column"), "lines move: say where by `function`, `target`, `file` or `fingerprint`"
)


@dataclass(frozen=True, slots=True)
class Suppression:
    """Every condition that is given must hold. `function`, `file` and `kind` are of one of the two accesses, all of the
    same one; `functions` are those of both, in either order. All but `fingerprint` and `kind` are patterns. `optional`:
    not every program has what it names."""

    reason: str
    target: str | None = None
    function: str | None = None
    functions: tuple[str, str] | None = None
    file: str | None = None
    fingerprint: str | None = None
    kind: AccessKind | None = None
    only: tuple[Verdict, ...] = _FINDINGS
    optional: bool = False
    where: str = field(default="", compare=False)

    def fits(self, pair: PairResult) -> bool:
        """Whether it is about this pair; a pair that is proved needs no suppression."""
        return (
            pair.verdict in _FINDINGS
            and pair.verdict in self.only
            and (self.fingerprint is None or self.fingerprint == pair.fingerprint)
            and (self.target is None or _fits_target(self.target, pair.target))
            and (self.functions is None or _fits_functions(self.functions, pair.accesses))
            and any(self._fits_access(access) for access in pair.accesses)
        )

    def _fits_access(self, access: AccessResult) -> bool:
        return (
            (self.function is None or matches(self.function, access.function))
            and (self.kind is None or self.kind is access.kind)
            and (self.file is None or (access.pos is not None and matches_path(self.file, access.pos.file)))
        )

    def __str__(self) -> str:
        conditions = (
            ("target", self.target),
            ("function", self.function),
            ("functions", " and ".join(self.functions) if self.functions is not None else None),
            ("file", self.file),
            ("fingerprint", self.fingerprint),
            ("kind", self.kind.value if self.kind is not None else None),
            ("only", ", ".join(v.value for v in self.only) if self.only != _FINDINGS else None),
        )
        return ", ".join(f"{key} {value}" for key, value in conditions if value is not None) + f" ({self.reason})"


def apply_suppressions(
    result: CheckResult, suppressions: Sequence[Suppression]
) -> tuple[CheckResult, tuple[Suppression, ...]]:
    """The result with the reasons of those that fit (the first one's, if several do), and those that fit nothing."""
    used: set[int] = set()
    pairs = []
    for pair in result.pairs:
        fitting = [i for i, suppression in enumerate(suppressions) if suppression.fits(pair)]
        used.update(fitting)
        pairs.append(replace(pair, suppressed=suppressions[fitting[0]].reason) if fitting else pair)
    unused = tuple(s for i, s in enumerate(suppressions) if i not in used)
    return replace(result, pairs=tuple(pairs)), unused


def check_suppressions(suppressions: Sequence[Suppression], program: Program) -> None:
    """Raise `InputError` for one that names a function, file or variable that the program does not have: it could never
    fit. One that only fits no finding is not wrong: the finding may be repaired."""
    functions = {function.source_name for function in program.functions.values()}
    files = {str(pos.file) for pos in (f.pos for f in program.functions.values()) if pos is not None}
    files.update(str(v.pos.file) for v in program.globals.values() if v.pos is not None)
    words = functions | _words(program)
    for each in suppressions:
        if each.optional:
            continue
        for pattern in (each.function, *(each.functions or ())):
            if pattern is not None and not any(matches(pattern, name) for name in functions):
                raise _names_nothing(each, "function", pattern, functions)
        if each.file is not None and not any(matches_path(each.file, file) for file in files):
            raise _names_nothing(each, "file", each.file, files)
        first = _FIRST.match(each.target or "")
        if first is not None and not any(matches(first[0], word) for word in words):
            raise _names_nothing(each, "variable or type", first[0], words)


def _words(program: Program) -> set[str]:
    """What the name of a location may begin with: variables, types and members, functions that allocate."""
    found = {v.source_name for v in program.globals.values()} | set(program.externals)
    for function in program.functions.values():
        found.update(variable.name for variable in function.variables.values())
    for type_ in program.source_types.values():
        found.update((*type_.name.split()[-1:], *(member.name for member in type_.members)))
    return found


def _names_nothing(suppression: Suppression, what: str, pattern: str, known: set[str]) -> InputError:
    place = f"{suppression.where}: " if suppression.where else ""
    hint = " (if only some programs have it, add optional = true)"
    return InputError(f"{place}the program has no {what} `{pattern}`{suggestion(pattern, known)}{hint}")


def suppressions_of(tables: Sequence[Table]) -> tuple[Suppression, ...]:
    return tuple(map(_of_table, tables))


def _of_table(table: Table) -> Suppression:
    reason = table.text("reason")
    kind = table.choice("kind", tuple(k.value for k in AccessKind))
    suppression = Suppression(
        reason=reason or "",
        target=table.text("target"),
        function=table.text("function"),
        functions=_two(table, "functions"),
        file=table.text("file"),
        fingerprint=table.text("fingerprint"),
        kind=AccessKind(kind) if kind is not None else None,
        only=_verdicts(table, "only"),
        optional=table.flag("optional"),
        where=table.place,
    )
    table.finish(_HINTS)
    if reason is None:
        table.error("`reason` is needed: say why this is no problem")
    places = (suppression.target, suppression.function, suppression.functions, suppression.file)
    if suppression.fingerprint is None and all(place is None for place in places):
        table.error("say where: give `target`, `function`, `functions`, `file` or `fingerprint`")
    if suppression.fingerprint is not None and not _FINGERPRINT.fullmatch(suppression.fingerprint):
        table.wrong("fingerprint", "16 hexadecimal digits, as in the report", suppression.fingerprint)
    return suppression


def _two(table: Table, key: str) -> tuple[str, str] | None:
    found = table.texts(key)
    match found:
        case None:
            return None
        case (first, second) if first.strip() and second.strip():
            return first, second
    table.wrong(key, "two names", list(found))


def _verdicts(table: Table, key: str) -> tuple[Verdict, ...]:
    names = table.texts(key)
    if names is None:
        return _FINDINGS
    if not names or any(name not in ("race", "unknown") for name in names):
        table.error(f"`{key}` must be a list of race and unknown")
    return tuple(v for v in _FINDINGS if v.value in names)


def _fits_target(pattern: str, target: str) -> bool:
    """The whole name, or without the line of its allocation, or without its allocation."""
    return any(matches(pattern, name) for name in (target, target_name(target), target.partition(" (")[0]))


def _fits_functions(patterns: tuple[str, str], accesses: tuple[AccessResult, AccessResult]) -> bool:
    first, second = (access.function for access in accesses)
    return any(matches(a, first) and matches(b, second) for a, b in (patterns, patterns[::-1]))
