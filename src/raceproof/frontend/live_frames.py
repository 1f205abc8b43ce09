"""What a function still needs, stored before each call that may let other threads go: for `--algorithm states`.

A state of the program is what its future depends on. Of a function that was called and has not returned that is the
call in which it stands, the values that are used behind it (live registers of the IR, and the arguments of the call
itself), and its variables in memory. Each function that may stand still keeps a frame for that, and frames form a list
that the runtime walks (native/states.h, `struct rp_frame`):

    %rp.frame = alloca [56 x i8]                        ; below, call, size, variables, values
    ...
    store i32 12, ptr %rp.frame.site                    ; before: call i32 @rp_lib_pthread_mutex_lock(ptr @m)
                                                        ; twice its number; one more if a return may follow
    store i32 %i, ptr %rp.frame.7                       ; used behind the call

So neither what the code generator leaves in registers and stack slots nor the layout of machine frames is part of a
state. Variables in memory begin as zeros: what another call has left there does not tell.

Invariant: what is live at a call by the rules of SSA is stored, unless nothing depends on it (`idle_values`), or the
module is refused (`Unsupported`). Too much only tells states apart that are the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from raceproof.core import Unsupported
from raceproof.frontend.idle_values import needed_values, without_results
from raceproof.frontend.module_exports import symbol
from raceproof.frontend.module_rows import (
    CALLEE,
    NAME,
    VALUE,
    Block,
    Function,
    Instruction,
    closing,
    functions_of,
    split_at_commas,
)

QUIET = frozenset(
    f"rp_{name}"
    for name in (
        *("enter", "leave", "leave_loop", "loop", "carry", "spin", "poll", "tls", "unseen", "block_size", "cas_done"),
        *("fresh", "set_range", "set_string", "set_bits", "set_rest", "copied", "check_range", "check_string"),
        *("check_bits", "undefined"),
    )
)
"""Hooks behind which the same thread goes on."""

_INCOMING = re.compile(rf"\[ (.*?), (%(?:{NAME})) \]")
_TYPE = re.compile(rf"(%(?:{NAME})) = type ")
_SCALAR = re.compile(r"\b(i\d+|ptr|half|float|double|x86_fp80|fp128)\b")
_COUNT = re.compile(r", i\d+ (\d+)")
_SIZES = {"ptr": 8, "half": 2, "float": 4, "double": 8, "x86_fp80": 10, "fp128": 16}
_ONE_RESULT = frozenset((
    *("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
    *("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "freeze", "load", "phi"),
))  # fmt: skip
_END_THREAD = frozenset(f"@rp_lib_{name}" for name in ("pthread_exit", "thrd_exit"))
_HEADER = 24  # bytes of `struct rp_frame` before the variables
_VARIABLE = 16


def add_frames(lines: Sequence[str], entry: str, tells_idle: bool = False) -> list[str]:
    """The instrumented module, with frames in all functions that may stand still. `entry` is left by the end of the
    program only: what others use of it lasts. `tells_idle`: values on which nothing depends are told as well."""
    lines = lines if tells_idle else without_results(lines, symbol(entry))
    types = {match.group(1) for line in lines if (match := _TYPE.match(line))}
    if any(name[1:].isdigit() for name in types):
        raise Unsupported("telling states of a program with types that have no name")
    functions = list(functions_of(lines))
    waiting = _may_wait(functions)
    if any(symbol(entry) in function.called for function in functions):
        raise Unsupported(f"telling states of a program that calls `{entry}` itself")
    out: list[str] = []
    done = 0
    numbers = _Numbers()
    for function in functions:
        out += lines[done : function.first]
        done = function.last
        if function.name in waiting:
            out += _Framed(function, waiting, types, numbers, function.name == symbol(entry), tells_idle).rows()
        else:
            out += lines[function.first : function.last]
    out += [*lines[done:], "@rp_frame_top = external global ptr, align 8"]
    if not any("@llvm.memset.p0.i64(" in line for line in lines if line.startswith("declare ")):
        out.append("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    return out


@dataclass(slots=True)
class _Numbers:
    """Calls and registers of the whole module, numbered."""

    last: int = 0

    def next(self) -> int:
        self.last += 1
        return self.last


def _may_wait(functions: Sequence[Function]) -> frozenset[str]:
    """Functions in which a thread may stand while others go on."""
    defined = {function.name for function in functions}

    def is_waiting(name: str) -> bool:
        plain = name[1:]
        return name[0] == "%" or (name not in defined and plain.startswith("rp_") and plain not in QUIET)

    found = {f.name for f in functions if any(map(is_waiting, f.called))}
    while True:
        more = {f.name for f in functions if f.name not in found and f.called & found}
        if not more:
            return frozenset(found)
        found |= more


@dataclass(slots=True)
class _Framed:
    """One function, rewritten."""

    function: Function
    waiting: Collection[str]
    types: Collection[str]
    numbers: _Numbers
    is_entry: bool
    tells_idle: bool
    largest: int = 0
    variables: list[tuple[str, str]] = field(default_factory=list)  # register, size
    defined: dict[str, str | None] = field(default_factory=dict)  # register -> type
    needed: Collection[str] = ()

    def rows(self) -> list[str]:
        self._parameters()
        for block in self.function.blocks:
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.defined[instruction.result] = _type_of(instruction.text)
        if clash := self.defined.keys() & self.types:
            raise Unsupported(f"telling states of a program in which {min(clash)} is a type and a value")
        self.needed = self.defined if self.tells_idle else needed_values(self.function)
        moved = self._variables()
        live_out = self._live_out()
        ending = self._ending()
        body: list[str] = []
        for block in self.function.blocks:
            body += block.head
            body += self._block(block, live_out[block.label], moved, block.label in ending)
        return [self.function.header, *self._entry(moved), *body[len(self.function.blocks[0].head) :]]

    def _parameters(self) -> None:
        header = self.function.header
        text = header[header.index("(") + 1 : closing(header, header.index("("))]
        for part in split_at_commas(text):
            if part == "..." or "byval" in part:
                raise Unsupported(f"telling states of {self.function.name[1:]}, which takes arguments in memory")
            name = VALUE.findall(part)
            found = _SCALAR.search(part)
            if name:
                self.defined[name[-1]] = found.group(1) if found and not part.startswith(("{", "[", "<", "%")) else None

    def _variables(self) -> list[Instruction]:
        """Variables in memory, which go to the front."""
        moved = []
        for number, block in enumerate(self.function.blocks):
            for instruction in block.instructions:
                if " = alloca " not in instruction.text:
                    continue
                kind = instruction.text.partition(" = alloca ")[2]
                type_ = kind[: _end_of_type(kind)]
                rest = kind[len(type_) :].partition(", align")[0]
                count = _COUNT.fullmatch(rest)
                if number != 0 or (rest and count is None):
                    raise Unsupported(f"telling states of {self.function.name[1:]}, which has variables of any size")
                size = f"ptrtoint (ptr getelementptr ({type_}, ptr null, i64 {count[1] if count else 1}) to i64)"
                self.variables.append((str(instruction.result), size))
                moved.append(instruction)
        return moved

    def _entry(self, moved: Sequence[Instruction]) -> list[str]:
        values = _HEADER + _VARIABLE * len(self.variables)
        first = self.function.blocks[0].head
        rows = [*first, f"  %rp.frame = alloca [{values + self.largest} x i8], align 16"]
        rows += [row for instruction in moved for row in instruction.rows]
        rows += ["  %rp.frame.below = load ptr, ptr @rp_frame_top, align 8"]
        rows += ["  store ptr %rp.frame.below, ptr %rp.frame, align 8"]
        for at, number in ((8, 0), (12, 0), (16, len(self.variables)), (20, values)):
            rows += self._store("i32", str(number), at)
        for number, (register, size) in enumerate(self.variables):
            rows += self._store("ptr", register, _HEADER + _VARIABLE * number)
            rows += self._store("i64", size, _HEADER + _VARIABLE * number + 8)
            rows.append(f"  call void @llvm.memset.p0.i64(ptr {register}, i8 0, i64 {size}, i1 false)")
        return [*rows, "  store ptr %rp.frame, ptr @rp_frame_top, align 8"]

    def _store(self, type_: str, value: str, at: int) -> list[str]:
        place = f"%rp.frame.{self.numbers.next()}"
        return [
            f"  {place} = getelementptr i8, ptr %rp.frame, i64 {at}",
            f"  store {type_} {value}, ptr {place}, align 1",
        ]

    # --- what is live

    def _uses(self, instruction: Instruction) -> set[str]:
        text = instruction.text
        if instruction.result is not None:
            text = text.partition(" = ")[2]
        return {value for value in VALUE.findall(text) if value in self.defined and value in self.needed}

    def _live_out(self) -> dict[str, set[str]]:
        """By label; what a phi takes is used at the end of the block that it comes from."""
        blocks = self.function.blocks
        from_phis: dict[str, set[str]] = {block.label: set() for block in blocks}
        for block in blocks:
            for instruction in block.instructions:
                if instruction.is_phi:
                    for value, source in _INCOMING.findall(instruction.text):
                        place = source if source in from_phis else blocks[0].label
                        from_phis[place] |= {v for v in VALUE.findall(value) if v in self.defined and v in self.needed}
        live_in: dict[str, set[str]] = {block.label: set() for block in blocks}
        live_out: dict[str, set[str]] = {block.label: set() for block in blocks}
        changed = True
        while changed:
            changed = False
            for block in reversed(blocks):
                out = set(from_phis[block.label])
                for instruction in block.instructions[-1:]:
                    for target in instruction.targets:
                        out |= live_in[target]
                live_out[block.label] = out
                found = set(out)
                for instruction in reversed(block.instructions):
                    found.discard(str(instruction.result))
                    if not instruction.is_phi:
                        found |= self._uses(instruction)
                if found != live_in[block.label]:
                    live_in[block.label] = found
                    changed = True
        return live_out

    def _ending(self) -> set[str]:
        """Labels of the blocks behind which the function may return, or its thread may end. That the whole program may
        end there does not count: it is how a program without an end deals with errors."""

        def ends(instruction: Instruction) -> bool:
            return instruction.text.startswith("  ret ") or instruction.callee in _END_THREAD

        found = {block.label for block in self.function.blocks if any(map(ends, block.instructions))}
        while True:
            more = {
                block.label
                for block in self.function.blocks
                if block.label not in found
                and not found.isdisjoint(target for i in block.instructions for target in i.targets)
            }
            if not more:
                return found
            found |= more

    # --- rows

    def _block(self, block: Block, live: set[str], moved: Sequence[Instruction], may_end: bool) -> list[str]:
        parts: list[list[str]] = []
        live = set(live)
        left_alone = {register for register, _ in self.variables}
        for instruction in reversed(block.instructions):
            live.discard(str(instruction.result))
            if not instruction.is_phi:
                live |= self._uses(instruction)
            if instruction in moved:
                continue
            rows = list(instruction.rows)
            callee = instruction.callee
            if callee is not None and self._waits(callee):
                if "musttail call" in instruction.text:
                    raise Unsupported("telling states at a call that must be a jump")
                rows = [*self._tell(sorted(live - left_alone), may_end), *rows]
            elif instruction.text.startswith("  ret ") and not self.is_entry:
                rows = ["  store ptr %rp.frame.below, ptr @rp_frame_top, align 8", *rows]
            elif instruction.text.lstrip().startswith(("invoke ", "callbr ", "indirectbr ")):
                raise Unsupported(f"telling states at {instruction.text.strip()[:40]!r}")
            parts.append(rows)
        return [row for part in reversed(parts) for row in part]

    def _waits(self, callee: str) -> bool:
        plain = callee[1:]
        return callee[0] == "%" or callee in self.waiting or (plain.startswith("rp_") and plain not in QUIET)

    def _tell(self, live: Sequence[str], may_end: bool) -> list[str]:
        rows: list[str] = []
        at = begin = _HEADER + _VARIABLE * len(self.variables)
        for register in live:
            for type_, value, before in self._scalars(register):
                rows += [*before, *self._store(type_, value, at)]
                at += _size(type_)
        self.largest = max(self.largest, at - begin)
        site = 2 * self.numbers.next() + may_end
        return [*self._store("i32", str(site), 8), *self._store("i32", str(at - begin), 12), *rows]

    def _scalars(self, register: str) -> list[tuple[str, str, list[str]]]:
        """The parts of a value: type, register, and rows that make it."""
        type_ = self.defined[register]
        if type_ is None:
            raise Unsupported(f"telling states of {self.function.name[1:]}, with a value of a type that is not known")
        if not type_.startswith("{"):
            return [(type_, register, [])]
        found = []
        for number, part in enumerate(split_at_commas(type_[1:-1])):
            name = f"%rp.frame.{self.numbers.next()}"
            found.append((part, name, [f"  {name} = extractvalue {type_} {register}, {number}"]))
        return found


def _size(type_: str) -> int:
    return (int(type_[1:]) + 7) // 8 if type_[0] == "i" else _SIZES[type_]


def _end_of_type(text: str) -> int:
    return closing(text, 0) + 1 if text[0] in "[{<" else len(re.split(r"[,\s]", text, maxsplit=1)[0])


def _type_of(text: str) -> str | None:
    """The type of the result, if it is one that can be stored: a scalar, or a structure of scalars."""
    made = text.partition(" = ")[2]
    op = made.split(maxsplit=1)[0]
    if "<" in made.partition("(")[0] or op in ("extractelement", "insertelement", "shufflevector"):
        return None  # vectors
    if op in ("alloca", "getelementptr"):
        return "ptr"
    if op in ("icmp", "fcmp"):
        return "i1"
    if op in _ONE_RESULT:
        return _first(made)
    if op == "select":
        return _first(split_at_commas(made)[1])
    if op == "atomicrmw":
        return _first(split_at_commas(made)[1])
    if op == "cmpxchg":
        inner = _first(split_at_commas(made)[1])
        return f"{{ {inner}, i1 }}" if inner else None
    if op == "extractvalue" and made.startswith("extractvalue {"):
        type_ = made[len("extractvalue ") : closing(made, len("extractvalue ")) + 1]
        number = split_at_commas(made)[-1]
        parts = split_at_commas(type_[1:-1])
        return parts[int(number)] if number.isdigit() and _SCALAR.fullmatch(parts[int(number)]) else None
    if op == "insertvalue" and made.startswith("insertvalue {"):
        type_ = made[len("insertvalue ") : closing(made, len("insertvalue ")) + 1]
        return type_ if all(map(_SCALAR.fullmatch, split_at_commas(type_[1:-1]))) else None
    if " to " in made and "(" not in made and op not in ("call", "tail", "notail"):
        found = _SCALAR.match(made.rpartition(" to ")[2])
        return found.group(1) if found else None
    if op in ("call", "tail", "notail"):
        return _returned(made)
    return None


def _first(text: str) -> str | None:
    """The first type in it, unless it is no scalar."""
    words = text.split()
    for word in words:
        if word[0] in "{[%<":
            return None
        if _SCALAR.fullmatch(word.rstrip(",")):
            return word.rstrip(",")
    return None


def _returned(made: str) -> str | None:
    callee = CALLEE.search(made, made.index("call ") + 5)
    before = made.partition(" asm ")[0] if callee is None else made[: callee.start()]
    while "(" in before:
        at = before.index("(")
        before = before[:at] + " " + before[closing(before, at) + 1 :]
    if "{" in before:
        type_ = before[before.index("{") : closing(before, before.index("{")) + 1]
        return type_ if all(map(_SCALAR.fullmatch, split_at_commas(type_[1:-1]))) else None
    if "[" in before or "%" in before:
        return None
    found = _SCALAR.findall(before)
    return found[-1] if found else None
