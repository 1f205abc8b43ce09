"""What all parts of the points-to solver share: the program, its objects, the graph, the outside world.

The outside world is one object whose content is everything that was ever passed to code that raceproof does not
know. An object that gets there has *escaped*: the outside may read and write all of it, so its cells and the
outside's content flow into each other (and are soon merged, being a cycle). A function that gets there may be
called with anything from there. Only a pointer into an array of characters or numbers that is a member of a struct
does not open the struct: code that is given a buffer is taken not to look around it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final

from raceproof.facts.library.process_state import ALIASES, declared_name
from raceproof.facts.library.streams import STANDARD_STREAMS, stream_object
from raceproof.facts.pointers.allocation_sizes import AllocationSizes
from raceproof.facts.pointers.arithmetic import Arithmetic, Operation
from raceproof.facts.pointers.cells import Memory
from raceproof.facts.pointers.cloning import CloningPolicy
from raceproof.facts.pointers.heap_types import HeapTypes
from raceproof.facts.pointers.layout import (
    Part,
    Shape,
    is_literal,
    may_hold_pointers,
    part_of_ir_type,
    part_of_source_type,
    pointer_slots,
)
from raceproof.facts.pointers.memory_copy import CopyBuffer
from raceproof.facts.pointers.objects import AbstractObject, PointerValues
from raceproof.facts.pointers.pointer_integers import PointerIntegers
from raceproof.facts.pointers.propagation import ConstraintGraph
from raceproof.ir import LIBRARY_VARIABLES, Address, GlobalVariable, IrType, OtherConst, Program
from raceproof.model import ObjectKind

MAX_ESCAPING: Final = 256
"""Pointers that the outside world has of which it is heeded where in their object they point."""


class Workspace:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.pointer_size = program.pointer_size
        self.values = PointerValues(program.pointer_size)
        self.graph = ConstraintGraph()
        self.memory = Memory(self.values, self.graph, program.pointer_size)
        self.arithmetic = Arithmetic(self.values, self.graph)
        self.policy = CloningPolicy(program)
        self.heap_types = HeapTypes(program)
        self.sizes = AllocationSizes(program)
        self.integers = PointerIntegers(program)
        self.symbols: dict[str, AbstractObject] = {}
        self.statics: dict[str, AbstractObject] = {}
        self.escaped: dict[int, AbstractObject] = {}
        self.opened: set[int] = set()
        self._escaping: dict[int, None] = {}
        self.on_escaped_function: Callable[[str], None] = lambda _: None
        self._slots: dict[int, tuple[int, ...]] = {}
        self.outside = self.values.new_object(ObjectKind.UNKNOWN, "memory outside the program", flat=True)
        self.outside_content = self.memory.cell(self.outside, 0)
        self.arguments = self.values.new_object(ObjectKind.UNKNOWN, "arguments of the program", flat=True)
        self.graph.add(self.memory.cell(self.arguments, 0), 1 << self.values.base(self.arguments))
        for variable in sorted(program.globals.values(), key=lambda v: v.name in ALIASES):
            self._add_global(variable)
        for name in (*program.functions, *program.externals):
            self._add_function(name)

    def start(self) -> None:
        """Fill the globals with their initial values, and open the outside world."""
        self.graph.add(self.outside_content, 1 << self.values.base(self.outside))
        self.graph.watch(self.outside_content, self._escape)
        for variable in self.program.globals.values():
            obj = self.symbols[variable.name]
            for cell in variable.initial:
                if isinstance(cell.value, Address):
                    bits = self.address_bits(cell.value) if cell.is_exact else self._anywhere_bits(cell.value)
                    self.graph.add(self.memory.cell(obj, cell.offset), bits)
            if variable.is_external:
                if variable.name in STANDARD_STREAMS:
                    stream = self.static_object(stream_object(variable.name), False)
                    self.graph.add(self.memory.whole(obj)[1], 1 << self.values.base(stream))
                elif variable.name in LIBRARY_VARIABLES:
                    self.graph.add(self.memory.whole(obj)[1], 1 << self.values.base(self.outside))
                else:
                    self.graph.add(self.outside_content, 1 << self.values.base(obj))

    def _add_global(self, variable: GlobalVariable) -> None:
        original = self.symbols.get(ALIASES.get(variable.name, "")) if variable.is_external else None
        if original is not None:  # another name of the same variable
            self.symbols[variable.name] = original
            return
        kind = ObjectKind.THREAD_LOCAL if variable.is_thread_local else ObjectKind.GLOBAL
        is_sized = variable.type.size > 0 and not variable.is_external
        obj = self.symbols[variable.name] = self.values.new_object(
            kind,
            variable.source_name,
            source_type=variable.source_type,
            size=variable.type.size if is_sized else None,
            pos=variable.pos,
            shape=Shape(self._part(variable)),
        )
        obj.is_constant = variable.is_constant

    def _part(self, variable: GlobalVariable) -> Part:
        """The arrays of a variable: by its declaration, if its initial value gave it a type that tells no unions."""
        if variable.source_type is not None and is_literal(variable.type):
            return part_of_source_type(self.program.source_types, variable.source_type)
        return part_of_ir_type(variable.type)

    def _add_function(self, name: str) -> AbstractObject:
        defined = self.program.functions.get(name)
        obj = self.symbols[name] = self.values.new_object(
            ObjectKind.FUNCTION,
            defined.source_name if defined is not None else name,
            pos=defined.pos if defined is not None else None,
            function=name,
        )
        return obj

    def _escape(self, value: int) -> None:
        obj = self.values.object_of[value]
        if obj is self.outside:
            return
        self.escaped[obj.number] = obj
        self._count_escaping(value)
        offset = self.values.offset_of[value]
        if obj.number in self.opened or (offset is not None and self.values.plain_array(obj, offset) is not None):
            return
        self.opened.add(obj.number)
        if obj.kind is ObjectKind.FUNCTION and obj.function is not None:
            self.on_escaped_function(obj.function)
        elif obj.has_contents:
            read, write = self.memory.whole(obj)
            self.graph.copy(read, self.outside_content)
            if not obj.is_constant:
                self.graph.copy(self.outside_content, write)

    def _count_escaping(self, value: int) -> None:
        """Beyond a limit it does not matter any more where in an object a pointer points that the outside has."""
        self._escaping[value] = None
        if len(self._escaping) == MAX_ESCAPING:
            for obj in self.escaped.values():
                self.graph.add(self.outside_content, 1 << self.values.anywhere(obj))
        elif len(self._escaping) > MAX_ESCAPING:
            self.graph.add(self.outside_content, 1 << self.values.anywhere(self.values.object_of[value]))

    def address_bits(self, address: Address) -> int:
        obj = self.symbols.get(address.symbol)
        if obj is None:
            obj = self._add_function(address.symbol)
        value = self.values.base(obj) if obj.flat else self.values.exact(obj, address.offset)
        return 1 << value

    def constant_bits(self, constant: OtherConst) -> int:
        bits = 0
        for address in constant.addresses:
            bits |= self._anywhere_bits(address) if constant.is_anywhere else self.address_bits(address)
        return bits

    def _anywhere_bits(self, address: Address) -> int:
        """As a set: a pointer to somewhere in the object of an address."""
        obj = self.symbols.get(address.symbol)
        return 1 << self.values.anywhere(obj if obj is not None else self._add_function(address.symbol))

    def slots(self, type_: IrType) -> tuple[int, ...]:
        """Where pointers may stand in a value of the type; types of one program live as long as it does."""
        found = self._slots.get(id(type_))
        if found is None:
            found = self._slots[id(type_)] = pointer_slots(type_, self.pointer_size)
        return found

    def moved(self, node: int, operation: Operation) -> int:
        """A node for what the operation makes of the values in `node`."""
        return self.arithmetic.moved(node, operation)

    def copy_memory(self, source: int, target: int, size: int | None) -> None:
        """Copy what is stored behind one pointer to behind another; `size` bytes, None if not constant."""
        if size is None or size >= self.pointer_size:
            buffer = CopyBuffer(self.values, self.memory, self.graph, size)
            self.graph.watch(target, buffer.add_target)
            self.graph.watch(source, buffer.add_source)

    def exchange(self, read: list[int], written: list[int], given: list[int]) -> int:
        """A node for what a call can reach that stores pointers as it likes: all that is `given`, and what can be
        reached from `read` and `written`. All of it may be stored in what is reached from `written`."""
        reached = self.graph.new_node()
        for node in given:
            self.graph.copy(node, reached)
        for nodes, is_written in ((read, False), (written, True)):
            if nodes:
                followed = self.graph.new_node()
                for node in nodes:
                    self.graph.copy(node, followed)
                self.graph.copy(followed, reached)
                self.graph.watch(followed, self._follower(followed, reached if is_written else None))
        return reached

    def _follower(self, followed: int, stored: int | None) -> Callable[[int], None]:
        """Add what is stored in the objects of `followed` to it; `stored` may be stored there."""
        opened: set[int] = set()

        def follow(value: int) -> None:
            obj, offset = self.values.object_of[value], self.values.offset_of[value]
            is_buffer = offset is not None and self.values.plain_array(obj, offset) is not None
            if obj.number not in opened and obj.has_contents and not is_buffer and self._may_hold_pointers(obj):
                opened.add(obj.number)
                read, write = self.memory.whole(obj)
                self.graph.copy(read, followed)
                is_own = obj.kind is ObjectKind.UNKNOWN  # what is stored there is kept, which is not said
                if stored is not None and not obj.is_constant and not is_own:
                    self.graph.copy(stored, write)

        return follow

    @cached_property
    def foreign(self) -> AbstractObject:
        """Memory of functions that the user describes and that keep nothing: no pointer of the program's is in it."""
        made = self.values.new_object(ObjectKind.UNKNOWN, "memory of described functions", flat=True)
        self.graph.add(self.memory.cell(made, 0), 1 << self.values.base(made))
        return made

    def _may_hold_pointers(self, obj: AbstractObject) -> bool:
        """Not a variable that is made of smaller numbers: whoever stores pointers there violates C11 6.5p7."""
        is_variable = obj.kind in (ObjectKind.GLOBAL, ObjectKind.STACK, ObjectKind.THREAD_LOCAL)
        if not is_variable or obj.source_type is None:
            return True
        return may_hold_pointers(self.program.source_types, obj.source_type, self.pointer_size)

    def environment(self) -> int:
        """A node for the third argument of main: the table of the environment, which is the same object as the
        variable `environ` to those who change it."""
        obj = self.static_object("environ", False)
        anywhere = 1 << self.values.anywhere(obj)
        self.graph.add(self.memory.whole(obj)[1], anywhere)
        return self.graph.fixed(anywhere)

    def static_object(self, name: str, is_thread_local: bool) -> AbstractObject:
        """The library's own object of that name, or the program's declaration of it."""
        declared = declared_name(self.program, name)
        if declared is not None:
            return self.symbols[declared]
        obj = self.statics.get(name)
        if obj is None:
            kind = ObjectKind.THREAD_LOCAL if is_thread_local else ObjectKind.GLOBAL
            obj = self.statics[name] = self.values.new_object(kind, name)
        return obj
