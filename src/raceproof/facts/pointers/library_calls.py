"""Calls that leave the program: what the tables of the library say, in constraints.

The tables are `libc.effect_of` (memory; what the user says about a function, too) and `sync_api.sync_op` (threads). A
function in neither may do anything with what it is given: its arguments go to the outside world, and its result comes
from there.

Threads: the id that pthread_create stores is a pointer to the thread object of the call, so that the id that is
joined can be followed like any pointer. `pthread_self` may be any thread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raceproof.facts.library.effects import (
    REACHED,
    STATIC_ARG,
    Callback,
    CString,
    Effect,
    Format,
    Reach,
    Returns,
    Sync,
    SyncOp,
)
from raceproof.facts.library.formats import constant_text, format_text, scanf_fresh
from raceproof.facts.library.libc import effect_of, is_pure_intrinsic
from raceproof.facts.library.mappings import MAPPED, may_be_mapped_twice
from raceproof.facts.library.process_state import ALIASES
from raceproof.facts.library.state_touches import flushes_all, state_objects
from raceproof.facts.library.streams import ALL_STREAMS, OPENING
from raceproof.facts.library.symbol_names import names_of
from raceproof.facts.library.sync_api import sync_op
from raceproof.facts.pointers.allocation_sizes import AllocatedSize
from raceproof.facts.pointers.arithmetic import ANYWHERE, ELEMENT, INTO, Add, Operation
from raceproof.facts.pointers.calls import INLINE_ASSEMBLY, CallLinker, EntryKind
from raceproof.facts.pointers.constraints import Instance
from raceproof.facts.pointers.heap_types import HeapType
from raceproof.facts.pointers.objects import AbstractObject
from raceproof.ir import LIBRARY_VARIABLES, Call, PtrType
from raceproof.model import ObjectKind

_CHOOSING = ("llvm.umax", "llvm.umin", "llvm.smax", "llvm.smin")
"""Intrinsics whose result is one of their arguments."""


class LibraryCalls:
    def __init__(self, linker: CallLinker, silent: Collection[str] = ()) -> None:
        """`silent`: functions of which the user says that they only lock and unlock."""
        self._linker = linker
        self._silent = silent
        self._builder = linker.builder
        self._work = linker.work
        self._graph = linker.graph
        linker.library = self
        values = self._work.values
        self.main_thread = values.new_object(ObjectKind.THREAD, "main thread")
        self._all_threads = self._graph.new_node()
        self._graph.add(self._all_threads, 1 << values.base(self.main_thread))
        self._results: dict[int, int] = {}
        self._all_results = self._graph.new_node()
        self._exit_values = self._graph.new_node()
        self._flushes_all = flushes_all(self._work.program)

    def call(self, instance: Instance, instr: Call, name: str, is_only_target: bool) -> None:
        """Constrain a call of the external function `name`; `is_only_target`: nothing else defines the result."""
        if name in self._silent or self._intrinsic(instance, instr, name):
            return
        op, effect = sync_op(name), effect_of(name, self._work.program)
        if op is None and effect is None:
            self.call_unknown(instance, instr, name)
            return
        if op is not None:
            self._synchronise(instance, instr, op)
        if effect is not None:
            self._apply(instance, instr, name, effect, is_only_target)

    def call_unknown(self, instance: Instance, instr: Call, name: str) -> None:
        work = self._work
        self._linker.found.unknown.setdefault(name, instr.id)
        if name == INLINE_ASSEMBLY:  # which keeps nothing: its instructions are known
            operands = self._arguments(instance, instr, range(len(instr.args)))
            reached = work.exchange([], operands, operands)
            if instr.result is not None and work.slots(instr.type):
                self._builder.feed(instance, instr.result, reached)
                self._builder.feed(instance, instr.result, self._graph.fixed(1 << work.values.base(work.outside)))
            return
        for arg, type_ in zip(instr.args, instr.arg_types, strict=True):
            node = self._builder.value(instance, arg) if work.slots(type_) else None
            if node is not None:
                self._graph.copy(node, work.outside_content)
        if instr.result is not None and work.slots(instr.type):
            self._builder.feed(instance, instr.result, work.outside_content)

    def _argument(self, instance: Instance, instr: Call, index: int | None, effect: Effect | None = None) -> int | None:
        if index == STATIC_ARG and effect is not None and effect.static_object is not None:
            return self._graph.fixed(1 << self._work.values.base(self._static(effect)))
        if index is None or index >= len(instr.args) or not self._work.slots(instr.arg_types[index]):
            return None
        return self._builder.value(instance, instr.args[index])

    def _arguments(self, instance: Instance, instr: Call, indices: Iterable[int]) -> list[int]:
        found = (self._argument(instance, instr, index) for index in indices)
        return [node for node in found if node is not None]

    def _static(self, effect: Effect) -> AbstractObject:
        obj = self._work.static_object(effect.static_object or "", effect.static_is_thread_local)
        if effect.linked:
            self._graph.add(self._work.memory.whole(obj)[1], 1 << self._work.values.anywhere(obj))
        return obj

    # LLVM's intrinsics.

    def _intrinsic(self, instance: Instance, instr: Call, name: str) -> bool:
        if name.startswith("llvm.va_start"):
            target = self._argument(instance, instr, 0)
            if target is not None and instance.variadic is not None:
                area = self._graph.fixed(1 << self._work.values.base(instance.variadic))
                self._graph.store(area, self._work.moved(target, ANYWHERE))
            return True
        if not is_pure_intrinsic(name):
            return False
        if instr.result is not None and self._work.slots(instr.type):
            is_chosen = name.startswith(_CHOOSING)
            for index, type_ in enumerate(instr.arg_types):  # a number computed from a pointer is no pointer
                node = self._argument(instance, instr, index)
                if node is not None and (isinstance(instr.type, PtrType) or not isinstance(type_, PtrType)):
                    moved = node if is_chosen else self._work.moved(node, ANYWHERE)
                    self._builder.feed(instance, instr.result, moved)
        return True

    # Threads.

    def _synchronise(self, instance: Instance, instr: Call, op: SyncOp) -> None:
        if op.kind is Sync.CREATE:
            self._create(instance, instr, op)
        elif op.kind is Sync.JOIN:
            self._join(instance, instr, op)
        elif op.kind is Sync.EXIT:
            value = self._argument(instance, instr, op.result)
            if value is not None:
                self._graph.copy(value, self._exit_values)
        elif op.kind is Sync.SELF and instr.result is not None:
            self._builder.feed(instance, instr.result, self._all_threads)
        elif op.kind is Sync.ONCE:
            function = self._argument(instance, instr, op.start)
            if function is not None:
                self._linker.run(instance, instr.id, EntryKind.ONCE, function, [], None)

    def _create(self, instance: Instance, instr: Call, op: SyncOp) -> None:
        work = self._work
        thread = work.values.new_object(
            ObjectKind.THREAD,
            f"thread created at {instr.pos}" if instr.pos is not None else "thread",
            pos=instr.pos,
            site=instr.id,
            function=instance.function.name,
            context=instance.context,
        )
        self._builder.add_object(thread)
        bit = 1 << work.values.base(thread)
        self._graph.add(self._all_threads, bit)
        where = self._argument(instance, instr, op.arg)
        if where is not None:
            self._graph.store(self._graph.fixed(bit), where)
        result = self._results[thread.number] = self._graph.new_node()
        self._graph.copy(result, self._all_results)
        function = self._argument(instance, instr, op.start)
        if function is not None:
            args = [self._argument(instance, instr, op.start_arg)]
            self._linker.run(instance, instr.id, EntryKind.THREAD, function, args, result)

    def _join(self, instance: Instance, instr: Call, op: SyncOp) -> None:
        where = self._argument(instance, instr, op.result)
        thread = self._argument(instance, instr, op.arg)
        if where is None or thread is None:
            return
        joined = self._graph.new_node()
        self._graph.copy(self._exit_values, joined)
        self._graph.store(joined, where)

        def take_result(value: int) -> None:
            obj = self._work.values.object_of[value]
            result = self._results.get(obj.number)
            if result is not None:
                self._graph.copy(result, joined)
            elif obj.kind is not ObjectKind.THREAD:
                self._graph.copy(self._all_results, joined)

        self._graph.watch(thread, take_result)

    # Memory.

    def _apply(self, instance: Instance, instr: Call, name: str, effect: Effect, is_only_target: bool) -> None:
        graph, work = self._graph, self._work
        if effect.static_object is not None:
            self._static(effect)  # also where it is only read and written: no pointer leads to it, and threads share it
        for used in state_objects(name):
            work.static_object(used, False)
        for target, source in effect.copies:
            to = self._argument(instance, instr, target, effect)
            origin = self._argument(instance, instr, source, effect)
            if to is not None and origin is not None:
                origin = work.moved(origin, ANYWHERE) if source == STATIC_ARG else origin
                to = work.moved(to, ANYWHERE) if target == STATIC_ARG else to
                length = self._bytes_written(instance, instr, effect, target)
                if STATIC_ARG in (source, target):
                    length = None  # which part of it goes there, or comes, is for the library to say, call by call
                work.copy_memory(origin, to, length)
        for target, source, extent in effect.elements:
            to = self._argument(instance, instr, target, effect)
            origin = self._argument(instance, instr, source, effect)
            if to is not None and origin is not None:
                self._copy_elements(origin, to, work.sizes.of_call(instance.function, instance.context, instr, extent))
        self._copy_parts(instance, instr, effect)
        for value, target in effect.stores:
            stored = self._argument(instance, instr, value, effect)
            to = self._argument(instance, instr, target, effect)
            if stored is not None and to is not None:
                graph.store(stored, to)
                if any(touch.arg == value and isinstance(touch.extent, CString) for touch in effect.reads):
                    graph.store(work.moved(stored, INTO), to)
        for index in effect.advances:
            where = self._argument(instance, instr, index, effect)
            if where is not None:
                graph.store(work.moved(graph.load(where), INTO), where)
        for target in effect.fresh_into:
            to = self._argument(instance, instr, target, effect)
            if to is not None:
                size = work.sizes.of_call(instance.function, instance.context, instr, effect.size)
                type_ = work.heap_types.infer_stored(instance.function, instr.args[target], size)
                graph.store(self._fresh(instance, instr, name, effect, size.total, type_), to)
        if effect.format is Format.SCANF:
            self._scanned_strings(instance, instr, name, effect)
        for argument in self._arguments(instance, instr, effect.given):
            graph.copy(argument, work.outside_content)
        reached = self._exchange(instance, instr, name, effect) if effect.mixes else None
        for callback in effect.calls:
            self._callback(instance, instr, effect, callback, reached)
        if instr.result is not None and work.slots(instr.type):
            self._result(instance, instr, name, effect, is_only_target, reached)

    def _exchange(self, instance: Instance, instr: Call, name: str, effect: Effect) -> int:
        """A node for what the call can reach."""
        read, written = (
            self._arguments(instance, instr, (touch.arg for touch in touches if isinstance(touch.extent, Reach)))
            for touches in (effect.reads, effect.writes)
        )
        given = self._arguments(instance, instr, range(len(instr.args)))
        return self._work.exchange(read, written, [*given, self._own_memory(instance, instr, name, effect)])

    def _own_memory(self, instance: Instance, instr: Call, name: str, effect: Effect) -> int:
        """A node for memory of the function's own that it may hand out."""
        if effect.fresh_own:
            return self._fresh(instance, instr, name, effect, None, HeapType(None, None, False))
        own = self._work.outside if effect.given else self._work.foreign
        return self._graph.fixed(1 << self._work.values.base(own))

    def _copy_parts(self, instance: Instance, instr: Call, effect: Effect) -> None:
        """What goes to a file, or comes from one, through lists of buffers."""
        for index, levels in (*effect.parts_sent, *effect.parts_received):
            buffers = self._argument(instance, instr, index)
            if buffers is None:
                continue
            for _ in range(levels):
                buffers = self._loaded(buffers)
            kept = self._work.moved(self._graph.fixed(1 << self._work.values.base(self._static(effect))), ANYWHERE)
            buffers = self._work.moved(buffers, ANYWHERE)
            is_sent = (index, levels) in effect.parts_sent
            self._work.copy_memory(*((buffers, kept) if is_sent else (kept, buffers)), None)

    def _copy_elements(self, source: int, target: int, size: AllocatedSize) -> None:
        step: Operation = ANYWHERE if not size.total else Add(0, ((size.total, None, True),))
        moved = self._work.moved
        self._work.copy_memory(moved(source, step), moved(target, step), size.total or None)

    def _scanned_strings(self, instance: Instance, instr: Call, name: str, effect: Effect) -> None:
        """Where a scanf may store the address of a new string (`%ms`)."""
        if effect.format_arg is None or effect.format_arg >= len(instr.args):
            return
        first = effect.format_arg + 1
        known = format_text(self._work.program, instr.args[effect.format_arg])
        text = known.text if known is not None else None
        if text is not None and not scanf_fresh(text, first):
            return
        if effect.va_list_arg is not None:
            arguments = self._argument(instance, instr, effect.va_list_arg)
            found = [None if arguments is None else self._loaded(self._loaded(arguments))]
        else:
            places = range(first, len(instr.args)) if text is None else scanf_fresh(text, first)
            found = [self._argument(instance, instr, index) for index in places]
        made = self._fresh(instance, instr, name, effect, None, HeapType(None, None, False))
        for where in found:
            if where is not None:
                self._graph.store(made, where)

    def _result(
        self, instance: Instance, instr: Call, name: str, effect: Effect, is_only_target: bool, reached: int | None
    ) -> None:
        assert instr.result is not None
        work, builder = self._work, self._builder
        argument = self._argument(instance, instr, effect.returns_arg, effect)
        source: int | None = None
        match effect.returns:
            case Returns.ARG:
                source = argument
            case Returns.INTO_ARG:
                source = None if argument is None else work.moved(argument, ELEMENT if effect.calls else INTO)
            case Returns.FRESH if effect.mapping_flags is not None and may_be_mapped_twice(instr, effect.mapping_flags):
                source = self._graph.fixed(1 << work.values.anywhere(work.static_object(MAPPED, False)))
            case Returns.FRESH | Returns.OPAQUE:
                size = work.sizes.of_call(instance.function, instance.context, instr, effect.size)
                type_ = work.heap_types.infer(instance.function, instr.result, instance.context, size)
                source = self._fresh(instance, instr, name, effect, size.total, type_)
                if not OPENING.isdisjoint(names_of(name)) and self._flushes_all:
                    all_streams = work.static_object(ALL_STREAMS, False)
                    self._graph.store(source, self._graph.fixed(1 << work.values.base(all_streams)))
                if reached is not None and effect.given:
                    self._graph.store(reached, work.moved(source, ANYWHERE))
                for index in effect.copies_to_result:
                    origin = self._argument(instance, instr, index)
                    if origin is not None:
                        work.copy_memory(origin, source, None)
            case Returns.SYMBOL:
                source = self._symbols(instr, effect.returns_arg)
            case Returns.STATIC:
                source = self._graph.fixed(1 << work.values.base(self._static(effect)))
            case Returns.REACHED:
                source = reached
            case Returns.LOADED:
                source = None if argument is None else self._graph.load(argument)
            case Returns.NOTHING:
                pass
        other = self._argument(instance, instr, effect.or_arg, effect)
        if is_only_target and other is None:
            builder.define(instance, instr.result, source)
        else:
            builder.feed(instance, instr.result, source)
            builder.feed(instance, instr.result, other)

    def _symbols(self, instr: Call, index: int | None) -> int:
        """What a name may stand for: any variable or function if it is not a literal, or something of the library's."""
        work = self._work
        text = constant_text(work.program, instr.args[index]) if index is not None and index < len(instr.args) else None
        named = [*work.program.functions, *work.program.globals] if text is None else [text]
        found = self._graph.new_node()
        self._graph.copy(work.outside_content, found)
        for name in named:
            if name in work.symbols:
                self._graph.add(found, 1 << work.values.base(work.symbols[name]))
            elif name in LIBRARY_VARIABLES:
                variable = work.static_object(ALIASES.get(name, name), False)
                self._graph.add(found, 1 << work.values.base(variable))
        return found

    def _fresh(
        self, instance: Instance, instr: Call, name: str, effect: Effect, size: int | None, type_: HeapType
    ) -> int:
        values = self._work.values
        is_handle = effect.returns is Returns.OPAQUE
        obj = values.new_object(
            ObjectKind.HEAP,
            f"{name} at {instr.pos.file}:{instr.pos.line}" if instr.pos is not None else name,
            source_type=None if is_handle else type_.source_type,
            size=size,
            pos=instr.pos,
            shape=None if is_handle else type_.shape,
            site=instr.id,
            function=instance.function.name,
            context=instance.context,
        )
        obj.is_declared = type_.is_confirmed
        self._builder.add_object(obj)
        if effect.linked:
            self._graph.add(self._work.memory.whole(obj)[1], 1 << values.anywhere(obj))
        return self._graph.fixed(1 << values.base(obj))

    def _bytes_written(self, instance: Instance, instr: Call, effect: Effect, target: int) -> int | None:
        for touch in effect.writes:
            if touch.arg == target and not touch.deref:
                return self._work.sizes.of_call(instance.function, instance.context, instr, touch.extent).total
        return None

    def _callback(
        self, instance: Instance, instr: Call, effect: Effect, callback: Callback, reached: int | None
    ) -> None:
        """`reached`: for a function that mixes pointers, what it can reach; it may get what it calls returns, too."""
        work = self._work
        function = self._argument(instance, instr, callback.function, effect)
        if callback.function == REACHED:
            function = reached
        if function is None:
            return
        if callback.deref:
            function = self._loaded(function)
        args: list[int | None] = []
        for position, index in enumerate(callback.args):
            node = self._argument(instance, instr, index, effect)
            if index is None:
                args.append(work.outside_content)
            elif index == REACHED:
                args.append(reached)
            elif node is None:
                args.append(None)
            elif callback.loads:
                args.append(self._loaded(node))
            elif position in callback.same:
                args.append(node)
            else:
                args.append(work.moved(node, ANYWHERE if index == STATIC_ARG else ELEMENT))
        self._linker.run(instance, instr.id, EntryKind.CALLBACK, function, args, reached)

    def _loaded(self, node: int) -> int:
        """A node for every pointer that is stored in the objects that `node` points to."""
        return self._graph.load(self._work.moved(node, ANYWHERE))
