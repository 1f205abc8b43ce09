"""`// raceproof: intended "reason"`: findings that the source itself calls no problem.

At the end of a line, or alone on the line before it, the remark is about the accesses of that line; at the declaration
of a variable or member, about all its accesses. As any suppression it hides nothing and changes no verdict. A remark
that fits no finding is named, so that it goes when the race does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raceproof.core import InputError
from raceproof.ir import Program, SourceKind
from raceproof.model import CheckResult, PairResult, Verdict

_MARK = re.compile(r"(?://|/\*)\s*raceproof:(?P<said>.*)")
_INTENDED = re.compile(r'\s*intended\s+"(?P<reason>[^"]*\S[^"]*)"\s*(?:\*/.*)?')
_FINDINGS = (Verdict.RACE, Verdict.UNKNOWN)
_DECLARED = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:=.*|__attribute__.*|[A-Z_]+\(.*)?[;,]\s*$")
_OPENS = re.compile(r"\b(?:struct|union)\b\s*(?P<tag>[A-Za-z_]\w*)?[^;{]*\{")
_LARGEST = 10_000_000


@dataclass(frozen=True, slots=True)
class Intended:
    """A remark at a line. `declares`: the variable or member that the line declares, if it looks like a declaration;
    `owner`: the structure, of a member."""

    file: str
    line: int
    reason: str
    declares: str | None
    owner: str | None

    def fits(self, pair: PairResult, declared: tuple[str | None, str]) -> bool:
        """Whether an access of the pair is on the line, or the pair is about what the line declares: `declared` is the
        structure of its location, None for a variable, and the name."""
        if pair.verdict not in _FINDINGS:
            return False
        at_line = any(a.pos is not None and (a.pos.file, a.pos.line) == (self.file, self.line) for a in pair.accesses)
        return at_line or (self.declares is not None and (self.owner, self.declares) == declared)

    def __str__(self) -> str:
        return f'{self.file}:{self.line}: intended "{self.reason}"'


def intended_of(program: Program) -> tuple[Intended, ...]:
    """All remarks in the program's own files. Raises `InputError` for one that cannot be understood."""
    return tuple(found for file in _files(program) for found in _read(file, program.origin.root))


def apply_intended(
    result: CheckResult, remarks: Sequence[Intended], program: Program
) -> tuple[CheckResult, tuple[Intended, ...]]:
    """The result with the reasons of the remarks that fit, and the remarks that fit nothing."""
    used: set[Intended] = set()
    pairs = []
    for pair in result.pairs:
        declared = _declaration(pair.target, program) if remarks else (None, "")
        fitting = [remark for remark in remarks if remark.fits(pair, declared)]
        used.update(fitting)
        pairs.append(replace(pair, suppressed=pair.suppressed or fitting[0].reason) if fitting else pair)
    return replace(result, pairs=tuple(pairs)), tuple(remark for remark in remarks if remark not in used)


def _files(program: Program) -> Iterable[str]:
    """Files with functions or variables of the program, but for those of the system."""
    positions = [f.pos for f in program.functions.values()] + [v.pos for v in program.globals.values()]
    named = dict.fromkeys([*program.origin.files, *(pos.file for pos in positions if pos is not None)])
    return [file for file in named if not os.path.join(program.origin.root, file).startswith("/usr/")]


def _read(file: str, root: str) -> Iterable[Intended]:
    path = Path(root, file)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for number, line in enumerate(lines, start=1):
        mark = _MARK.search(line) if "raceproof:" in line else None
        if mark is None:
            continue
        said = _INTENDED.fullmatch(mark["said"].rstrip())
        if said is None:
            raise InputError(f'{file}:{number}: after `raceproof:` there must be: intended "REASON"')
        code = line[: mark.start()].strip()
        if not code and number < len(lines):  # alone on its line
            number, code = number + 1, lines[number].partition("//")[0].strip()
        declared = _declared(code)
        owner = _around(lines, number - 1) if declared is not None else None
        yield Intended(file, number, said["reason"], declared, owner)


def _declared(code: str) -> str | None:
    """The name that a line declares; None for what looks like a statement."""
    found = _DECLARED.search(code)
    if found is None:
        return None
    type_ = code[: found.start()].rstrip(" \t*")
    is_type = re.fullmatch(r"(?:[A-Za-z_]\w*[\s*]*)+", type_) is not None
    return found["name"] if is_type and type_.split()[0] not in ("return", "goto", "else", "case") else None


def _around(lines: Sequence[str], index: int) -> str | None:
    """The name of the structure in whose braces the line is; None outside of one."""
    depth = 0
    for number in range(index - 1, -1, -1):
        code = lines[number].partition("//")[0]
        depth += code.count("}") - code.count("{")
        opened = _OPENS.search(code)
        if depth < 0:
            return opened["tag"] or _behind(lines, index) if opened is not None else None
    return None


def _behind(lines: Sequence[str], index: int) -> str | None:
    """The name of a structure without a tag: that of its typedef."""
    depth = 0
    for code in lines[index + 1 :]:
        depth += code.count("{") - code.count("}")
        if depth < 0:
            found = re.search(r"}\s*(?:__attribute__\S*\s*)?([A-Za-z_]\w*)\s*;", code)
            return found[1] if found is not None else None
    return None


def _declaration(target: str, program: Program) -> tuple[str | None, str]:
    """The structure and the member that a location is, by the types of the program; a variable has no structure."""
    path = re.sub(r"\[[^\]]*\]|\+\d+", "", target.partition(" (")[0]).split(".")
    first = re.sub(r"^(struct|union)\s+", "", path[0])
    if len(path) == 1:
        return None, first
    types = program.source_types
    starts = [v.source_type for v in program.globals.values() if v.source_name == first]
    type_ = types.get(starts[0]) if starts and starts[0] is not None else None
    owner = first
    for name in path[1:]:
        while type_ is not None and type_.kind is SourceKind.ARRAY and type_.target is not None:
            type_ = types.get(type_.target)
        if type_ is not None:
            owner = type_.name.split()[-1]
            type_ = next((types.get(m.type) for m in type_.members if m.name == name), None)
    return owner, path[-1]
