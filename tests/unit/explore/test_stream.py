"""Frames: what was sent arrives, whatever the pieces; what was changed does not. The hashes of the runtime in C."""

from __future__ import annotations

import hashlib
import hmac
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raceproof.explore.stream import FRAME_LIMIT, Frame, Stream, StreamBroken, greeting, proof, read_greeting
from raceproof.frontend import Cache, zig_program
from raceproof.native import NATIVE, run_compiler

KEYS = (b"k" * 32, b"t" * 32)


class Pair:
    """Two streams that are connected, and between them somebody who sees all bytes of one direction."""

    def __init__(self, is_keyed: bool) -> None:
        self.middle, sending = os.pipe()
        receiving, self.onward = os.pipe()
        nothing = [os.open(os.devnull, flag) for flag in (os.O_RDONLY, os.O_WRONLY)]
        self.sender, self.receiver = Stream(nothing[0], sending), Stream(receiving, nothing[1])
        if is_keyed:
            self.sender.use_keys(*KEYS)
            self.receiver.use_keys(*reversed(KEYS))
        self.is_closed = False

    def sent(self) -> bytes:
        self.sender.flush()
        return os.read(self.middle, 1 << 20)

    def arrives(self, content: bytes) -> list[tuple[Frame, bytes]]:
        os.write(self.onward, content)
        return list(self.receiver.read())

    def hang_up(self) -> None:
        os.close(self.onward)
        self.is_closed = True

    def close(self) -> None:
        self.sender.close()
        self.receiver.close()
        os.close(self.middle)
        if not self.is_closed:
            os.close(self.onward)


@pytest.fixture(params=[False, True], ids=["crc", "mac"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    made = Pair(request.param)
    yield made
    made.close()


FRAMES = st.lists(st.tuples(st.sampled_from(Frame), st.binary(max_size=300)), max_size=6)


@given(FRAMES, st.booleans(), st.randoms(use_true_random=False))
def test_frames_arrive_whatever_the_pieces(
    frames: list[tuple[Frame, bytes]], is_keyed: bool, chance: random.Random
) -> None:
    made = Pair(is_keyed)
    try:
        for frame, payload in frames:
            made.sender.put(frame, payload)
        content = made.sent() if frames else b""
        got = []
        while content:
            size = chance.randint(1, 40)
            got += made.arrives(content[:size])
            content = content[size:]
        assert got == frames
        made.hang_up()
        assert list(made.receiver.read()) == []
        assert (made.receiver.at_end, made.receiver.is_cut_off) == (True, False)
    finally:
        made.close()


def test_every_changed_bit_is_noticed(pair: Pair) -> None:
    for bit in range(8 * 12):
        made = Pair(pair.sender.is_keyed)
        made.sender.put(Frame.RECORDS, b"end\tcomplete\n")
        content = bytearray(made.sent())
        content[bit // 8] ^= 1 << bit % 8
        try:
            got = made.arrives(bytes(content) + bytes(64))  # a longer frame would still be waited for
        except StreamBroken:
            got = []
        assert not any(payload == b"end\tcomplete\n" for _, payload in got)
        made.close()


def test_a_banner_is_no_frame(pair: Pair) -> None:
    with pytest.raises(StreamBroken, match="no frame of the protocol: 'Welcome to the board"):
        pair.arrives(b"Welcome to the board!\n")


def test_an_end_within_a_frame(pair: Pair) -> None:
    pair.sender.put(Frame.RECORDS, b"end\tcomplete\n")
    assert pair.arrives(pair.sent()[:-3]) == []
    pair.hang_up()
    assert list(pair.receiver.read()) == []
    assert pair.receiver.is_cut_off


def test_a_keyed_frame_counts_once_and_in_its_place() -> None:
    for order in ([0, 0], [1, 0], [1]):
        made = Pair(True)
        frames = []
        for payload in (b"one", b"two"):
            made.sender.put(Frame.RECORDS, payload)
            frames.append(made.sent())
        content = b"".join(frames[number] for number in order)
        with pytest.raises(StreamBroken, match="changed on its way"):
            made.arrives(content)
        made.close()


def test_nobody_can_send_back_what_we_said() -> None:
    made = Pair(True)
    made.receiver.use_keys(*KEYS)  # as if it had spoken to itself
    made.sender.put(Frame.RECORDS, b"x")
    with pytest.raises(StreamBroken):
        made.arrives(made.sent())
    made.close()


def test_large_contents_come_in_parts(pair: Pair) -> None:
    content = bytes(range(256)) * (3 * FRAME_LIMIT // 256 + 1)
    pair.sender.put_parts(Frame.PROGRAM, content)
    got = []
    while pair.sender.has_output:  # a pipe takes some of it at a time
        got += pair.arrives(pair.sent())
    assert b"".join(payload for _, payload in got) == content
    assert [len(payload) for _, payload in got] == [FRAME_LIMIT] * 3 + [256]


def test_nothing_is_sent_before_the_upload_was_got() -> None:
    (theirs, sending), (receiving, answering) = os.pipe(), os.pipe()
    stream = Stream(receiving, sending)
    stream.put_first(b"a runtime", b"got it\n")
    stream.put(Frame.START)
    stream.flush()
    assert os.read(theirs, 100) == b"a runtime"
    for part in (b"got", b" it\n"):
        assert not stream.has_output
        stream.flush()
        os.write(answering, part)
        assert list(stream.read()) == []
    assert stream.has_output
    stream.flush()
    assert os.read(theirs, 100)[4:5] == Frame.START.value
    stream.put_first(b"another one", b"got it\n")
    os.write(answering, b"welcome to this machine")
    with pytest.raises(StreamBroken, match="no answer to the upload: 'welcome"):
        list(stream.read())
    stream.close()
    os.close(theirs)
    os.close(answering)


def test_greetings_and_proofs() -> None:
    assert read_greeting(greeting("abc", "12")) == {"protocol": "1", "build": "abc", "nonce": "12"}
    expected = hmac.digest(b"secret", b"purpose\0target\0host\0", "sha256")
    assert proof(b"secret", "purpose", b"target", b"host") == expected


# --- SHA-256 and HMAC in C

HASHES = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sha256.h"
static size_t decode(const char *text, unsigned char *to) {
    size_t n = strlen(text) / 2;
    for (size_t i = 0; i < n; i++) { unsigned x; sscanf(text + 2 * i, "%2x", &x); to[i] = (unsigned char)x; }
    return n;
}
int main(int argc, char **argv) {  /* hash PIECE DATA | mac PIECE KEY DATA | same A B; a dash for nothing */
    static unsigned char key[1 << 16], data[1 << 16], digest[SHA256_SIZE], other[SHA256_SIZE];
    if (argc < 4) return 2;
    if (strcmp(argv[1], "same") == 0) {
        decode(argv[2], digest);
        decode(argv[3], other);
        return same_digest(digest, other) ? 0 : 1;
    }
    size_t piece = (size_t)atoi(argv[2]), size = decode(argv[argc - 1], data);
    struct sha256 hash;
    struct hmac mac;
    sha256_begin(&hash);
    if (argc > 4) hmac_begin(&mac, key, decode(argv[3], key));
    for (size_t at = 0; at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        if (argc > 4) hmac_add(&mac, data + at, n); else sha256_add(&hash, data + at, n);
    }
    if (argc > 4) hmac_end(&mac, digest); else sha256_end(&hash, digest);
    for (int i = 0; i < SHA256_SIZE; i++) printf("%02x", digest[i]);
    return 0;
}
"""
# FIPS 180-4 (the examples of NIST), and RFC 4231, test cases 1, 2, 3, 4, 6, 7.
DIGESTS = [
    (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ),
]
MACS = [
    (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    (b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    (bytes(range(1, 26)), b"\xcd" * 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    (
        b"\xaa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        b"\xaa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. The key needs to be"
        b" hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
]


@pytest.fixture(scope="module")
def hashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("hashes")
    driver, program = directory / "driver.c", directory / "driver"
    driver.write_text(HASHES, encoding="utf-8")
    flags = ("-std=gnu11", "-O1", "-Wall", "-Werror", f"-I{NATIVE}")
    command = (zig_program(), "cc", *flags, str(driver), str(NATIVE / "sha256.c"), "-o", str(program))
    run_compiler(command, directory, Cache.default())
    return program


def called(program: Path, *arguments: str) -> str:
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def test_the_digests_of_the_standards(hashes: Path) -> None:
    for data, expected in DIGESTS:
        assert called(hashes, "hash", "7", data.hex()) == expected
    for key, data, expected in MACS:
        assert called(hashes, "mac", "7", key.hex(), data.hex()) == expected


def test_the_digests_of_all_lengths(hashes: Path) -> None:
    for size in (1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1000):
        data = bytes(number % 251 for number in range(size))
        for piece in ("1", "64", "999"):
            assert called(hashes, "hash", piece, data.hex()) == hashlib.sha256(data).hexdigest()
        assert called(hashes, "mac", "13", data.hex(), data.hex()) == hmac.digest(data, data, "sha256").hex()


def test_digests_are_compared_whole(hashes: Path) -> None:
    digest = bytes(range(32))
    others = [bytes(byte ^ (number == at) for number, byte in enumerate(digest)) for at in (0, 15, 31)]
    assert subprocess.run([hashes, "same", digest.hex(), digest.hex()], check=False).returncode == 0
    for other in others:
        assert subprocess.run([hashes, "same", digest.hex(), other.hex()], check=False).returncode == 1
