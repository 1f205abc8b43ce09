"""The body of one function, row by row, with hooks put in.

The rows are walked together with the function's `ir` instructions: the text says what stands where, the `ir` what it
is and which site it has. Nothing that the program does is changed or moved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raceproof.core import InternalError, Unsupported
from raceproof.frontend.bits_used import BitsUsed, bits_used
from raceproof.frontend.hook_calls import HookWriter, call, order_number
from raceproof.frontend.hook_plan import NO_ACCESS, AccessHook, Appended, HookPlan, Moved
from raceproof.frontend.llvm_functions import instruction_rows
from raceproof.frontend.llvm_lexer import split_attachments, unquote
from raceproof.frontend.llvm_values import TextArgument, access_address, atomic_address, call_arguments
from raceproof.frontend.spin_loops import SpinLoops
from raceproof.frontend.undefined_values import NO_UNDEFINED, UndefinedValues, is_nothing, undefined_values
from raceproof.ir import (
    OPAQUE_ASSEMBLY,
    SYSTEM_CALL_ASSEMBLY,
    Address,
    Alloca,
    Branch,
    Call,
    Cast,
    CompareExchange,
    Compute,
    Fence,
    Function,
    Instr,
    IntConst,
    IntType,
    IrType,
    Jump,
    Load,
    Operand,
    OtherConst,
    Phi,
    Program,
    PtrType,
    Reg,
    Return,
    Rmw,
    Store,
    Switch,
    Terminator,
    operands,
    successors,
    value_bytes,
)

GIVES, TAKES = 1, 2  # `enum rp_outside`
ATOMIC_BEGIN, ATOMIC_END = "rp_lib___VERIFIER_atomic_begin", "rp_lib___VERIFIER_atomic_end"

_OPAQUE = (Address(OPAQUE_ASSEMBLY), Address(SYSTEM_CALL_ASSEMBLY))
_LABEL = re.compile(r'("[^"]*"|[\w$.\-]+):')
_RESULT = re.compile(r'  (%(?:"[^"]*"|[\w$.\-]+)) = ')
_CALLED_TYPE = re.compile(r"call (?:[a-z]+(?:\([^)]*\))? )*?(ptr|i\d+)\b")
# Barriers and hints to the processor mean nothing to fibers.
_ASSEMBLY = re.compile(r'(\bcall [^@"]*\basm (?:[a-z]+ )*)"[^"]*"')
_COUNT = re.compile(r", (i\d+) (%(?:\"[^\"]*\"|[\w$.\-]+))")
_INCOMING = re.compile(r"\[ (.*?) \](?=, \[|$)")
_TARGET_LABEL = re.compile(r'label (%(?:"[^"]*"|[\w$.\-]+))')


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What the rows of all functions are judged by."""

    program: Program
    plan: HookPlan
    may_reach_hook: frozenset[str]  # functions of the program; "" for calls through a pointer
    thread_locals: Mapping[str, re.Pattern[str]]
    spins: SpinLoops
    used_results: frozenset[str] = frozenset()


@dataclass(slots=True)
class FunctionInstrumenter:
    """Rewrites the body of one function."""

    facts: ModuleFacts
    function: Function
    writer: HookWriter
    out: list[str] = field(default_factory=list)
    label: str = ""
    _loop_pending: int | None = None
    _left_pending: bool = False
    _used: frozenset[Operand] | None = None
    _carried: list[tuple[str, IrType]] = field(default_factory=list)
    undefined: UndefinedValues = NO_UNDEFINED
    _bits_found: BitsUsed | None = None
    _gone: list[tuple[str, str]] = field(default_factory=list)

    def run(self, rows: Sequence[str]) -> list[str]:
        instructions = self.function.instructions()
        self.undefined = undefined_values(self.function, self.function.name in self.facts.used_results)
        self.label = self.function.blocks[0].label
        if self.function.name in self.facts.plan.atomic_functions:
            self._site(next(self.function.instructions()))
            self.out.append(f"  call void @{ATOMIC_BEGIN}()")
        done = 0
        for found in instruction_rows(rows):
            for row in rows[done : found.first]:
                self._between(row)
            done = found.last + 1
            text = [split_attachments(row)[0] for row in rows[found.first : done]]
            if not found.has_site:
                if "@llvm.dbg." not in text[0] and not _ASSEMBLY.search(text[0]):
                    self.out += text
                continue
            instr = next(instructions, None)
            result = _RESULT.match(text[0])
            expected = getattr(instr, "result", None)
            name = unquote(result.group(1)[1:]) if result else None
            if instr is None or name != (expected.name if expected is not None else None):
                raise InternalError(f"sites of {self.function.name} are not those of its text: {text[0]!r}")
            self._instruction(instr, text)
        if next(instructions, None) is not None:
            raise InternalError(f"{self.function.name} has more sites than instructions in its text")
        return self.out

    def _between(self, row: str) -> None:
        """Labels; comments and debug records go."""
        match = _LABEL.match(row)
        if match is not None:
            self.label = unquote(match.group(1))
            self.out += ["", f"{match.group()}"]
            self._loop_pending = self.facts.spins.headers.get((self.function.name, self.label))
            self._left_pending = (self.function.name, self.label) in self.facts.spins.left

    def _instruction(self, instr: Instr | Terminator, text: list[str]) -> None:
        if self._left_pending and not isinstance(instr, Phi):
            self.out.append(call("rp_leave_loop"))
            self._left_pending = False
        if self._loop_pending is not None and not isinstance(instr, Phi):
            self.out.append(call("rp_loop", f"i32 {self._loop_pending}"))
            for register, type_ in self._carried:
                self._carry(register, type_)
            self.out.append(call("rp_round"))
            self._loop_pending = None
            self._carried = []
        self._undefined(instr)
        text = self._thread_local_uses(instr, text)
        if isinstance(instr, Compute) and instr.op == "asm":
            text = [_ASSEMBLY.sub(r'\1""', text[0])]
        elif isinstance(instr, Compute) and instr.op == "asm value":  # LLVM ends the process if it cannot read it
            raise Unsupported("running inline assembly", instr.pos)
        match instr:
            case Load() | Store() if instr.order is None:
                self._plain(instr, text[0])
            case Load() | Store() | Rmw() | CompareExchange() | Fence():
                self._atomic(instr, text[0])
            case Call():
                self._call(instr, text)
                return
            case Alloca() if instr.id in self.facts.plan.variables:
                text = [*text, *self._variable(instr, text[0])]
            case Phi():
                text = [*self._companion(instr, text[0]), self._phi(instr, text[0])]
                if instr.id in self.facts.spins.carried:
                    self._carried.append((text[-1].split(" = ", 1)[0].strip(), instr.type))
            case Return():
                self.out += [call("rp_set_range", f"ptr {register}", "i32 0", size) for register, size in self._gone]
                if self.function.name in self.facts.plan.atomic_functions:
                    self._site(instr)
                    self.out.append(f"  call void @{ATOMIC_END}()")
            case Jump() | Branch() | Switch() if self._is_latch():
                self._latch(instr, text)
                return
            case _:
                pass
        self.out += text
        if isinstance(instr, CompareExchange):
            flag, wide = self.writer.new(), self.writer.new()
            register = text[0].split(" = ", 1)[0].strip()
            self.out.append(f"  {flag} = extractvalue {{ {instr.type}, i1 }} {register}, 1")
            self.out.append(f"  {wide} = zext i1 {flag} to i32")
            self.out.append(call("rp_cas_done", f"i32 {wide}"))

    def _carry(self, register: str, type_: IrType) -> None:
        """Tell the value of a phi, as 64 bits."""
        value = register
        if isinstance(type_, PtrType):
            value = self.writer.new()
            self.out.append(f"  {value} = ptrtoint ptr {register} to i64")
        elif isinstance(type_, IntType) and type_.bits != 64:
            value = self.writer.new()
            verb = "zext" if type_.bits < 64 else "trunc"
            self.out.append(f"  {value} = {verb} i{type_.bits} {register} to i64")
        self.out.append(call("rp_carry", f"i64 {value}"))

    # --- memory

    def _plain(self, instr: Load | Store, head: str) -> None:
        hooks = self.facts.plan.accesses.get(instr.id, ())
        is_polled = instr.id in self.facts.spins.polled
        if not hooks and not is_polled and instr.id not in self.facts.plan.memory:
            return
        address = self._address(instr, access_address(head))
        for hook in hooks:
            verb = "read" if hook.kind == "read" else "write"
            verb = f"rp_run_{verb}" if self.facts.plan.tells_all else f"rp_{verb}"
            self.out.append(call(verb, f"ptr {address}", f"i32 {hook.access}", f"i32 {instr.type.size}"))
        if not hooks and is_polled:
            self.out.append(call("rp_poll", f"ptr {address}", f"i32 {instr.type.size}"))
        self._validity(instr, address)

    def _validity(self, instr: Load | Store | Rmw | CompareExchange, address: str) -> None:
        """Ask whether what is read was written, and tell what is written."""
        size = instr.type.size
        for hook in self.facts.plan.memory.get(instr.id, ()):
            if hook.kind == "check" and isinstance(instr, Load) and instr.result in self._bits().used and size <= 8:
                used = self._bits().used[instr.result]
                if used:
                    self.out.append(
                        call("rp_check_bits", f"ptr {address}", f"i64 {used}", f"i32 {size}", f"i32 {instr.id}")
                    )
            elif hook.kind == "check":
                self._bytes("rp_check_range", instr, address)
            elif instr.id in self._bits().kept:
                kept = self._bits().kept[instr.id]
                self.out.append(call("rp_set_bits", f"ptr {address}", f"i64 {kept}", f"i32 {size}"))
            else:
                self._bytes("rp_set_range", instr, address)

    def _bytes(self, verb: str, instr: Load | Store | Rmw | CompareExchange, address: str) -> None:
        """Of each part of the value, without its padding."""
        for at, size in value_bytes(instr.type):
            place = address
            if at:
                place = self.writer.new()
                self.out.append(f"  {place} = getelementptr i8, ptr {address}, i64 {at}")
            self.out.append(call(verb, f"ptr {place}", f"i32 {instr.id}", f"i64 {size}"))

    def _bits(self) -> BitsUsed:
        if self._bits_found is None:
            self._bits_found = bits_used(self.function)
        return self._bits_found

    # --- values that were never given

    def _variable(self, instr: Alloca, row: str) -> list[str]:
        """A local variable comes to be; when its function returns, its memory is somebody else's."""
        register = row.split(" = ", 1)[0].strip()
        if isinstance(instr.count, IntConst):
            size = f"i64 {instr.type.size * instr.count.value}"
            if self.label == self.function.blocks[0].label:
                self._gone.append((register, size))
            return [call("rp_fresh", f"ptr {register}", size)]
        count = _COUNT.search(row)
        if count is None:
            return []
        lines: list[str] = []
        many = count.group(2)
        if count.group(1) != "i64":
            many = self.writer.new()
            lines.append(f"  {many} = zext {count.group(1)} {count.group(2)} to i64")
        size = self.writer.new()
        lines.append(f"  {size} = mul i64 {many}, {instr.type.size}")
        return [*lines, call("rp_fresh", f"ptr {register}", f"i64 {size}")]

    def _undefined(self, instr: Instr | Terminator) -> None:
        never, phis = self.undefined.asks_of(instr)
        if never and not self._is_ignored(instr):
            self.out.append(call("rp_undefined", "i32 1", f"i32 {instr.id}"))
        for register in phis:
            flag = self.writer.new()
            self.out.append(f"  {flag} = zext i1 {_companion_name(register)} to i32")
            self.out.append(call("rp_undefined", f"i32 {flag}", f"i32 {instr.id}"))

    def _is_ignored(self, instr: Instr | Terminator) -> bool:
        """A call of a function that does not look at those of its arguments that have no value; or one that stands for
        what the loader does, which has values of its own (`startup`)."""
        if isinstance(instr, Call) and self.function.pos is None:
            return True
        if not isinstance(instr, Call) or not isinstance(instr.callee, Address):
            return False
        callee = self.facts.program.functions.get(instr.callee.symbol)
        if callee is None or len(callee.params) < len(instr.args):
            return False
        used = {o for i in callee.instructions() for o in operands(i)}
        missing = [n for n, o in enumerate(instr.args) if is_nothing(o) or o in self.undefined.never]
        return not any(Reg(callee.params[n].name) in used for n in missing)

    def _companion(self, instr: Phi, row: str) -> list[str]:
        """Beside a phi that may have no value, one that says whether it has none."""
        if instr.result not in self.undefined.sometimes:
            return []
        blocks = [entry.rpartition(", %")[2] for entry in _INCOMING.findall(row)]
        flags = []
        for (value, _), block in zip(instr.incoming, blocks, strict=True):
            flag = "true" if is_nothing(value) or value in self.undefined.never else "false"
            if isinstance(value, Reg) and value in self.undefined.sometimes:
                flag = _companion_name(value)
            flags.append(f"[ {flag}, %{block} ]")
        return [self._phi(instr, f"  {_companion_name(instr.result)} = phi i1 {', '.join(flags)}")]

    def _atomic(self, instr: Load | Store | Rmw | CompareExchange | Fence, head: str) -> None:
        self._site(instr)
        if isinstance(instr, Fence):
            self.out.append(call("rp_fence", f"i32 {order_number(instr.order)}"))
            return
        hooks = self.facts.plan.accesses.get(instr.id, ())
        access = hooks[0].access if hooks else NO_ACCESS
        find = access_address if isinstance(instr, Load | Store) else atomic_address
        address = self._address(instr, find(head))
        if instr.order is None:
            raise InternalError("a plain access among the atomic ones")
        arguments = (f"ptr {address}", f"i32 {access}", f"i32 {instr.type.size}", f"i32 {order_number(instr.order)}")
        match instr:
            case Load():
                self.out.append(call("rp_atomic_load", *arguments))
            case Store():
                self.out.append(call("rp_atomic_store", *arguments))
            case Rmw():
                self.out.append(call("rp_atomic_rmw", *arguments))
            case CompareExchange():
                self.out.append(call("rp_cas", *arguments, f"i32 {order_number(instr.failure_order)}"))
        self._validity(instr, address)

    def _address(self, instr: Instr, address: str | None) -> str:
        if address is None:
            raise Unsupported("an access in an address space of its own", instr.pos)
        return address

    def _site(self, instr: Instr | Terminator) -> None:
        self.out.append(f"  store i32 {instr.id}, ptr @rp_site, align 4")

    # --- calls

    def _call(self, instr: Call, text: list[str]) -> None:
        plan, head = self.facts.plan, text[0]
        if isinstance(instr.callee, OtherConst):  # what it reads, writes and orders could not be seen
            raise Unsupported(f"running {instr.callee}", instr.pos)
        if instr.callee in _OPAQUE:
            raise Unsupported("running inline assembly", instr.pos)
        hooks = plan.accesses.get(instr.id, ()) + plan.memory.get(instr.id, ())
        arguments = call_arguments(head) if hooks or instr.id in plan.copies else []
        is_tail = head.lstrip().startswith("musttail") or " = musttail call" in head
        ends: dict[AccessHook, TextArgument] = {}
        sizes: dict[AccessHook, TextArgument] = {}
        for hook in hooks:
            if not hook.behind:
                self.out += self.writer.touch(hook, arguments, None)
            elif isinstance(hook.extent, Appended) and (pointer := _pointer(hook, arguments)) is not None:
                lines, end = self.writer.end_of_string(pointer)
                self.out += lines
                ends[hook] = TextArgument("ptr", end)
            elif isinstance(hook.extent, Moved) and (old := arguments[hook.extent.source].value) is not None:
                lines, size = self.writer.size_of_block(old)
                self.out += lines
                sizes[hook] = TextArgument("i64", size)
        if instr.id in plan.copies:
            self.out += self.writer.copied(arguments)
        symbol = instr.callee.symbol if isinstance(instr.callee, Address) else ""
        is_entered = symbol in self.facts.may_reach_hook and not is_tail
        if is_entered:
            self.out.append(call("rp_enter", f"i32 {instr.id}"))
        if symbol in plan.replaced or not symbol:
            self._site(instr)
        if symbol in plan.meetings and instr.result not in self._used_registers():
            self.out.append(call("rp_unseen"))
        outside = plan.outside.get(instr.id, 0)
        if outside & GIVES:
            self.out.append(call("rp_outside", f"i32 {GIVES}"))
        self.out += text
        if is_tail or instr.noreturn:
            return
        if outside & TAKES:
            self.out.append(call("rp_outside", f"i32 {TAKES}"))
        if is_entered:
            self.out.append(call("rp_leave"))
        behind = [hook for hook in hooks if hook.behind]
        if behind:
            result = _call_result(head)
            for hook in behind:
                given = list(arguments)
                if hook.argument is not None and hook in ends:
                    given[hook.argument] = ends[hook]
                self.out += self.writer.touch(hook, given, result, sizes.get(hook))

    def _used_registers(self) -> frozenset[Operand]:
        if self._used is None:
            self._used = frozenset(o for i in self.function.instructions() for o in operands(i))
        return self._used

    # --- thread-local variables

    def _thread_local_uses(self, instr: Instr | Terminator, text: list[str]) -> list[str]:
        """The address of a thread-local variable comes from the runtime."""
        if not self.facts.thread_locals:
            return text
        if isinstance(instr, Cast) and instr.op == "threadlocal":
            register = text[0].split(" = ", 1)[0].strip()
            for token, pattern in self.facts.thread_locals.items():
                if pattern.search(text[0]):
                    return [f"  {register} = call ptr @rp_tls(ptr {token})"]
        for token, pattern in self.facts.thread_locals.items():
            if token not in text[0] or not pattern.search(text[0]):
                continue
            if isinstance(instr, Phi) or "getelementptr" in text[0].partition(" = getelementptr")[0]:
                raise Unsupported(f"the thread-local variable {token[1:]} in a constant expression", instr.pos)
            pointer = self.writer.new()
            self.out.append(f"  {pointer} = call ptr @rp_tls(ptr {token})")
            text = [pattern.sub(pointer, text[0]), *text[1:]]
        return text

    # --- loops that wait

    def _is_latch(self) -> bool:
        return (self.function.name, self.label) in self.facts.spins.latches

    def _latch(self, terminator: Jump | Branch | Switch, text: list[str]) -> None:
        """Lead each way back to a header over a block that says so."""
        name = self.function.name
        back = self.facts.spins.latches[(name, self.label)]
        extra: list[str] = []

        def redirect(match: re.Match[str]) -> str:
            target = unquote(match.group(1)[1:])
            return f"label %{back_label(self.label, target)}" if target in back else match.group()

        self.out += [_TARGET_LABEL.sub(redirect, row) for row in text]
        tokens = {unquote(t[1:]): t for row in text for t in _TARGET_LABEL.findall(row)}
        for target in successors(terminator):
            if target in back:
                extra += ["", f"{back_label(self.label, target)}:", call("rp_spin", f"i32 {back[target]}")]
                extra.append(f"  br label {tokens[target]}")
        self.out += extra

    def _phi(self, instr: Phi, row: str) -> str:
        """The way back comes over another block now, once even if several edges led here."""
        spins, name = self.facts.spins, self.function.name
        if (name, self.label) not in spins.headers:
            return row
        head, _, rest = row.partition("[")
        seen: set[str] = set()
        kept: list[str] = []
        for entry in _INCOMING.findall(f"[{rest}"):
            value, _, block = entry.rpartition(", %")
            source = unquote(block)
            if self.label in spins.latches.get((name, source), {}):
                if source in seen:
                    continue
                seen.add(source)
                block = back_label(source, self.label)
            kept.append(f"[ {value}, %{block} ]")
        return head + ", ".join(kept)


def back_label(latch: str, header: str) -> str:
    """The block on the way from a latch back to a header, quoted: labels may hold anything."""
    plain = "".join(c if c.isalnum() or c in "._-" else f"\\{ord(c):02X}" for c in f"{latch}.{header}")
    return f'"rp.back.{plain}"'


def _companion_name(register: Reg) -> str:
    plain = "".join(c if c.isalnum() or c in "._-" else f"\\{ord(c):02X}" for c in register.name)
    return f'%"rp.undefined.{plain}"'


def _pointer(hook: AccessHook, arguments: Sequence[TextArgument]) -> str | None:
    return arguments[hook.argument].value if hook.argument is not None and hook.argument < len(arguments) else None


def _call_result(head: str) -> TextArgument | None:
    register = _RESULT.match(head)
    type_ = _CALLED_TYPE.search(head)
    return TextArgument(type_.group(1), register.group(1)) if register and type_ else None
