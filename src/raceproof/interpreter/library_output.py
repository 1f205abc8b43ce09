"""Library functions that write to standard output: what they read of the program's memory."""

from __future__ import annotations

import re
from typing import Final

from raceproof.interpreter.calls import LibraryCall, Outcome, Perform, Prepare, nothing, zero
from raceproof.interpreter.execution import Operation
from raceproof.interpreter.library_memory import plain_operation
from raceproof.interpreter.memory import NotSupported, Pointer, UndefinedBehaviour


def _print(call: LibraryCall) -> Outcome:
    """A text without arguments, or with numbers."""
    at = call.pointer(0)
    text = _text(at)
    call.touch(0, len(text) + 1, "read")
    if any(letter in text for letter in (b"%s", b"%n", b"*", b"$")) or b"s" in _conversions(text):
        raise NotSupported("printf of more than numbers")
    return len(text)


def _conversions(text: bytes) -> bytes:
    return b"".join(re.findall(rb"%[-+ #0-9.hljztL]*([a-zA-Z])", text))


def _text(at: Pointer) -> bytes:
    """Up to the zero that ends it."""
    found = bytearray()
    while True:
        character = at.object.load(at.offset + len(found), 1)
        if not isinstance(character, int):
            raise UndefinedBehaviour("a text that was not written")
        if character == 0:
            return bytes(found)
        found.append(character)


def _prepare_string(call: LibraryCall) -> Operation | None:
    at = call.pointer(0)
    return plain_operation(call, [(at, at.object.size - at.offset, False)])


def _print_string(call: LibraryCall) -> Outcome:
    call.touch(0, len(_text(call.pointer(0))) + 1, "read")
    return 1


OUTPUT_FUNCTIONS: Final[dict[str, tuple[Prepare, Perform]]] = {
    "printf": (nothing, _print),
    "puts": (_prepare_string, _print_string),
    "putchar": (nothing, zero),
}
