"""Rows of libraries beside the C library: what is called back, and when."""

from __future__ import annotations

import pytest

from raceproof.facts.library.effects import Bytes, Returns
from raceproof.facts.library.libc import known_effect


@pytest.mark.parametrize(
    ("name", "function", "own"),
    [("pcap_loop", 2, 3), ("pcap_dispatch", 2, 3), ("EVP_CIPHER_do_all_sorted", 0, 1), ("OBJ_NAME_do_all", 1, 2)],
)
def test_callbacks_run_during_the_call_only(name: str, function: int, own: int) -> None:
    effect = known_effect(name)
    assert effect is not None
    (callback,) = effect.calls
    assert not callback.later
    assert callback.function == function
    assert own in callback.args  # the program's own data come back


@pytest.mark.parametrize("name", ["pcap_open_live", "EVP_MD_CTX_new"])
def test_handles_are_objects_of_the_library(name: str) -> None:
    effect = known_effect(name)
    assert effect is not None
    assert effect.returns is Returns.OPAQUE


@pytest.mark.parametrize("name", ["execl", "execlp", "execle"])
def test_arguments_of_a_new_program_are_read(name: str) -> None:
    effect = known_effect(name)
    assert effect is not None
    assert {touch.arg for touch in effect.reads} >= set(range(20))
    assert not effect.writes


@pytest.mark.parametrize(
    ("name", "at", "size"),
    [
        ("longjmp", 0, 200),
        ("pthread_attr_setschedparam", 1, 4),
        ("pthread_mutex_init", 1, 4),
        ("epoll_ctl", 3, 12),
        ("pthread_attr_destroy", 0, 56),
        ("getrusage", 1, 144),
        ("fstatvfs", 1, 112),
    ],
)
def test_a_run_sees_no_more_than_the_type_has(name: str, at: int, size: int) -> None:
    """`size`: with glibc on x86-64, the smallest of all but for `longjmp`, which need not read all."""
    effect = known_effect(name)
    assert effect is not None
    extents = [touch.extent for touch in (*effect.reads, *effect.writes) if touch.arg == at]
    assert extents
    for extent in extents:
        assert isinstance(extent, Bytes)
        assert extent.surely_on(8) <= size <= extent.on(8)
        assert extent.surely_on(4) <= extent.on(4)
