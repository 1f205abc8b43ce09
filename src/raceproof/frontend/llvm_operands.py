"""A cursor over the tokens of one line that reads types, operands and constants.

Constants are folded to what the analyses can use: an integer, the address of a symbol plus an offset,
or (for everything else) an `OtherConst` that still lists the addresses it contains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from raceproof.frontend.llvm_lexer import SyntaxMismatch, unquote
from raceproof.frontend.llvm_types import TypeTable
from raceproof.ir import (
    Address,
    ArrayType,
    IndexTerm,
    IntConst,
    IntType,
    IrType,
    Operand,
    OtherConst,
    PtrType,
    Reg,
    StructType,
    VectorType,
)

_PERHAPS_NULL = "weak "
_NONE: Mapping[str, tuple[Address, ...]] = MappingProxyType({})
_PLAIN_WORDS = frozenset(["undef", "poison", "zeroinitializer", "none"])
_CASTS = frozenset(["ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast", "trunc", "zext", "sext"])
_BINARY = frozenset(["add", "sub", "xor", "mul", "shl", "and", "or"])
_VALUE_WORDS = (
    _PLAIN_WORDS
    | _CASTS
    | _BINARY
    | frozenset(["null", "true", "false", "getelementptr", "blockaddress", "splat"])
    | frozenset(["dso_local_equivalent", "no_cfi", "asm", "ptrauth", "icmp", "select"])
)
_OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def signed(value: int, bits: int) -> int:
    """`value` modulo 2**bits as LLVM prints it: signed, except that true is 1."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def addresses_in(operands: Sequence[Operand]) -> tuple[Address, ...]:
    found: list[Address] = []
    for operand in operands:
        if isinstance(operand, Address):
            found.append(operand)
        elif isinstance(operand, OtherConst):
            found.extend(operand.addresses)
    return tuple(dict.fromkeys(found))


class Reader:
    """Reads one line after the other; `start` sets the line.

    `symbol` maps a global's token (`@x`) to its address, looking through aliases. `undefined`: symbols that may have no
    definition, as only weak ones may: what they are as values is not known, since it may be null. `linker_symbols`:
    those that only the linker defines, with what they may lead to.
    """

    __slots__ = (
        "_linker_symbols", "_regs", "_symbol", "_symbols", "_undefined", "at", "pointer_bits", "simple", "tokens",
        "types",
    )  # fmt: skip

    def __init__(
        self,
        types: TypeTable,
        symbol: Callable[[str], Operand],
        undefined: frozenset[str] = frozenset(),
        linker_symbols: Mapping[str, tuple[Address, ...]] = _NONE,
    ) -> None:
        self.types = types
        self.simple = types.simple
        self.pointer_bits = types.layout.pointer_size * 8
        self.tokens: list[str] = [""]
        self.at = 0
        self._symbol = symbol
        self._undefined = undefined
        self._linker_symbols = linker_symbols
        self._symbols: dict[str, Operand] = {}
        self._regs: dict[str, Reg] = {}

    def start(self, tokens: list[str], at: int = 0) -> None:
        self.tokens = tokens
        self.at = at

    # --- tokens

    def peek(self) -> str:
        return self.tokens[self.at]

    def next(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            raise SyntaxMismatch(f"expected '{token}', found '{self.tokens[self.at]}'")
        self.at += 1

    def skip_group(self) -> None:
        """Skip from an opening bracket to behind its closing one."""
        depth = 0
        while True:
            token = self.next()
            if token in _OPENING:
                depth += 1
            elif token in (")", "]", "}", ">"):
                depth -= 1
                if depth == 0:
                    return

    def skip_attributes(self, before_value: bool = False) -> None:
        """Skip attribute words up to a type, or up to a value, or up to a closing bracket."""
        while True:
            token = self.tokens[self.at]
            if not (token[:1].isalpha() or token[:1] in ('"', "#")) or token.startswith('c"'):
                return
            if token in _VALUE_WORDS if before_value else self.types.is_start(token):
                return
            self.at += 1
            if token in ("align", "cc", "alignstack") and self.tokens[self.at] != "(":
                self.at += 1
            elif self.tokens[self.at] == "(":
                self.skip_group()
            elif token[0] == '"' and self.tokens[self.at] == "=":
                self.at += 2

    def skip_parameter_attributes(self) -> IrType | None:
        """Skip the attributes between a parameter's type and its value; the struct's type if it is `byval`."""
        begin = self.at
        self.skip_attributes(before_value=True)
        attributes = self.tokens[begin : self.at]
        if "byval" not in attributes:
            return None
        copied, _ = self.types.parse(self.tokens, begin + attributes.index("byval") + 2)
        return copied

    def finish(self) -> None:
        """Check that only an alignment or address space is left on the line."""
        tokens = self.tokens
        while tokens[self.at] == "," and tokens[self.at + 1] in ("align", "addrspace"):
            self.at += 3 if tokens[self.at + 1] == "align" else 5
        if tokens[self.at] != "":
            raise SyntaxMismatch(f"'{tokens[self.at]}' is left over")

    # --- types and operands

    def type(self) -> IrType:
        token = self.tokens[self.at]
        found = self.simple.get(token)
        if found is not None and token != "ptr":
            self.at += 1
            return found
        found, self.at = self.types.parse(self.tokens, self.at)
        return found

    def label(self) -> str:
        self.expect("label")
        return self.label_name()

    def label_name(self) -> str:
        token = self.next()
        if token[:1] != "%":
            raise SyntaxMismatch(f"expected a label, found '{token}'")
        return unquote(token[1:])

    def reg(self, token: str) -> Reg:
        found = self._regs.get(token)
        if found is None:
            if token[:1] != "%":
                raise SyntaxMismatch(f"expected a register, found '{token}'")
            found = self._regs[token] = Reg(unquote(token[1:]))
        return found

    def typed_value(self) -> Operand:
        return self.value(self.type())

    def pointer(self) -> Operand:
        """`ptr <value>`."""
        type_ = self.type()
        if not isinstance(type_, PtrType):
            raise SyntaxMismatch("expected a pointer")
        return self.place(type_)

    def place(self, type_: IrType) -> Operand:
        """A value that is used as an address: there it is not null."""
        found = self.value(type_)
        return found.addresses[0] if isinstance(found, OtherConst) and found.text.startswith(_PERHAPS_NULL) else found

    def value(self, type_: IrType) -> Operand:
        token = self.tokens[self.at]
        first = token[:1]
        if first == "%":
            self.at += 1
            return self.reg(token)
        if first == "@":
            self.at += 1
            found = self._symbols.get(token)
            if found is None:
                found = self._symbol(token)
                if isinstance(found, Address) and found.symbol in self._linker_symbols:
                    found = OtherConst(f"linker {found}", self._linker_symbols[found.symbol], is_anywhere=True)
                elif isinstance(found, Address) and found.symbol in self._undefined:
                    found = OtherConst(f"{_PERHAPS_NULL}{found}", (found,))
                self._symbols[token] = found
            return found
        if isinstance(type_, IntType) and (first.isdigit() or first == "-"):
            self.at += 1
            return IntConst(signed(int(token), type_.bits), type_.bits)
        return self.constant(type_)

    # --- constants

    def constant(self, type_: IrType) -> Operand:
        token = self.next()
        if token == "null":
            return IntConst(0, self.pointer_bits)
        if token in ("true", "false"):
            return IntConst(int(token == "true"), 1)
        if token in _PLAIN_WORDS or token.startswith(('c"', "0x")) or token[:1].isdigit() or token[:1] in ("-", "+"):
            return OtherConst(token)
        if token in _OPENING:
            return self._aggregate(token)
        if token == "getelementptr":
            return self._constant_gep()
        if token in _CASTS:
            return self._constant_cast(token)
        if token in _BINARY:
            return self._constant_binary(token, type_)
        if token in ("dso_local_equivalent", "no_cfi"):
            return self.value(type_)
        if token == "splat":
            self.expect("(")
            element = self.typed_value()
            self.expect(")")
            return OtherConst(f"splat({element})", addresses_in([element]))
        if token == "blockaddress":
            begin = self.at
            self.skip_group()
            return OtherConst(token + "".join(self.tokens[begin : self.at]))
        raise SyntaxMismatch(f"expected a value, found '{token}'")

    def _aggregate(self, opening: str) -> Operand:
        """`[i32 1, ...]`, `{...}`, `<...>`, `<{...}>`; only its addresses and a short text are kept."""
        packed = opening == "<" and self.accept("{")
        closing = "}" if packed else _OPENING[opening]
        elements: list[Operand] = []
        while not self.accept(closing):
            if elements:
                self.expect(",")
            elements.append(self.typed_value())
        if packed:
            self.expect(">")
        inner = ", ".join(map(str, elements[:8])) + (", ..." if len(elements) > 8 else "")
        text = f"<{{{inner}}}>" if packed else opening + inner + closing
        return OtherConst(text, addresses_in(elements))

    def _computed(self, begin: int, values: Sequence[Operand]) -> OtherConst:
        """What the tokens from `begin` on compute, of which no more is known than the addresses in it."""
        return OtherConst(" ".join(self.tokens[begin : self.at]), addresses_in(values), is_anywhere=True)

    def _constant_gep(self) -> Operand:
        begin = self.at - 1
        while self.peek() != "(":
            if self.next() == "inrange":
                self.skip_group()
        self.expect("(")
        source = self.type()
        self.expect(",")
        base_type = self.type()
        base = self.value(base_type)
        offset, terms = self.gep_indices(source)
        self.expect(")")
        if terms or isinstance(base_type, VectorType):
            return self._computed(begin, [base, *(t.index for t in terms)])
        if isinstance(base, Address):
            return Address(base.symbol, base.offset + offset)
        if isinstance(base, IntConst):
            return IntConst(signed(base.value + offset, base.bits), base.bits)
        return self._computed(begin, [base])

    def gep_indices(self, source: IrType) -> tuple[int, tuple[IndexTerm, ...]]:
        """Flatten the indices of a getelementptr into a constant offset and scaled variable terms.

        An index over an array of length 0 or 1 has no upper bound: both are written for arrays that
        extend to the end of the allocation.
        """
        offset = 0
        terms: list[IndexTerm] = []
        current: IrType | None = None  # None: the first index steps over whole values of `source`
        while self.tokens[self.at] == ",":
            self.at += 1
            index_type = self.type()
            if isinstance(index_type, VectorType):
                raise SyntaxMismatch("vector of pointers")
            index = self.value(index_type)
            if isinstance(current, StructType):
                if not isinstance(index, IntConst):
                    raise SyntaxMismatch("variable field index")
                offset += current.offsets[index.value]
                current = current.fields[index.value]
                continue
            count: int | None = None
            is_flexible = isinstance(current, ArrayType) and current.count == 0
            if current is None:
                current = source
            elif isinstance(current, ArrayType | VectorType):
                count = current.count if current.count > 1 else None
                current = current.element
            else:
                raise SyntaxMismatch(f"index into {current}")
            scale = self.types.padded_size(current)
            if isinstance(index, IntConst):
                offset += index.value * scale
            elif scale:
                terms.append(IndexTerm(index, scale, count, is_flexible))
        return offset, tuple(terms)

    def _constant_cast(self, op: str) -> Operand:
        begin = self.at - 1
        self.expect("(")
        value = self.typed_value()
        self.expect("to")
        to = self.type()
        self.expect(")")
        bits = self.pointer_bits if isinstance(to, PtrType) else to.bits if isinstance(to, IntType) else 0
        if isinstance(value, IntConst) and bits:
            number = value.value & ((1 << value.bits) - 1) if op == "zext" else value.value
            return IntConst(signed(number, bits), bits)
        if isinstance(value, Address) and bits >= self.pointer_bits:
            return value
        if isinstance(value, OtherConst) and value.addresses and bits >= self.pointer_bits:
            return value
        return self._computed(begin, [value])

    def _constant_binary(self, op: str, type_: IrType) -> Operand:
        begin = self.at - 1
        while self.peek() in ("nuw", "nsw", "exact", "disjoint"):
            self.at += 1
        self.expect("(")
        left = self.typed_value()
        self.expect(",")
        right = self.typed_value()
        self.expect(")")
        if isinstance(type_, IntType):
            if isinstance(left, IntConst) and isinstance(right, IntConst):
                return IntConst(signed(_compute(op, left.value, right.value), type_.bits), type_.bits)
            if isinstance(right, IntConst) and isinstance(left, Address) and op in ("add", "sub"):
                step = right.value if op == "add" else -right.value
                return Address(left.symbol, left.offset + step)
            if isinstance(left, IntConst) and isinstance(right, Address) and op == "add":
                return Address(right.symbol, right.offset + left.value)
            same = isinstance(left, Address) and isinstance(right, Address) and left.symbol == right.symbol
            if same and op == "sub" and isinstance(left, Address) and isinstance(right, Address):
                return IntConst(signed(left.offset - right.offset, type_.bits), type_.bits)
        return self._computed(begin, [left, right])


def _compute(op: str, left: int, right: int) -> int:
    match op:
        case "add":
            return left + right
        case "sub":
            return left - right
        case "mul":
            return left * right
        case "and":
            return left & right
        case "or":
            return left | right
        case "xor":
            return left ^ right
        case _:
            return left << min(max(right, 0), 128)
