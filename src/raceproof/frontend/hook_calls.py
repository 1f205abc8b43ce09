"""The text of calls of the runtime's hooks: one access hook -> lines before or behind its instruction.

The hooks are those of native/raceproof_rt.h. Values that are made here are called %rp.N, because LLVM numbers the
unnamed ones without gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from raceproof.core import InternalError
from raceproof.frontend.hook_plan import (
    RESULT,
    AccessHook,
    Appended,
    Block,
    Fixed,
    Guard,
    Moved,
    Product,
    Result,
    Stopped,
    String,
    StringAt,
    StringUpTo,
    StringWithin,
)
from raceproof.frontend.llvm_values import TextArgument
from raceproof.ir import MemoryOrder

# Every hook, and what it takes.
DECLARATIONS = {
    "rp_read": "void @rp_read(ptr, i32, i32)",
    "rp_write": "void @rp_write(ptr, i32, i32)",
    "rp_run_read": "void @rp_run_read(ptr, i32, i32)",
    "rp_run_write": "void @rp_run_write(ptr, i32, i32)",
    "rp_read_range": "void @rp_read_range(ptr, i32, i64)",
    "rp_write_range": "void @rp_write_range(ptr, i32, i64)",
    "rp_read_string": "void @rp_read_string(ptr, i32)",
    "rp_read_stopped": "void @rp_read_stopped(ptr, i32, i32, ptr, i64, i32)",
    "rp_write_string": "void @rp_write_string(ptr, i32)",
    "rp_block_size": "i64 @rp_block_size(ptr)",
    "rp_free_access": "void @rp_free_access(ptr, i32)",
    "rp_atomic_load": "void @rp_atomic_load(ptr, i32, i32, i32)",
    "rp_atomic_store": "void @rp_atomic_store(ptr, i32, i32, i32)",
    "rp_atomic_rmw": "void @rp_atomic_rmw(ptr, i32, i32, i32)",
    "rp_cas": "void @rp_cas(ptr, i32, i32, i32, i32)",
    "rp_cas_done": "void @rp_cas_done(i32)",
    "rp_fence": "void @rp_fence(i32)",
    "rp_enter": "void @rp_enter(i32)",
    "rp_leave": "void @rp_leave()",
    "rp_loop": "void @rp_loop(i32)",
    "rp_poll": "void @rp_poll(ptr, i32)",
    "rp_spin": "void @rp_spin(i32)",
    "rp_leave_loop": "void @rp_leave_loop()",
    "rp_carry": "void @rp_carry(i64)",
    "rp_round": "void @rp_round()",
    "rp_tls": "ptr @rp_tls(ptr)",
    "rp_unseen": "void @rp_unseen()",
    "rp_fresh": "void @rp_fresh(ptr, i64)",
    "rp_set_range": "void @rp_set_range(ptr, i32, i64)",
    "rp_set_string": "void @rp_set_string(ptr, i32)",
    "rp_set_bits": "void @rp_set_bits(ptr, i64, i32)",
    "rp_set_rest": "void @rp_set_rest(ptr, i64)",
    "rp_copied": "void @rp_copied(ptr, ptr, i64)",
    "rp_check_range": "void @rp_check_range(ptr, i32, i64)",
    "rp_check_string": "void @rp_check_string(ptr, i32)",
    "rp_check_bits": "void @rp_check_bits(ptr, i64, i32, i32)",
    "rp_undefined": "void @rp_undefined(i32, i32)",
    "rp_outside": "void @rp_outside(i32)",
}
HOOKS = tuple(DECLARATIONS)
_ANY = 1 << 20  # bytes of which one does not know how many they are
_ORDERS = {
    MemoryOrder.UNORDERED: 1,
    MemoryOrder.RELAXED: 1,
    MemoryOrder.ACQUIRE: 2,
    MemoryOrder.RELEASE: 3,
    MemoryOrder.ACQ_REL: 4,
    MemoryOrder.SEQ_CST: 5,
}


def order_number(order: MemoryOrder) -> int:
    """The runtime's number of a memory order (`enum rp_order`)."""
    return _ORDERS[order]


def call(hook: str, *arguments: str) -> str:
    if hook not in DECLARATIONS:
        raise InternalError(f"{hook} is not a hook of the runtime")
    return f"  call void @{hook}({', '.join(arguments)})"


@dataclass(slots=True)
class HookWriter:
    """Writes hooks for a machine whose addresses have so many bits. Lengths have 64 of them all the same.

    `used` are the functions besides the hooks that the lines call, with their declarations.
    """

    bits: int = 64
    used: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def new(self) -> str:
        self._count += 1
        return f"%rp.{self._count}"

    def end_of_string(self, pointer: str) -> tuple[list[str], str]:
        """Where the string at `pointer` has its NUL: the lines that find it, and its address."""
        lines: list[str] = []
        self.used["strlen"] = f"i{self.bits} @strlen(ptr)"
        length = self._make(lines, f"call i{self.bits} @strlen(ptr {pointer})")
        return lines, self._make(lines, f"getelementptr i8, ptr {pointer}, i{self.bits} {length}")

    def size_of_block(self, pointer: str) -> tuple[list[str], str]:
        """How large the block at `pointer` is: the lines that ask for it, and the number."""
        lines: list[str] = []
        return lines, self._make(lines, f"call i64 @rp_block_size(ptr {pointer})")

    def touch(
        self,
        hook: AccessHook,
        arguments: Sequence[TextArgument],
        result: TextArgument | None,
        before: TextArgument | None = None,
    ) -> list[str]:
        """The lines that tell of an access of a call. Empty if an argument is missing: such a call touches nothing.

        `before`: what was found out for this hook before the call."""
        if hook.argument is None or hook.argument >= len(arguments):
            return []
        pointer = result if hook.argument == RESULT else arguments[hook.argument]
        if pointer is None or pointer.type != "ptr" or pointer.value is None:
            return []
        lines: list[str] = []
        access = f"i32 {hook.access}"
        verb = hook.kind if hook.kind in ("read", "check", "set") else "write"
        if hook.kind == "rest":
            most = hook.extent.count if isinstance(hook.extent, Fixed) else _ANY
            return [call("rp_set_rest", f"ptr {pointer.value}", f"i64 {most}")]
        match hook.extent:
            case Stopped() if verb == "read":
                return self._stopped(hook, hook.extent, pointer.value, arguments)
            case Stopped(whole=whole):
                return self.touch(replace(hook, extent=whole), arguments, result, before)
            case Block():
                return [call("rp_free_access", f"ptr {pointer.value}", access)]
            case String() | Appended():  # for the latter, the caller has put the end of the old string in its place
                address = pointer.value
                if (condition := self._condition(hook, result, lines)) is not None:
                    address = self._make(lines, f"select i1 {condition}, ptr {address}, ptr null")
                lines.append(call(f"rp_{verb}_string", f"ptr {address}", access))
            case StringAt():
                address = self._make(lines, f"load ptr, ptr {pointer.value}")
                if (condition := self._condition(hook, result, lines)) is not None:
                    address = self._make(lines, f"select i1 {condition}, ptr {address}, ptr null")
                lines.append(call(f"rp_{verb}_string", f"ptr {address}", access))
            case None:
                raise InternalError("an access through an argument has an extent")
            case _:
                length = self._length(hook, pointer.value, arguments, result, lines)
                if isinstance(hook.extent, Moved) and before is not None and before.value and length is not None:
                    length = self._intrinsic("umin", length, before.value, lines)
                if length is None:
                    return []
                if (condition := self._condition(hook, result, lines)) is not None:
                    length = self._make(lines, f"select i1 {condition}, i64 {length}, i64 0")
                lines.append(call(f"rp_{verb}_range", f"ptr {pointer.value}", access, f"i64 {length}"))
        return lines

    def _stopped(self, hook: AccessHook, extent: Stopped, pointer: str, arguments: Sequence[TextArgument]) -> list[str]:
        lines: list[str] = []
        other: str | None = "null"
        if extent.other is not None:
            given = _at(arguments, extent.other)
            other = given.value if given is not None and given.type == "ptr" else None
        number: str | None = str(extent.constant)
        if extent.number is not None:
            number = self._most(_at(arguments, extent.number), lines)
        if other is None or number is None:
            return []
        told = (f"i32 {hook.access}", f"i32 {extent.stop.value}", f"ptr {other}", f"i64 {number}", f"i32 {extent.site}")
        return [*lines, call("rp_read_stopped", f"ptr {pointer}", *told)]

    def copied(self, arguments: Sequence[TextArgument]) -> list[str]:
        """The lines that tell that the first argument gets what is at the second, as many bytes as the third says."""
        if len(arguments) < 3 or arguments[0].value is None or arguments[1].value is None:
            return []
        lines: list[str] = []
        length = self._most(arguments[2], lines)
        if length is None:
            return []
        return [*lines, call("rp_copied", f"ptr {arguments[0].value}", f"ptr {arguments[1].value}", f"i64 {length}")]

    def _length(
        self,
        hook: AccessHook,
        pointer: str,
        arguments: Sequence[TextArgument],
        result: TextArgument | None,
        lines: list[str],
    ) -> str | None:
        match hook.extent:
            case Fixed(count=count):
                return str(count)
            case Moved(limit=indices):
                return self._length(replace(hook, extent=Product(indices)), pointer, arguments, result, lines)
            case Product(arguments=indices, unit=unit):
                length: str | None = str(unit)
                for index in indices:
                    factor = self._wide(_at(arguments, index), lines)
                    if factor is None:
                        return None
                    length = factor if length == "1" else self._make(lines, f"mul i64 {length}, {factor}")
                return length
            case StringUpTo(limit=index, is_signed=is_signed):
                given = _at(arguments, index)
                most = self._wide(given, lines, is_signed=True) if is_signed else self._most(given, lines)
                return None if most is None else self._string_within(pointer, most, lines)
            case StringWithin(limit=bytes_):
                return self._string_within(pointer, str(bytes_), lines)
            case Result():
                return self._returned(hook.extent, arguments, result, lines)
            case _:
                raise InternalError("only strings and blocks have no length")

    def _returned(
        self, extent: Result, arguments: Sequence[TextArgument], result: TextArgument | None, lines: list[str]
    ) -> str | None:
        length = self._wide(result, lines, is_signed=True)
        if length is None:
            return None
        if extent.plus:
            is_error = self._make(lines, f"icmp slt i64 {length}, 0")
            length = self._make(lines, f"add i64 {length}, {extent.plus}")
            length = self._make(lines, f"select i1 {is_error}, i64 0, i64 {length}")
        length = self._intrinsic("smax", length, "0", lines)
        if extent.times is not None:
            factor = self._wide(_at(arguments, extent.times), lines)
            length = None if factor is None else self._make(lines, f"mul i64 {length}, {factor}")
        if extent.limit is not None and length is not None:
            most = self._most(_at(arguments, extent.limit), lines)
            length = None if most is None else self._intrinsic("umin", length, most, lines)
        return length

    def _string_within(self, pointer: str, limit: str, lines: list[str]) -> str:
        self.used["strnlen"] = f"i{self.bits} @strnlen(ptr, i{self.bits})"
        most = limit
        if self.bits < 64 and limit.startswith("%"):
            most = self._make(lines, f"trunc i64 {limit} to i{self.bits}")
        length = self._make(lines, f"call i{self.bits} @strnlen(ptr {pointer}, i{self.bits} {most})")
        if self.bits < 64:
            length = self._make(lines, f"zext i{self.bits} {length} to i64")
        with_nul = self._make(lines, f"add i64 {length}, 1")
        return self._intrinsic("umin", with_nul, limit, lines)

    def _condition(self, hook: AccessHook, result: TextArgument | None, lines: list[str]) -> str | None:
        if hook.guard is Guard.ALWAYS:
            return None
        if result is None or result.value is None:
            raise InternalError("an access that depends on the result of a call without one")
        if hook.guard is Guard.NOT_NULL:
            return self._make(lines, f"icmp ne ptr {result.value}, null")
        if hook.guard is Guard.ZERO:
            return self._make(lines, f"icmp eq {result.type} {result.value}, 0")
        return self._make(lines, f"icmp sgt {result.type} {result.value}, {hook.bound}")

    def _wide(self, argument: TextArgument | None, lines: list[str], is_signed: bool = False) -> str | None:
        """The argument as 64 bits; an `int` that counts is never negative where it matters."""
        if argument is None or argument.value is None or argument.type not in ("i16", "i32", "i64"):
            return None
        if argument.type == "i64":
            return argument.value
        wide = self._make(lines, f"sext {argument.type} {argument.value} to i64")
        return wide if is_signed else self._intrinsic("smax", wide, "0", lines)

    def _most(self, argument: TextArgument | None, lines: list[str]) -> str | None:
        """The same for a size that only limits what is touched: there, all bits set is a size, and no mistake."""
        if self.bits == 64 or argument is None or argument.value is None or argument.type != f"i{self.bits}":
            return self._wide(argument, lines)
        return self._make(lines, f"zext {argument.type} {argument.value} to i64")

    def _intrinsic(self, name: str, left: str, right: str, lines: list[str]) -> str:
        self.used[f"llvm.{name}.i64"] = f"i64 @llvm.{name}.i64(i64, i64)"
        return self._make(lines, f"call i64 @llvm.{name}.i64(i64 {left}, i64 {right})")

    def _make(self, lines: list[str], instruction: str) -> str:
        name = self.new()
        lines.append(f"  {name} = {instruction}")
        return name


def _at(arguments: Sequence[TextArgument], index: int) -> TextArgument | None:
    return arguments[index] if index < len(arguments) else None
