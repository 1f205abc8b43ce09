"""From instructions to constraints: what each instruction of the IR adds to the constraint graph.

A function is analysed per *instance*: itself, or a copy of it for a call site (`cloning.py`). Each register of an
instance that may hold a pointer has a node; registers with a known value (the address of a local, `&global.field`)
share fixed nodes, loads from one known cell share the node of the cell, and copies share the node of their source.

Integers of at least pointer size may carry pointers; arithmetic on them (`pointer_integers`) keeps the objects and
loses the offset, except for added constants and changed low bits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Protocol

from raceproof.facts.pointers.arithmetic import ANYWHERE, MASKS, TAGS, Add, Operation
from raceproof.facts.pointers.layout import Shape, part_of_ir_type, repeated
from raceproof.facts.pointers.objects import AbstractObject, Context
from raceproof.facts.pointers.pointer_integers import CARRYING_OPS, is_number
from raceproof.facts.pointers.propagation import members
from raceproof.facts.pointers.register_copies import RegisterCopies, register_copies
from raceproof.facts.pointers.workspace import Workspace
from raceproof.ir import (
    Address,
    Alloca,
    Binary,
    Call,
    Cast,
    CompareExchange,
    Compute,
    Extract,
    Function,
    Gep,
    IntConst,
    IrType,
    Load,
    Operand,
    OtherConst,
    Phi,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
    StructType,
)
from raceproof.model import ObjectKind

_COMPUTING = CARRYING_OPS | {"asm value"}
"""What is done to vectors, or by assembly, that may move a pointer."""


@dataclass(slots=True, eq=False)
class Instance:
    """A function in a context: its own nodes, objects and calls."""

    number: int
    function: Function
    context: Context
    copies: RegisterCopies
    returns: int
    regs: dict[str, int] = field(default_factory=dict)
    variadic: AbstractObject | None = None


class CallHandler(Protocol):
    def call(self, instance: Instance, instr: Call) -> None: ...


class ConstraintBuilder:
    """Makes instances and their constraints; calls are handed to `calls`, which asks for more instances."""

    def __init__(self, work: Workspace, unshared: Collection[tuple[str, Reg]] = ()) -> None:
        """`unshared`: registers, with their functions, that get nodes of their own, so that values can be added."""
        self.work = work
        self.graph = work.graph
        self._unshared: dict[str, list[Reg]] = {}
        for name, register in unshared:
            self._unshared.setdefault(name, []).append(register)
        self.calls: CallHandler | None = None
        self.instances: dict[tuple[str, Context], Instance] = {}
        self.objects_of_site: dict[SiteId, list[AbstractObject]] = {}
        self._copies: dict[str, RegisterCopies] = {}
        self._waiting: list[Instance] = []
        self._is_building = False
        # Any: each method gets an instance of its own key, which the type of a table cannot say.
        self._rules: dict[type, Callable[[Instance, Any], None]] = {
            Load: self._load,
            Store: self._store,
            Rmw: self._rmw,
            CompareExchange: self._compare_exchange,
            Gep: self._gep,
            Cast: self._cast,
            Binary: self._binary,
            Select: self._select,
            Phi: self._phi,
            Call: self._call,
            Extract: self._extract,
            Compute: self._compute,
            Return: self._return,
        }

    # Instances.

    def instance(self, name: str, context: Context = ()) -> Instance:
        """The instance of a function; its constraints are made at once, or as soon as those under way are."""
        found = self.instances.get((name, context))
        if found is not None:
            return found
        if context and not self.work.policy.take(name):
            return self.instance(name)
        function = self.work.program.functions[name]
        copies = self._copies.get(name)
        if copies is None:
            copies = self._copies[name] = register_copies(function, self.work.pointer_size)
        made = Instance(len(self.instances), function, context, copies, self.graph.new_node())
        self.instances[name, context] = made
        self._add_parameters(made)
        self._waiting.append(made)
        if not self._is_building:
            self._is_building = True
            while self._waiting:
                self._build(self._waiting.pop())
            self._is_building = False
        return made

    def _add_parameters(self, instance: Instance) -> None:
        """Make the objects that a call makes: copies of structs passed in memory, and the variadic arguments."""
        function, values = instance.function, self.work.values
        for param in function.params:
            if param.by_value is not None:
                variable = function.variables.get(param.name)
                obj = values.new_object(
                    ObjectKind.STACK,
                    variable.name if variable is not None else param.name,
                    source_type=variable.type if variable is not None else None,
                    size=param.by_value.size,
                    pos=function.pos,
                    shape=Shape(part_of_ir_type(param.by_value)),
                    function=function.name,
                    context=instance.context,
                )
                instance.regs[param.name] = self.graph.fixed(1 << values.base(obj))
        if function.is_variadic:
            instance.variadic = values.new_object(
                ObjectKind.STACK,
                f"variadic arguments of {function.source_name}",
                flat=True,
                pos=function.pos,
                function=function.name,
                context=instance.context,
            )

    def _build(self, instance: Instance) -> None:
        function = instance.function
        for block in function.blocks:
            for instr in block.body:
                if type(instr) is Alloca:
                    self._alloca(instance, instr)
        for register in self._unshared.get(function.name, ()):
            source = instance.copies.resolve(register)
            if isinstance(source, Reg):
                self.node(instance, source)
        rules = self._rules
        for instr_ in function.instructions():
            rule = rules.get(type(instr_))
            if rule is not None:
                rule(instance, instr_)

    def add_object(self, obj: AbstractObject) -> None:
        if obj.site is not None:
            self.objects_of_site.setdefault(obj.site, []).append(obj)

    # Nodes.

    def node(self, instance: Instance, reg: Reg) -> int:
        """The node of a register that is not a copy of something else."""
        node = instance.regs.get(reg.name)
        if node is None:
            node = instance.regs[reg.name] = self.graph.new_node()
        return node

    def value(self, instance: Instance, operand: Operand) -> int | None:
        """The node of an operand; None if it holds no pointer."""
        if isinstance(operand, Reg):
            operand = instance.copies.resolve(operand)
            if isinstance(operand, Reg):
                node = instance.regs.get(operand.name)
                return self.node(instance, operand) if node is None else node
        if isinstance(operand, Address):
            return self.graph.fixed(self.work.address_bits(operand))
        if isinstance(operand, OtherConst) and operand.addresses:
            return self.graph.fixed(self.work.constant_bits(operand))
        return None

    def define(self, instance: Instance, result: Reg, source: int | None) -> None:
        """Let a register have what `source` has. The first definition shares the node: registers are SSA."""
        if source is None or result.name in instance.copies.source:
            return
        known = instance.regs.get(result.name)
        if known is None:
            instance.regs[result.name] = source
        elif known != source:
            self.graph.copy(source, known)

    def feed(self, instance: Instance, result: Reg, source: int | None) -> None:
        """Let a register have, among others, what `source` has."""
        if source is not None and result.name not in instance.copies.source:
            self.graph.copy(source, self.node(instance, result))

    def add_in_all(self, function: str, register: Reg, bits: int) -> None:
        """Let a register have these values too, in every instance of its function; but not one that is the address of
        a local variable, or of a copy that was passed by value, which nothing can change."""
        for instance in self.instances.values():
            node = self.value(instance, register) if instance.function.name == function else None
            if node is not None and not self.graph.is_fixed[self.graph.parent[node]]:
                self.graph.add(node, bits)

    # Rules.

    def _alloca(self, instance: Instance, instr: Alloca) -> None:
        variable = instance.function.variables.get(instr.result.name)
        part = part_of_ir_type(instr.type)
        size: int | None = instr.type.size
        if isinstance(instr.count, IntConst):
            size = instr.type.size * instr.count.value
            if instr.count.value != 1:
                part = repeated(part, instr.type.size, size)
        else:
            part, size = repeated(part, instr.type.size, None), None
        obj = self.work.values.new_object(
            ObjectKind.STACK,
            variable.name if variable is not None else instr.result.name,
            source_type=variable.type if variable is not None else None,
            size=size,
            pos=instr.pos,
            shape=Shape(part),
            site=instr.id,
            function=instance.function.name,
            context=instance.context,
        )
        self.add_object(obj)
        instance.regs[instr.result.name] = self.graph.fixed(1 << self.work.values.base(obj))

    def _load(self, instance: Instance, instr: Load) -> None:
        slots = self.work.slots(instr.type)
        address = self.value(instance, instr.address) if slots else None
        if address is not None:
            self.load(instance, address, slots, instr.result)

    def load(self, instance: Instance, address: int, slots: tuple[int, ...], result: Reg) -> None:
        if slots == (0,):
            self.define(instance, result, self.graph.load(address))
        else:
            for slot in slots:
                self.feed(instance, result, self.graph.load(self.work.moved(address, Add(slot))))

    def _store(self, instance: Instance, instr: Store) -> None:
        self.store(instance, instr.address, instr.type, self.value(instance, instr.value))

    def store(self, instance: Instance, address: Operand, type_: IrType, source: int | None) -> None:
        slots = self.work.slots(type_)
        target = self.value(instance, address) if slots and source is not None else None
        if target is None or source is None:
            return
        for slot in slots:
            self.graph.store(source, self.work.moved(target, Add(slot)))

    def _rmw(self, instance: Instance, instr: Rmw) -> None:
        slots = self.work.slots(instr.type)
        if not slots:
            return
        address = self.value(instance, instr.address)
        if address is not None:
            self.load(instance, address, slots, instr.result)
        source = self.value(instance, instr.value)
        if instr.op in ("xchg", "max", "min", "umax", "umin"):
            self.store(instance, instr.address, instr.type, source)
            return
        for part in (source, self.node(instance, instr.result)):
            if part is not None:
                self.store(instance, instr.address, instr.type, self.work.moved(part, ANYWHERE))

    def _compare_exchange(self, instance: Instance, instr: CompareExchange) -> None:
        slots = self.work.slots(instr.type)
        address = self.value(instance, instr.address) if slots else None
        if address is not None:
            self.load(instance, address, slots, instr.result)
            self.store(instance, instr.address, instr.type, self.value(instance, instr.new))

    def _gep(self, instance: Instance, instr: Gep) -> None:
        if instr.result.name in instance.copies.source:
            return
        base = self.value(instance, instr.base)
        forwards = instance.copies.not_negative
        terms = tuple(
            (t.scale, t.count, t.is_flexible or (isinstance(t.index, Reg) and t.index.name in forwards))
            for t in instr.terms
        )
        if base is None:  # pointer arithmetic on a null base: the index is the pointer
            for term in instr.terms:
                self._feed_moved(instance, instr.result, self.value(instance, term.index))
            return
        distance = instr.offset
        if instr.result.name in instance.copies.stepping and distance != 0:
            terms, distance = ((abs(distance), None, distance > 0), *terms), 0
        is_member = isinstance(instr.source, StructType) and not terms and 0 < distance < instr.source.size
        self.define(instance, instr.result, self.work.moved(base, Add(distance, terms, is_member)))

    def _feed_moved(self, instance: Instance, result: Reg, source: int | None) -> None:
        if source is not None:
            self.feed(instance, result, self.work.moved(source, ANYWHERE))

    def _cast(self, instance: Instance, instr: Cast) -> None:
        if self.work.slots(instr.from_type) and self.work.slots(instr.to_type):
            self.feed(instance, instr.result, self.value(instance, instr.value))

    def _binary(self, instance: Instance, instr: Binary) -> None:
        if (
            instr.op not in CARRYING_OPS
            or not self.work.slots(instr.type)
            or is_number(instr, instance.copies.from_pointer)
        ):
            return
        if not self.work.integers.may_be_pointer(instance.function.name, instr.result):
            return
        left, right = instr.left, instr.right
        if isinstance(left, IntConst) and instr.op != "sub":
            left, right = right, left
        if isinstance(right, IntConst):
            source = self.value(instance, left)
            if source is not None:
                self.define(instance, instr.result, self.work.moved(source, _operation(instance, instr, right.value)))
            return
        self._feed_moved(instance, instr.result, self.value(instance, left))
        self._feed_moved(instance, instr.result, self.value(instance, right))

    def _select(self, instance: Instance, instr: Select) -> None:
        self.feed(instance, instr.result, self.value(instance, instr.if_true))
        self.feed(instance, instr.result, self.value(instance, instr.if_false))

    def _phi(self, instance: Instance, instr: Phi) -> None:
        if self.work.slots(instr.type):
            for operand, _ in instr.incoming:
                self.feed(instance, instr.result, self.value(instance, operand))

    def _call(self, instance: Instance, instr: Call) -> None:
        if self.calls is not None:
            self.calls.call(instance, instr)

    def _extract(self, instance: Instance, instr: Extract) -> None:
        self.feed(instance, instr.result, self.value(instance, instr.aggregate))

    def _compute(self, instance: Instance, instr: Compute) -> None:
        for operand in instr.operands:
            source = self.value(instance, operand)
            if source is not None:
                moved = self.work.moved(source, ANYWHERE) if instr.op in _COMPUTING else source
                self.feed(instance, instr.result, moved)

    def _return(self, instance: Instance, instr: Return) -> None:
        source = self.value(instance, instr.value) if instr.value is not None else None
        if source is not None and self.work.slots(instance.function.returns):
            self.graph.copy(source, instance.returns)

    def bits(self, instance: Instance, operand: Operand) -> int:
        """The points-to set of an operand, without making nodes."""
        if isinstance(operand, Reg):
            operand = instance.copies.resolve(operand)
            if isinstance(operand, Reg):
                node = instance.regs.get(operand.name)
                return 0 if node is None else self.graph.pts[self.graph.parent[node]]
        if isinstance(operand, Address):
            return self.work.address_bits(operand)
        return self.work.constant_bits(operand) if isinstance(operand, OtherConst) else 0

    def members(self, instance: Instance, operand: Operand) -> list[int]:
        return members(self.bits(instance, operand))


def _operation(instance: Instance, instr: Binary, constant: int) -> Operation:
    """What arithmetic with a constant does to a pointer in an integer."""
    if instr.op in ("add", "sub"):
        distance = constant if instr.op == "add" else -constant
        if instr.result.name in instance.copies.stepping:
            return Add(0, ((abs(distance), None, distance > 0),))
        return Add(distance)
    if instr.op == "and" and -16 <= constant < 0:
        return MASKS[~constant]
    if instr.op == "or" and 0 <= constant < 16:
        return TAGS[constant]
    return ANYWHERE
