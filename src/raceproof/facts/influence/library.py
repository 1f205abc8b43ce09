"""What a call of the library does with values from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.influence.comparators import only_compares
from raceproof.facts.influence.marks import Mark, Marks, union
from raceproof.facts.influence.observed import Observed
from raceproof.facts.library.effects import Bytes, Format, Sync, SyncOp
from raceproof.facts.library.formats import format_text
from raceproof.facts.library.input_functions import (
    ends_program,
    input_kind,
    is_arithmetic,
    is_output,
    is_search,
    is_seed,
    is_sort,
    may_set_errno,
    sets_signgam,
)
from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.ir import Call, Function, IntConst, PtrType, SiteId
from raceproof.model import CallGraph

_COPIES: Final = frozenset({"llvm.memcpy", "llvm.memmove", "memcpy", "memmove"})
_FILLS: Final = frozenset({"llvm.memset", "memset"})
_LENGTH: Final = 2  # the argument of those
_FREES: Final = frozenset({"free", "cfree", "__libc_free"})
_BLOCKS: Final = frozenset({"fwrite", "fwrite_unlocked", "write", "__write", "pwrite"})
_WIDE_CHARACTERS: Final = frozenset({"fputwc", "putwc", "putwchar", "putwc_unlocked", "fputwc_unlocked"})
_COPIED_ANYWAY: Final = frozenset({"llvm.lifetime.start", "llvm.lifetime.end", "llvm.stacksave", "llvm.stackrestore"})


class LibraryCalls:
    def __init__(
        self, world: World, calls: CallGraph, marks: Marks, born: Mapping[SiteId, Mark], observed: Observed
    ) -> None:
        self._world = world
        self._calls = calls
        self._marks = marks
        self._born = born
        self._observed = observed
        self._left: Mark = 0  # what threads leave to who joins them, by pthread_exit

    def enter(self, name: str, values: Sequence[Mark]) -> None:
        """A function of the program is called with `values`."""
        callee = self._world.program.functions[name]
        for parameter, value in zip(callee.params, values, strict=False):
            self._marks.put(name, parameter.name, value)
        self._marks.decide(union(values[len(callee.params) :]))  # read through a va_list

    def call(self, function: Function, call: Call, name: str, values: Sequence[Mark]) -> Mark:
        """The mark of the result."""
        marks, names = self._marks, frozenset(names_of(name))
        operation = sync_op(name)
        is_plain = operation is None or operation.kind in (Sync.NONE, Sync.ATTRIBUTE)
        born = self._born.get(call.id, 0)
        if born and is_plain and input_kind(name, self._world.program) is not None:
            self._write_results(function, call, name, born)
            marks.decide(union(values))
            return born
        if operation is not None:
            return self._thread_operation(function, call, name, operation, values)
        if names & _COPIED_ANYWAY:
            return 0
        if is_output(name):
            return self._output(function, call, name, names, values)
        if (is_sort(name) or is_search(name)) and only_compares(self._world, self._calls, function, call):
            return self._sort(function, call, name, values)
        marks.decide(born)  # it looks at the bytes of an address
        if is_seed(name) or names & _FREES:
            marks.decide(marks.but_raw(union(v for i, v in enumerate(values) if _is_pointer(call, i))))
        elif names & _COPIES:
            marks.decide(marks.but_raw(union(values[:2])) | values[_LENGTH])
            marks.copy(function, call.args[0], call.args[1], _constant(call, _LENGTH))
        elif names & _FILLS:
            marks.decide(marks.but_raw(values[0]) | values[_LENGTH])
            marks.write(function, call.args[0], _constant(call, _LENGTH), marks.cooked(values[1]))
        elif self._world.described(name) is not None:  # what it is given may come back from any other call
            marks.decide(union(values) | self.behind(function, call))
        elif any(_is_pointer(call, i) for i in range(len(call.args))):
            given = union(marks.but_raw(v) if _is_pointer(call, i) else v for i, v in enumerate(values))
            marks.decide(given | self.behind(function, call))
        elif is_arithmetic(name) and input_kind(name, self._world.program) is None:
            return self._arithmetic(name, values)
        elif not ends_program(name) or self._observed.status:
            marks.decide(union(values))
        return 0

    def _arithmetic(self, name: str, values: Sequence[Mark]) -> Mark:
        given, observed = self._marks.cooked(union(values)), self._observed
        if (
            observed.float_flags
            or (observed.errno and may_set_errno(name))
            or (observed.signgam and sets_signgam(name))
        ):
            self._marks.decide(given)
        return given

    def _sort(self, function: Function, call: Call, name: str, values: Sequence[Mark]) -> Mark:
        """Which of two equal elements comes first, or is found, is for the library to choose."""
        marks = self._marks
        marks.decide(union(marks.but_raw(v) if _is_pointer(call, i) else v for i, v in enumerate(values)))
        given = marks.cooked(self._born.get(call.id, 0) | self.behind(function, call))
        if is_sort(name):
            marks.write(function, call.args[0], None, given)
            return 0
        return given

    def behind(self, function: Function, call: Call) -> Mark:
        """All that is behind the pointers which the call is given."""
        return union(self._marks.read(function, a, None) for i, a in enumerate(call.args) if _is_pointer(call, i))

    def _write_results(self, function: Function, call: Call, name: str, born: Mark) -> None:
        effect = effect_of(name, self._world.program)
        for touch in effect.writes if effect is not None else ():
            if touch.arg < len(call.args):
                extent = touch.extent
                size = extent.on(self._world.program.pointer_size) if isinstance(extent, Bytes) else None
                self._marks.write(function, call.args[touch.arg], size, born)

    def _sleep(self, function: Function, call: Call, name: str, values: Sequence[Mark]) -> Mark:
        """For how long a thread sleeps does not matter, because that is giving way; but a time may be refused."""
        marks = self._marks
        marks.decide(union(marks.but_raw(v) for i, v in enumerate(values) if _is_pointer(call, i)))
        given = marks.cooked(union(values) | self.behind(function, call))
        self._write_results(function, call, name, given)
        if self._observed.errno:
            marks.decide(given)
        return given

    def _thread_operation(
        self, function: Function, call: Call, name: str, operation: SyncOp, values: Sequence[Mark]
    ) -> Mark:
        """Ids may be given to the thread library as they are; but for sleeping, everything else decides."""
        marks, kind = self._marks, operation.kind
        if kind is Sync.YIELD:
            return self._sleep(function, call, name, values)
        passed = operation.start_arg if kind is Sync.CREATE else operation.result if kind is Sync.EXIT else None
        if passed is not None and passed < len(values):
            if kind is Sync.EXIT:
                self._left |= values[passed]
            for start in self._calls.targets[call.id].starts or () if kind is Sync.CREATE else ():
                if start in self._world.program.functions:
                    self.enter(start, [values[passed]])
        if kind is Sync.CREATE and operation.arg is not None and operation.arg < len(call.args):
            size = self._world.program.pointer_size
            marks.write(function, call.args[operation.arg], size, self._born.get(call.id, 0))
        if kind is Sync.JOIN and operation.result is not None and operation.result < len(call.args):
            returned = union(marks.returned(start) for start in self._starts())
            marks.write(function, call.args[operation.result], None, self._left | returned)
        marks.decide(marks.but_raw(union(value for i, value in enumerate(values) if i != passed)))
        known = (operation.arg, passed, operation.result, operation.lock_arg)
        for index, argument in enumerate(call.args):
            if index not in known and _is_pointer(call, index):
                marks.decide(marks.read(function, argument, None))
        return self._born.get(call.id, 0) if kind is Sync.SELF else 0

    def _starts(self) -> Iterator[str]:
        for targets in self._calls.targets.values():
            yield from targets.starts or ()

    def _output(self, function: Function, call: Call, name: str, names: frozenset[str], values: Sequence[Mark]) -> Mark:
        """What is written out the program does not see again, if it has no stream in memory. But how much of its
        memory is read may depend on it, and so does the result: how long a text is."""
        marks, effect = self._marks, effect_of(name, self._world.program)
        born = self._born.get(call.id, 0)
        if self._observed.output:
            marks.decide(union(values) | self.behind(function, call) | born)
            return 0
        marks.decide(marks.but_raw(union(v for i, v in enumerate(values) if _is_pointer(call, i))))
        if self._observed.float_flags:
            marks.decide(union(values))
        if effect is not None and effect.format is Format.PRINTF and effect.format_arg is not None:
            at = effect.format_arg
            known = format_text(self._world.program, call.args[at]) if at < len(call.args) else None
            text = known.text if known is not None else None
            used = _conversions(text) if text is not None else ""
            if text is None or "*" in text or "n" in used or effect.va_list_arg is not None:
                marks.decide(union(values) | self.behind(function, call))
            elif "s" in used:
                marks.decide(self.behind(function, call))
            is_encoded = "c" in used
        elif names & _BLOCKS:
            marks.decide(union(values))
            is_encoded = False
        else:
            marks.decide(self.behind(function, call))
            is_encoded = bool(names & _WIDE_CHARACTERS)
        if is_encoded and self._observed.errno:  # EILSEQ
            marks.decide(union(values))
        return marks.cooked(union(values) | born)


def _conversions(text: str) -> str:
    """The first letters behind each `%` that may be conversions, in lower case: enough to rule some out."""
    found = []
    for part in text.replace("%%", "").split("%")[1:]:
        letters = part.lstrip("0123456789+-# '.$hljztLqI")
        found.append(letters[:1])
    return "".join(found).lower()


def _is_pointer(call: Call, index: int) -> bool:
    return index < len(call.arg_types) and isinstance(call.arg_types[index], PtrType)


def _constant(call: Call, index: int) -> int | None:
    value = call.args[index]
    return value.value if isinstance(value, IntConst) else None
