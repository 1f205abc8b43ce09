"""How far a string may reach that begins in an array of a structure, or in a row of a matrix.

    strcpy(table[i].name, s)        writes table[i].name at most, not the rest of table[i]

A pointer that an array has become points into that array, and reading or writing beyond it is undefined (C11 6.5.6p8,
7.24.1p1). What counts is how the program came by the pointer, not where it points: through a `char *` to the whole
structure a string may reach to its end. The last array of a structure may be longer than it says (flexible array
members, and the idiom before there were any).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raceproof.facts.flow.touches import MemoryTouch
from raceproof.facts.library.effects import CString
from raceproof.ir import ArrayType, Gep, Instr, IntType, IrType, Operand, Reg, StructType


def within_its_array(touch: MemoryTouch, definitions: Mapping[str, Instr]) -> MemoryTouch:
    """The touch with a size, if it is of a string in such an array: at most as many bytes, from its address on."""
    if touch.size is not None or touch.deref or not isinstance(touch.extent, CString):
        return touch
    size = _bytes_ahead(touch.address, definitions)
    return touch if size is None else replace(touch, size=size)


def _bytes_ahead(address: Operand, definitions: Mapping[str, Instr]) -> int | None:
    element = _definition(address, definitions)
    if element is None or not isinstance(element.source, ArrayType) or not isinstance(element.source.element, IntType):
        return None
    array = element.source
    member = _definition(element.base, definitions)
    is_row = member is not None and isinstance(member.source, ArrayType) and member.source.element == array
    if not 0 <= element.offset < array.size or not (is_row or (member is not None and _is_inside(member, array))):
        return None
    return array.size - element.offset


def _is_inside(member: Gep, array: ArrayType) -> bool:
    """Whether the address is that of a member that is this array, and that another one follows: arrays of bytes may be
    the compiler's padding."""
    structure = member.source
    if not isinstance(structure, StructType) or member.terms or member.offset not in structure.offsets:
        return False
    number = structure.offsets.index(member.offset)
    behind = structure.fields[number + 1 :]
    return structure.fields[number] == array and (len(behind) > 1 or not all(map(_may_be_padding, behind)))


def _may_be_padding(field: IrType) -> bool:
    return isinstance(field, ArrayType) and field.element.size == 1


def _definition(operand: Operand, definitions: Mapping[str, Instr]) -> Gep | None:
    found = definitions.get(operand.name) if isinstance(operand, Reg) else None
    return found if isinstance(found, Gep) else None
