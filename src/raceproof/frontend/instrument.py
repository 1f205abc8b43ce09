"""A program's LLVM text with hooks put in, ready to be loaded by the explorer's runtime.

    instrument(module.text, program, plan)  ->  text that exports what native/raceproof_rt.h lists

The sites in the hooks are those of `program`, which must have been parsed from the same text. Debug information is
left out: the runtime speaks of sites, and reports look up their positions in the `Program`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from raceproof.core import InternalError, Unsupported
from raceproof.frontend.file_assembly import LINE
from raceproof.frontend.hook_calls import DECLARATIONS, HookWriter
from raceproof.frontend.hook_plan import HookPlan
from raceproof.frontend.instrument_function import ATOMIC_BEGIN, ATOMIC_END, FunctionInstrumenter, ModuleFacts
from raceproof.frontend.live_frames import add_frames
from raceproof.frontend.llvm_lexer import split_attachments, unquote
from raceproof.frontend.module_exports import exports, symbol
from raceproof.frontend.spin_loops import spin_loops
from raceproof.frontend.startup import DESTRUCTORS
from raceproof.frontend.undefined_values import used_results
from raceproof.ir import Address, Call, CompareExchange, Fence, Function, Load, Program, Rmw, Store, operands

TLS_SECTION = "rptls"

_NAME = r'"[^"]*"|[\w$.\-]+'
_DEFINITION = re.compile(rf"define [^@]*@({_NAME})\(")
_DECLARATION = re.compile(rf"declare (?:!\S+ !\S+ )*(.*?@({_NAME})\(.*)")
_GLOBAL = re.compile(rf"@({_NAME}) = ")
_GROUP = re.compile(r"attributes (#\d+) = \{ ?(.*?) ?\}")
_KEPT_ATTRIBUTES = re.compile(r"\b(?:noreturn|nounwind|returns_twice|strictfp|naked)\b")
_ALWAYS = ("noinline", "null_pointer_is_valid")  # why: _attribute_group
_FEATURES = re.compile(r'"target-features"="([^"]*)"')
_QUOTED = re.compile(r'"[^"]*"(?:="[^"]*")?')
_LISTED = re.compile(rf"\{{ i32 (\d+), ptr @({_NAME}), ptr [^}}]*\}}")
# A function of the library that is called in another way than the runtime's would find other arguments. Only those that
# glibc's cleanup macros call are, in 32 bits, and the runtime's take theirs in the same way.
_OTHER_CONVENTION = re.compile(r"\binreg\b|\bx86_\w+cc\b")
_IN_REGISTERS = frozenset(
    f"__pthread_{name}"
    for name in (
        *("register_cancel", "unregister_cancel", "register_cancel_defer", "unregister_cancel_restore"),
        "unwind_next",
    )
)
_THREAD_LOCAL = re.compile(r"\bthread_local(?:\(\w+\))? ")


def instrument(text: str, program: Program, plan: HookPlan) -> str:
    """The module with hooks. Raises `Unsupported` for what the runtime cannot carry out."""
    if program.pointer_size not in (4, 8):
        raise Unsupported(f"running a program compiled for {program.pointer_size * 8} bits")
    places = {f.name: f.pos for f in program.functions.values()} | {g.name: g.pos for g in program.globals.values()}
    for name, pos in places.items():
        if name.startswith("rp_"):
            raise Unsupported(f"running a program with names of the runtime, rp_...: {name}", pos)
    writer = HookWriter(program.pointer_size * 8)
    facts = ModuleFacts(
        program=program,
        plan=plan,
        may_reach_hook=_may_reach_hook(program, plan),
        thread_locals=_thread_locals(program),
        spins=spin_loops(program, plan),
        used_results=used_results(program),
    )
    module = _Module(facts, writer)
    module.read(text)
    lines = _renamed(module.lines, plan.replaced)
    declared = module.declared
    hooks = [*DECLARATIONS.values(), *(d for name, d in writer.used.items() if name not in declared)]
    if plan.atomic_functions & program.functions.keys():
        present = {plan.replaced.get(name, name) for name in declared}
        hooks += [f"void @{name}()" for name in (ATOMIC_BEGIN, ATOMIC_END) if name not in present]
    metadata = _referenced(lines, module.metadata)
    if plan.tells_states:
        if module.destructors:
            raise Unsupported("telling states of a program with functions that run behind its main")
        lines = add_frames(lines, program.entry, plan.tells_idle)
    made = exports(program, plan.tokens, module.destructors, bool(facts.thread_locals))
    return "\n".join([*lines, *(f"declare {d}" for d in hooks), *made, *metadata, ""])


class _Module:
    """The lines of the module; function bodies are rewritten as they are met."""

    def __init__(self, facts: ModuleFacts, writer: HookWriter) -> None:
        self._facts = facts
        self._writer = writer
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.metadata: dict[str, str] = {}
        self.destructors: list[str] = []
        self._taken: set[str] = set()

    def read(self, text: str) -> None:
        rows = iter(text.split("\n"))
        for row in rows:
            if not row or row[0] == ";":
                continue
            if row[0] == "!":
                number, _, definition = row.partition(" = ")
                self.metadata[number] = definition
            elif row.startswith("define "):
                self._definition(row, rows)
            elif row.startswith("declare "):
                self._declaration(row)
            elif row.startswith("attributes "):
                self.lines.append(_attribute_group(row))
            elif row.startswith(LINE):
                raise Unsupported("running a program with assembly at file scope")
            elif match := _GLOBAL.match(row):
                self._global(row, unquote(match.group(1)))
            elif not row.startswith(("^", "uselistorder")):
                self.lines.append(row)

    def _definition(self, row: str, rows: Iterable[str]) -> None:
        match = _DEFINITION.match(row)
        function = self._facts.program.functions.get(unquote(match.group(1))) if match else None
        if function is None:
            raise InternalError(f"a function in the text that the program does not have: {row[:200]}")
        body = []
        for line in rows:
            if line[:1] == "}":
                break
            body.append(line)
        head = re.sub(r" !dbg !\d+", "", row)
        always = " ".join(_ALWAYS)
        self.lines.append(head if re.search(r"\) .*#\d+", head) else re.sub(r" \{$", f" {always} {{", head))
        self.lines += FunctionInstrumenter(self._facts, function, self._writer).run(body)
        self.lines.append("}")

    def _declaration(self, row: str) -> None:
        match = _DECLARATION.match(row)
        if match is None:
            raise Unsupported(f"LLVM construct {row[:200]!r}")
        name = unquote(match.group(2))
        self.declared.add(name)
        if _OTHER_CONVENTION.search(row) and name not in _IN_REGISTERS:
            raise Unsupported(f"running a program that calls `{name}`, which takes its arguments in another way")
        if name.startswith(("llvm.dbg.", "llvm.threadlocal.address")):
            return
        symbol = self._facts.plan.replaced.get(name, name)
        if symbol not in self._taken:  # two names of one replaced function
            self._taken.add(symbol)
            self.lines.append(f"declare {match.group(1).replace('dso_local ', '')}")

    def _global(self, row: str, name: str) -> None:
        if name == DESTRUCTORS:
            found = sorted((int(priority), at, f) for at, (priority, f) in enumerate(_LISTED.findall(row)))
            self.destructors = [f for _, _, f in found]
            return
        head, _ = split_attachments(row)
        head = re.sub(r", !dbg !\d+", "", head)
        variable = self._facts.program.globals.get(name)
        for token, pattern in self._facts.thread_locals.items():
            if token in head and pattern.search(head.partition(" = ")[2]):
                raise Unsupported(f"the thread-local variable {token[1:]} in a constant expression")
        if variable is not None and variable.is_thread_local:
            if variable.is_external:
                raise Unsupported(f"the thread-local variable {name} of a library", variable.pos)
            head = _THREAD_LOCAL.sub("", head) + f', section "{TLS_SECTION}"'
        if variable is not None and variable.is_external:
            head = head.replace(" dso_local ", " ")
        self.lines.append(head)


def _attribute_group(row: str) -> str:
    """Only what the code generator needs. A function that now calls hooks is neither pure nor sure to return, and it
    keeps a frame of its own, by which the runtime tells the calls on its stack apart. Writing through a null pointer
    crashes where it stands: LLVM must not think that it never happens."""
    match = _GROUP.match(row)
    if match is None:
        return row
    features = _FEATURES.search(match.group(2))
    kept = [*_ALWAYS, *_KEPT_ATTRIBUTES.findall(_QUOTED.sub("", match.group(2)))]
    if features and (wanted := [f for f in features.group(1).split(",") if f.startswith("+")]):
        kept.append(f'"target-features"="{",".join(wanted)}"')
    return f"attributes {match.group(1)} = {{ {' '.join(kept)} }}"


def _renamed(lines: list[str], replaced: Mapping[str, str]) -> list[str]:
    if not replaced:
        return lines
    tokens = {symbol(name): new for name, new in replaced.items()}
    names = "|".join(re.escape(token) for token in sorted(tokens, key=len, reverse=True))
    pattern = re.compile(rf'c"[^"]*"|({names})(?![\w$.\-])')

    def rename(match: re.Match[str]) -> str:
        return f"@{tokens[match.group(1)]}" if match.group(1) else match.group()

    return [pattern.sub(rename, line) if "@" in line else line for line in lines]


def _referenced(lines: list[str], metadata: Mapping[str, str]) -> list[str]:
    """Metadata that an argument of some call names, and what that needs."""
    work = [m for line in lines if "metadata !" in line for m in re.findall(r"metadata (!\d+)", line)]
    found: dict[str, str] = {}
    while work:
        number = work.pop()
        if number in metadata and number not in found:
            found[number] = metadata[number]
            work += re.findall(r"!\d+", metadata[number])
    return [f"{number} = {definition}" for number, definition in found.items()]


def _thread_locals(program: Program) -> dict[str, re.Pattern[str]]:
    names = [name for name, variable in program.globals.items() if variable.is_thread_local]
    return {symbol(name): re.compile(re.escape(symbol(name)) + r"(?![\w$.\-])") for name in names}


def _may_reach_hook(program: Program, plan: HookPlan) -> frozenset[str]:
    """Functions whose calls belong into a call stack; with "" if a call through a pointer may reach one."""
    callers: dict[str, set[str]] = {}  # of "": those that call through a pointer
    pointed: set[str] = set()
    for function in program.functions.values():
        for instr in function.instructions():
            values = operands(instr)
            if isinstance(instr, Call):
                callee = instr.callee.symbol if isinstance(instr.callee, Address) else ""
                callers.setdefault(callee, set()).add(function.name)
                values = values[1:]
            pointed.update(v.symbol for v in values if isinstance(v, Address))
    for variable in program.globals.values():
        pointed.update(c.value.symbol for c in variable.initial if isinstance(c.value, Address))
    relevant = {f.name for f in program.functions.values() if f.name in plan.atomic_functions or _has_hook(f, plan)}
    relevant |= {""} if pointed & plan.thread_api else set()
    work = sorted(relevant)
    while work:
        name = work.pop()
        new = callers.get(name, set()) | ({""} if name in pointed else set())
        work += sorted(new - relevant)
        relevant |= new
    return frozenset(relevant)


def _has_hook(function: Function, plan: HookPlan) -> bool:
    for instr in function.instructions():
        if instr.id in plan.accesses or isinstance(instr, Rmw | CompareExchange | Fence):
            return True
        if isinstance(instr, Load | Store) and instr.order is not None:
            return True
        if isinstance(instr, Call) and isinstance(instr.callee, Address) and instr.callee.symbol in plan.thread_api:
            return True
    return False
