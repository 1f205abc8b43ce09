"""One line of a function body -> one instruction of the IR.

Every opcode has a handler; a line without one, or with words left over, is refused. Nothing that
touches memory may be lost here.
"""

from __future__ import annotations

from collections.abc import Callable

from raceproof.core import SourcePos, Unsupported
from raceproof.frontend.llvm_calls import CallParser
from raceproof.frontend.llvm_lexer import SyntaxMismatch
from raceproof.frontend.llvm_operands import Reader
from raceproof.ir import (
    Alloca,
    Binary,
    Branch,
    Cast,
    Compare,
    CompareExchange,
    Compute,
    Extract,
    Fence,
    Gep,
    IndirectJump,
    Instr,
    IntConst,
    Jump,
    Load,
    MemoryOrder,
    Operand,
    Phi,
    Reg,
    Return,
    Rmw,
    Select,
    SiteId,
    Store,
    Switch,
    Terminator,
    Unreachable,
    VectorType,
)

_ORDERS = {order.value: order for order in MemoryOrder}
_FLAGS = frozenset(["nuw", "nsw", "exact", "disjoint", "nneg", "inbounds", "nusw", "samesign"])
_INTEGER_OPS = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor")
_FLOAT_OPS = ("fadd", "fsub", "fmul", "fdiv", "frem", "fcmp")
_CASTS = (
    *("trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"),
    *("ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast"),
)
_OPERAND_LISTS = ("fneg", "freeze", "extractelement", "insertelement", "shufflevector")
_ONE = IntConst(1, 32)


class InstructionParser:
    """`parse` reads the instruction at the reader's position.

    `site` is the number that the next instruction gets; the caller advances it for each instruction kept.
    """

    def __init__(self, reader: Reader, calls: CallParser) -> None:
        self._r = reader
        self._calls = calls
        self.site = SiteId(1)
        self._pos: SourcePos | None = None
        self._made_volatile = False
        self._terminators: dict[str, Callable[[], Terminator]] = {
            "br": self._br,
            "switch": self._switch,
            "indirectbr": self._indirectbr,
            "ret": self._ret,
            "unreachable": lambda: Unreachable(self.site, self._pos),
        }
        self._without_result: dict[str, Callable[[], Instr | None]] = {
            "store": self._store,
            "fence": self._fence,
        }
        self._with_result: dict[str, Callable[[Reg, str], Instr]] = {
            "load": self._load,
            "getelementptr": self._getelementptr,
            "icmp": self._icmp,
            "phi": self._phi,
            "alloca": self._alloca,
            "select": self._select,
            "atomicrmw": self._atomicrmw,
            "cmpxchg": self._cmpxchg,
            "extractvalue": self._extractvalue,
            "insertvalue": self._insertvalue,
            **dict.fromkeys(_INTEGER_OPS, self._binary),
            **dict.fromkeys(_FLOAT_OPS, self._float_binary),
            **dict.fromkeys(_CASTS, self._cast),
            **dict.fromkeys(_OPERAND_LISTS, self._operand_list),
        }

    def parse(self, tokens: list[str], pos: SourcePos | None, made_volatile: bool) -> Instr | Terminator | None:
        """The instruction on one line; None if it does nothing at run time.

        `made_volatile`: the front end, not the programmer, wrote `volatile` here.
        """
        r = self._r
        self._pos = pos
        self._made_volatile = made_volatile
        result: Reg | None = None
        at = 0
        if tokens[1] == "=":
            result = r.reg(tokens[0])
            at = 2
        opcode = tokens[at]
        r.start(tokens, at + 1)
        if opcode in ("tail", "musttail", "notail"):
            opcode = r.next()
        made: Instr | Terminator | None
        if opcode == "call":
            return self._calls.parse(self.site, pos, result, made_volatile)
        if result is not None and opcode in self._with_result:
            made = self._with_result[opcode](result, opcode)
        elif result is None and opcode in self._terminators:
            made = self._terminators[opcode]()
        elif result is None and opcode in self._without_result:
            made = self._without_result[opcode]()
        else:
            raise Unsupported(f"LLVM instruction {opcode}", pos)
        if tokens[r.at] != "":
            r.finish()
        return made

    # --- memory

    def _load(self, result: Reg, _opcode: str) -> Instr:
        r = self._r
        atomic = r.accept("atomic")
        volatile = r.accept("volatile") and not self._made_volatile
        type_ = r.type()
        r.expect(",")
        address = r.pointer()
        order = self._order() if atomic else None
        return Load(self.site, self._pos, result, type_, address, order, volatile, self._align())

    def _store(self) -> Instr:
        r = self._r
        atomic = r.accept("atomic")
        volatile = r.accept("volatile")
        type_ = r.type()
        value = r.value(type_)
        r.expect(",")
        address = r.pointer()
        order = self._order() if atomic else None
        return Store(self.site, self._pos, type_, value, address, order, volatile, self._align())

    def _align(self) -> int:
        """Of what was read or written; 0 if nothing is said about it."""
        r = self._r
        return int(r.tokens[r.at + 2]) if r.tokens[r.at : r.at + 2] == [",", "align"] else 0

    def _atomicrmw(self, result: Reg, _opcode: str) -> Instr:
        r = self._r
        r.accept("volatile")
        op = r.next()
        address = r.pointer()
        r.expect(",")
        type_ = r.type()
        value = r.value(type_)
        return Rmw(self.site, self._pos, result, op, type_, address, value, self._order())

    def _cmpxchg(self, result: Reg, _opcode: str) -> Instr:
        r = self._r
        weak = r.accept("weak")
        r.accept("volatile")
        address = r.pointer()
        r.expect(",")
        type_ = r.type()
        expected = r.value(type_)
        r.expect(",")
        new = r.typed_value()
        success = self._order()
        failure = _ORDERS[r.next()]
        return CompareExchange(self.site, self._pos, result, type_, address, expected, new, success, failure, weak)

    def _fence(self) -> Instr | None:
        r = self._r
        if r.peek() == "syncscope" and r.tokens[r.at + 2] == '"singlethread"':
            r.at += 4
            r.next()
            return None  # orders against signal handlers of the same thread only
        return Fence(self.site, self._pos, self._order())

    def _order(self) -> MemoryOrder:
        token = self._r.next()
        if token == "syncscope":
            raise Unsupported("atomic access with a scope smaller than the system", self._pos)
        return _ORDERS[token]

    def _alloca(self, result: Reg, _opcode: str) -> Instr:
        r = self._r
        while r.peek() in ("inalloca", "swifterror"):
            r.next()
        type_ = r.type()
        count: Operand = _ONE
        if r.peek() == "," and r.tokens[r.at + 1] not in ("align", "addrspace"):
            r.next()
            count = r.typed_value()
        return Alloca(self.site, self._pos, result, type_, count)

    def _getelementptr(self, result: Reg, _opcode: str) -> Instr:
        r = self._r
        self._skip_flags()
        source = r.type()
        r.expect(",")
        base_type = r.type()
        base = r.place(base_type)
        if isinstance(base_type, VectorType):
            raise Unsupported("vector of pointers", self._pos)
        offset, terms = r.gep_indices(source)
        return Gep(self.site, self._pos, result, base, offset, terms, source)

    # --- computation

    def _skip_flags(self) -> tuple[str, ...]:
        r = self._r
        begin = r.at
        while r.tokens[r.at] in _FLAGS:
            r.at += 1
        return tuple(r.tokens[begin : r.at])

    def _binary(self, result: Reg, op: str) -> Instr:
        r = self._r
        flags = self._skip_flags()
        type_ = r.type()
        left = r.value(type_)
        r.expect(",")
        right = r.value(type_)
        if isinstance(type_, VectorType):
            return Compute(self.site, self._pos, result, op, (left, right))
        return Binary(self.site, self._pos, result, op, type_, left, right, "nsw" in flags, "nuw" in flags)

    def _float_binary(self, result: Reg, op: str) -> Instr:
        r = self._r
        r.skip_attributes()  # fast-math flags, and the predicate of a comparison
        if op == "fcmp":
            op = f"fcmp {r.tokens[r.at - 1]}"
        type_ = r.type()
        left = r.value(type_)
        r.expect(",")
        return Compute(self.site, self._pos, result, op, (left, r.value(type_)))

    def _icmp(self, result: Reg, op: str) -> Instr:
        r = self._r
        self._skip_flags()
        predicate = r.next()
        type_ = r.type()
        left = r.value(type_)
        r.expect(",")
        right = r.value(type_)
        if isinstance(type_, VectorType):
            return Compute(self.site, self._pos, result, op, (left, right))
        return Compare(self.site, self._pos, result, predicate, type_, left, right)

    def _cast(self, result: Reg, op: str) -> Instr:
        r = self._r
        r.skip_attributes()  # nneg, nuw, nsw, fast-math flags
        from_type = r.type()
        value = r.value(from_type)
        r.expect("to")
        to_type = r.type()
        if isinstance(from_type, VectorType) or isinstance(to_type, VectorType):
            return Compute(self.site, self._pos, result, op, (value,))
        return Cast(self.site, self._pos, result, op, value, from_type, to_type)

    def _select(self, result: Reg, op: str) -> Instr:
        r = self._r
        r.skip_attributes()
        condition_type = r.type()
        condition = r.value(condition_type)
        r.expect(",")
        if_true = r.typed_value()
        r.expect(",")
        if_false = r.typed_value()
        if isinstance(condition_type, VectorType):
            return Compute(self.site, self._pos, result, op, (condition, if_true, if_false))
        return Select(self.site, self._pos, result, condition, if_true, if_false)

    def _phi(self, result: Reg, _opcode: str) -> Instr:
        r = self._r
        r.skip_attributes()
        type_ = r.type()
        incoming: list[tuple[Operand, str]] = []
        while True:
            r.expect("[")
            value = r.value(type_)
            r.expect(",")
            incoming.append((value, r.label_name()))
            r.expect("]")
            if not r.accept(","):
                return Phi(self.site, self._pos, result, type_, tuple(incoming))

    def _extractvalue(self, result: Reg, _opcode: str) -> Instr:
        aggregate = self._r.typed_value()
        return Extract(self.site, self._pos, result, aggregate, self._indices())

    def _insertvalue(self, result: Reg, op: str) -> Instr:
        """The indices become the last operands, so that an extractvalue can be matched with it."""
        r = self._r
        aggregate = r.typed_value()
        r.expect(",")
        value = r.typed_value()
        indices = tuple(IntConst(i, 32) for i in self._indices())
        return Compute(self.site, self._pos, result, op, (aggregate, value, *indices))

    def _indices(self) -> tuple[int, ...]:
        r = self._r
        indices: list[int] = []
        while r.accept(","):
            indices.append(int(r.next()))
        return tuple(indices)

    def _operand_list(self, result: Reg, op: str) -> Instr:
        r = self._r
        r.skip_attributes()
        operands = [r.typed_value()]
        while r.accept(","):
            operands.append(r.typed_value())
        return Compute(self.site, self._pos, result, op, tuple(operands))

    # --- control

    def _br(self) -> Terminator:
        r = self._r
        if r.peek() == "label":
            return Jump(self.site, self._pos, r.label())
        condition = r.typed_value()
        r.expect(",")
        if_true = r.label()
        r.expect(",")
        return Branch(self.site, self._pos, condition, if_true, r.label())

    def _switch(self) -> Terminator:
        r = self._r
        value = r.typed_value()
        r.expect(",")
        default = r.label()
        cases: list[tuple[int, str]] = []
        r.expect("[")
        while not r.accept("]"):
            case = r.typed_value()
            if not isinstance(case, IntConst):
                raise SyntaxMismatch("case of a switch")
            r.expect(",")
            cases.append((case.value, r.label()))
        return Switch(self.site, self._pos, value, default, tuple(cases))

    def _indirectbr(self) -> Terminator:
        r = self._r
        address = r.typed_value()
        r.expect(",")
        targets: list[str] = []
        r.expect("[")
        while not r.accept("]"):
            if targets:
                r.expect(",")
            targets.append(r.label())
        return IndirectJump(self.site, self._pos, address, tuple(targets))

    def _ret(self) -> Terminator:
        r = self._r
        type_ = r.type()
        value = None if type_ is r.types.void else r.value(type_)
        return Return(self.site, self._pos, value)
