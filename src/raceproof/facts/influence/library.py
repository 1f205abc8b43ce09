"""What a call of the library does with values from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from raceproof.facts.flow.world import World
from raceproof.facts.influence.marks import Mark, Marks, union
from raceproof.facts.library.effects import Bytes, Format, Sync, SyncOp
from raceproof.facts.library.formats import constant_text
from raceproof.facts.library.input_functions import input_kind, is_output, is_seed
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
_COPIED_ANYWAY: Final = frozenset({"llvm.lifetime.start", "llvm.lifetime.end", "llvm.stacksave", "llvm.stackrestore"})


class LibraryCalls:
    def __init__(self, world: World, calls: CallGraph, marks: Marks, born: Mapping[SiteId, Mark]) -> None:
        self._world = world
        self._calls = calls
        self._marks = marks
        self._born = born
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
        if (born := self._born.get(call.id, 0)) and is_plain and input_kind(name, self._world.program) is not None:
            self._write_results(function, call, name, born)
            marks.decide(union(values))
            return born
        if operation is not None:
            return self._thread_operation(function, call, operation, values)
        if names & _COPIED_ANYWAY:
            return 0
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
        elif is_output(name):
            self._output(function, call, name, names, values)
        elif any(_is_pointer(call, i) for i in range(len(call.args))):
            given = union(marks.but_raw(v) if _is_pointer(call, i) else v for i, v in enumerate(values))
            marks.decide(given | self.behind(function, call))
        elif input_kind(name, self._world.program) is not None:
            marks.decide(union(values))
        else:  # arithmetic
            return marks.cooked(union(values))
        return 0

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

    def _thread_operation(self, function: Function, call: Call, operation: SyncOp, values: Sequence[Mark]) -> Mark:
        """Ids may be given to the thread library as they are; for how long a thread sleeps does not matter, because
        that is giving way; everything else decides."""
        marks, kind = self._marks, operation.kind
        if kind is Sync.YIELD:
            return 0
        passed = operation.start_arg if kind is Sync.CREATE else operation.result if kind is Sync.EXIT else None
        if passed is not None and passed < len(values):
            if kind is Sync.EXIT:
                self._left |= values[passed]
            for name in self._calls.targets[call.id].starts or () if kind is Sync.CREATE else ():
                if name in self._world.program.functions:
                    self.enter(name, [values[passed]])
        if kind is Sync.CREATE and operation.arg is not None and operation.arg < len(call.args):
            size = self._world.program.pointer_size
            marks.write(function, call.args[operation.arg], size, self._born.get(call.id, 0))
        if kind is Sync.JOIN and operation.result is not None and operation.result < len(call.args):
            returned = union(marks.returned(name) for name in self._starts())
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

    def _output(self, function: Function, call: Call, name: str, names: frozenset[str], values: Sequence[Mark]) -> None:
        """What is written out the program does not see again. But how much of its memory is read may depend on it."""
        marks, effect = self._marks, effect_of(name, self._world.program)
        marks.decide(marks.but_raw(union(v for i, v in enumerate(values) if _is_pointer(call, i))))
        if effect is not None and effect.format is Format.PRINTF and effect.format_arg is not None:
            at = effect.format_arg
            text = constant_text(self._world.program, call.args[at]) if at < len(call.args) else None
            if text is None or "*" in text or "n" in _conversions(text) or effect.va_list_arg is not None:
                marks.decide(union(values) | self.behind(function, call))
            elif "s" in _conversions(text):
                marks.decide(self.behind(function, call))
        elif names & _BLOCKS:
            marks.decide(union(values))
        else:
            marks.decide(self.behind(function, call))


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
