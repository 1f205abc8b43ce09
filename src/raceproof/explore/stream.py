"""What host and target say to each other over a stream: the other side of `native/session.c`.

docs/target.md lays the protocol down. A frame is the length of its payload, its type, the payload, and a check: a
CRC-32, or an HMAC-SHA-256 once both sides have shown that they know the secret. The same frames go through the pipe to
a runtime on this machine, through a command that starts one elsewhere, and through a network.

Nothing here waits: a stream sends what it can and gives what has come.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum, unique
from typing import Final

PROTOCOL: Final = 1
FRAME_LIMIT: Final = 65536
_HEADER: Final = 5
_CRC: Final = 4
_MAC: Final = 32
_CHUNK: Final = 1 << 16
_SHOWN: Final = 60


@unique
class Frame(Enum):
    """`enum message` of native/session.h."""

    HELLO = b"h"
    AUTH = b"a"
    PATH = b"f"
    PROGRAM = b"p"
    CONTROL = b"c"
    INPUT = b"t"
    START = b"s"
    ASK = b"q"
    INTERRUPT = b"i"
    END = b"e"
    ALIVE = b"l"
    TARGET = b"H"
    KNOWN = b"A"
    RECORDS = b"R"
    LAST = b"L"
    REFUSED = b"X"


class StreamBroken(Exception):
    """The other side is gone, or what comes from it is not what it sent."""


class Stream:
    """One side of a session; both descriptors become its own, and may be the same. `key`: of what this side sends,
    `their_key`: of what it gets."""

    def __init__(self, reading: int, writing: int) -> None:
        self.reading, self.writing = reading, writing
        self.at_end = False
        self._received = bytearray()
        self._waiting: deque[memoryview] = deque()
        self._upload: deque[memoryview] = deque()
        self._answer = b""  # to the upload: nothing else is sent before it has come
        self._key: bytes | None = None
        self._their_key: bytes | None = None
        self._sent = self._taken = 0
        for descriptor in {reading, writing}:
            os.set_blocking(descriptor, False)

    def close(self) -> None:
        for descriptor in {self.reading, self.writing}:
            os.close(descriptor)

    def use_keys(self, key: bytes, their_key: bytes) -> None:
        """From the next frame on, in both directions."""
        self._key, self._their_key = key, their_key

    @property
    def is_keyed(self) -> bool:
        return self._key is not None

    # -- sending

    def put(self, frame: Frame, payload: bytes = b"") -> None:
        content = len(payload).to_bytes(4, "little") + frame.value + payload
        self._waiting.append(memoryview(content + _check(self._key, self._sent, content)))
        self._sent += self._key is not None

    def put_parts(self, frame: Frame, content: bytes) -> None:
        for at in range(0, len(content), FRAME_LIMIT):
            self.put(frame, content[at : at + FRAME_LIMIT])

    def put_first(self, content: bytes, answer: bytes) -> None:
        """What precedes the session. Who gets it may read ahead, so all else waits for the answer that it was got."""
        self._upload.append(memoryview(content))
        self._answer = answer

    @property
    def has_output(self) -> bool:
        return bool(self._ready)

    @property
    def _ready(self) -> deque[memoryview]:
        return self._upload if self._answer else self._waiting

    def flush(self) -> None:
        """Send what the other side takes now; what it does not take because it is gone, is dropped."""
        ready = self._ready
        while ready:
            try:
                sent = os.write(self.writing, ready[0])
            except BlockingIOError:
                return
            except OSError:  # its last words are still to be read
                ready.clear()
                return
            rest = ready.popleft()[sent:]
            if rest:
                ready.appendleft(rest)

    # -- receiving

    def read(self) -> Iterator[tuple[Frame, bytes]]:
        """The frames that have come, those before one that is wrong too; `at_end` afterwards, if no more will."""
        try:
            chunk = os.read(self.reading, _CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            raise StreamBroken(f"the connection is lost: {error.strerror}") from None
        self.at_end = not chunk
        self._received += chunk
        if not self._has_answered():
            return
        while (found := self._next()) is not None:
            yield found

    def _has_answered(self) -> bool:
        """Whether the upload, if there is one, was received as a whole."""
        received, answer = self._received, self._answer
        if not answer:
            return True
        if not answer.startswith(received[: len(answer)]):
            raise StreamBroken(f"what came is no answer to the upload: {_shown(received)}")
        if len(received) < len(answer):
            return False
        del received[: len(answer)]
        self._answer = b""
        return True

    def _next(self) -> tuple[Frame, bytes] | None:
        received = self._received
        if len(received) < _HEADER:
            return None
        size = int.from_bytes(received[:4], "little")
        if size > FRAME_LIMIT:
            raise StreamBroken(f"what came is no frame of the protocol: {_shown(received)}")
        content = bytes(received[: _HEADER + size])
        whole = _HEADER + size + (_MAC if self._their_key is not None else _CRC)
        if len(received) < whole:
            return None
        if not hmac.compare_digest(_check(self._their_key, self._taken, content), received[_HEADER + size : whole]):
            raise StreamBroken(f"a frame was changed on its way: {_shown(received)}")
        self._taken += self._their_key is not None
        del received[:whole]
        try:
            return Frame(content[4:_HEADER]), content[_HEADER:]
        except ValueError:
            raise StreamBroken(f"a frame of an unknown kind: {_shown(content)}") from None

    @property
    def is_cut_off(self) -> bool:
        """Whether it ended within a frame."""
        return self.at_end and bool(self._received)


def _check(key: bytes | None, number: int, content: bytes) -> bytes:
    if key is None:
        return zlib.crc32(content).to_bytes(_CRC, "little")
    return hmac.digest(key, number.to_bytes(8, "little") + content, "sha256")


def _shown(content: bytes | bytearray) -> str:
    return repr(bytes(content[:_SHOWN]).decode("utf-8", "replace"))


# -- who speaks


def greeting(build: str, nonce: str = "") -> bytes:
    """What the host says first."""
    return f"\nprotocol {PROTOCOL}\nbuild {build}\nnonce {nonce}\n".encode("ascii")


def read_greeting(payload: bytes) -> Mapping[str, str]:
    """What the target says first: the names and values of its lines."""
    lines = payload.decode("ascii", "replace").strip("\n").split("\n")
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def proof(secret: bytes, purpose: str, target: bytes, host: bytes) -> bytes:
    """What only those can know who have the secret; `target` and `host` are the greetings of this session."""
    return hmac.digest(secret, b"\0".join((purpose.encode("ascii"), target, host, b"")), "sha256")


HOST_PROOF: Final = "raceproof host"
TARGET_PROOF: Final = "raceproof target"
HOST_KEY: Final = "raceproof key of the host"
TARGET_KEY: Final = "raceproof key of the target"


def digest_of(*parts: bytes) -> bytes:
    """What the host says about program and control, for the target to compare."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part)
    return whole.digest()
