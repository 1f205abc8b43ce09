"""Calls: the call graph as the solver finds it, and what flows from arguments to parameters and back.

A direct call knows its callee; an indirect one is linked for every function that its pointer turns out to hold.
The library may run functions too: thread starts, once-initialisers, callbacks. Those are no calls in the sense of
`call_sites`; they are told apart by `EntryKind`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, unique
from types import MappingProxyType
from typing import Protocol

from raceproof.facts.library.libc import effect_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.pointers.constraints import ConstraintBuilder, Instance
from raceproof.ir import Address, Call, OtherConst, Reg, SiteId
from raceproof.model import ObjectKind

FROM_OUTSIDE = "a function from outside"
"""Among the callees of a call: its pointer may come from code that is not there. Nothing is known of this function."""

# The callee that the front end gives to assembly which touches what its operands lead to.
INLINE_ASSEMBLY = "inline assembly"


@unique
class EntryKind(Enum):
    """How a function comes to run."""

    ROOT = "root"  # main, destructors: once, by the system
    CALL = "call"
    THREAD = "thread"  # started by pthread_create and the like
    ONCE = "once"  # pthread_once
    CALLBACK = "callback"  # run by a library function, any number of times
    OUTSIDE = "outside"  # its address escaped: anybody may call it


@dataclass(frozen=True, slots=True)
class Entry:
    """One way into an instance: from the instance numbered `caller` (None: from outside) at `site`."""

    kind: EntryKind
    caller: int | None
    site: SiteId | None


@dataclass(slots=True)
class CallGraph:
    """What was found; dictionaries are used as ordered sets."""

    callees: dict[SiteId, dict[str, None]] = field(default_factory=dict)
    call_sites: dict[str, dict[tuple[str, SiteId], None]] = field(default_factory=dict)
    starts: dict[SiteId, dict[str, None]] = field(default_factory=dict)
    start_kinds: dict[SiteId, EntryKind] = field(default_factory=dict)
    entries: dict[int, dict[Entry, None]] = field(default_factory=dict)
    foreign: dict[SiteId, dict[str, None]] = field(default_factory=dict)
    unknown: dict[str, SiteId] = field(default_factory=dict)
    escaped_functions: dict[str, None] = field(default_factory=dict)


class Library(Protocol):
    def call(self, instance: Instance, instr: Call, name: str, is_only_target: bool) -> None: ...

    def call_unknown(self, instance: Instance, instr: Call, name: str) -> None: ...


class CallLinker:
    def __init__(self, builder: ConstraintBuilder) -> None:
        self.builder = builder
        self.work = builder.work
        self.graph = builder.graph
        self.found = CallGraph()
        self.library: Library | None = None
        self._linked: set[tuple[int, SiteId, str]] = set()
        builder.calls = self
        builder.work.on_escaped_function = self._call_from_outside

    def call(self, instance: Instance, instr: Call) -> None:
        callee = instance.copies.resolve(instr.callee)
        if isinstance(callee, Address) and callee.offset == 0 and self._is_function(callee.symbol):
            self._link(instance, instr, callee.symbol, is_direct=True)
            return
        node = self.builder.value(instance, callee)
        if node is None:
            if isinstance(callee, OtherConst) and self.library is not None:
                self.found.callees.setdefault(instr.id, {})[INLINE_ASSEMBLY] = None
                self.library.call_unknown(instance, instr, INLINE_ASSEMBLY)
            return

        def link(value: int) -> None:
            obj = self.work.values.object_of[value]
            if obj.kind is ObjectKind.FUNCTION and obj.function is not None:
                op = sync_op(obj.function) if obj.function not in self.work.program.functions else None
                if op is not None and len(instr.args) < op.arity:
                    return  # no correct program calls it so
                self._link(instance, instr, obj.function, is_direct=False)
            elif obj is self.work.outside and self.library is not None:
                self.found.callees.setdefault(instr.id, {})[FROM_OUTSIDE] = None
                self.library.call_unknown(instance, instr, FROM_OUTSIDE)

        self.graph.watch(node, link)

    def _is_function(self, symbol: str) -> bool:
        known = self.work.symbols.get(symbol)
        return known is None or known.kind is ObjectKind.FUNCTION

    def _link(self, instance: Instance, instr: Call, name: str, is_direct: bool) -> None:
        key = (instance.number, instr.id, name)
        if key in self._linked:
            return
        self._linked.add(key)
        self.found.callees.setdefault(instr.id, {})[name] = None
        if name not in self.work.program.functions:
            if self.library is not None:
                self.library.call(instance, instr, name, is_only_target=is_direct)
            return
        caller = instance.function.name
        self.found.call_sites.setdefault(name, {})[caller, instr.id] = None
        context = self.work.policy.context(instance.context, instr.id, name) if is_direct else ()
        callee = self.builder.instance(name, context)
        self._enter(callee, Entry(EntryKind.CALL, instance.number, instr.id))
        args = [
            self.builder.value(instance, arg) if self.work.slots(type_) else None
            for arg, type_ in zip(instr.args, instr.arg_types, strict=True)
        ]
        self.pass_arguments(callee, args, dict(instr.by_value))
        if instr.result is not None and self.work.slots(instr.type):
            if is_direct:
                self.builder.define(instance, instr.result, callee.returns)
            else:
                self.builder.feed(instance, instr.result, callee.returns)

    def _enter(self, callee: Instance, entry: Entry) -> None:
        self.found.entries.setdefault(callee.number, {})[entry] = None

    def pass_arguments(
        self, callee: Instance, args: list[int | None], by_value: Mapping[int, int] = MappingProxyType({})
    ) -> None:
        """Let parameters have what arguments have; structs passed in memory (`by_value`: their sizes) are copied."""
        params = callee.function.params
        for index, arg in enumerate(args):
            param = params[index] if index < len(params) else None
            if arg is None or (param is not None and not self.work.slots(param.type)):
                continue
            if param is not None:
                target = self.builder.node(callee, Reg(param.name))
                if param.by_value is not None:
                    self.work.copy_memory(arg, target, param.by_value.size)
                else:
                    self.graph.copy(arg, target)
            elif callee.variadic is not None:
                area = self.graph.fixed(1 << self.work.values.base(callee.variadic))
                if index in by_value:
                    self.work.copy_memory(arg, area, by_value[index])
                else:
                    self.graph.store(arg, area)

    def enter_root(self, name: str) -> Instance:
        instance = self.builder.instance(name)
        root = Entry(EntryKind.ROOT, None, None)
        # One that is listed twice, or the entry of the program as well, runs twice.
        again = root in self.found.entries.get(instance.number, ())
        self._enter(instance, Entry(EntryKind.CALLBACK, None, None) if again else root)
        return instance

    def run(
        self,
        instance: Instance,
        site: SiteId,
        kind: EntryKind,
        function: int,
        args: list[int | None],
        result: int | None,
    ) -> None:
        """Let the library run what `function` points to, with these arguments; its result goes to `result`."""
        self.found.start_kinds[site] = kind

        def start(value: int) -> None:
            obj = self.work.values.object_of[value]
            if obj.kind is not ObjectKind.FUNCTION or obj.function is None:
                return
            if obj.function not in self.work.program.functions:
                self.found.foreign.setdefault(site, {})[obj.function] = None
                effect = effect_of(obj.function, self.work.program)
                if effect is not None and not (effect.keeps or effect.stores or effect.mixes):
                    return  # `free` as a destructor keeps nothing
                for arg in args:  # an external function: not followed, but it gets what it is given
                    if arg is not None:
                        self.graph.copy(arg, self.work.outside_content)
                return
            self.found.starts.setdefault(site, {})[obj.function] = None
            callee = self.builder.instance(obj.function)
            self._enter(callee, Entry(kind, instance.number, site))
            self.pass_arguments(callee, args)
            if result is not None:
                self.graph.copy(callee.returns, result)

        self.graph.watch(function, start)

    def _call_from_outside(self, name: str) -> None:
        if name not in self.work.program.functions:
            return
        self.found.escaped_functions[name] = None
        callee = self.builder.instance(name)
        self._enter(callee, Entry(EntryKind.OUTSIDE, None, None))
        self.pass_arguments(callee, [self.work.outside_content] * len(callee.function.params))
        self.graph.copy(callee.returns, self.work.outside_content)
