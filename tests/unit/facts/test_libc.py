"""libc: invariants over all tables, and single functions against C11, POSIX and the manuals of glibc."""

from __future__ import annotations

import pytest

from raceproof.core import InternalError
from raceproof.facts.library.effect_terms import both, effects, into, rd, wr
from raceproof.facts.library.effects import (
    REACHED,
    STATIC_ARG,
    ArgBytes,
    Bytes,
    Callback,
    CString,
    Effect,
    Extent,
    Format,
    Returns,
    Touch,
    WholeObject,
)
from raceproof.facts.library.libc import EFFECTS, atomic_call, is_pure_intrinsic, known_effect
from raceproof.facts.library.libc_atomic import ATOMIC_CALLS
from raceproof.model import AccessKind

ALL_EFFECTS = sorted(EFFECTS.items())
STRING = CString()
POINTER = Bytes(8, ilp32=4)
POINTS_TO_ARGUMENT = {Returns.ARG, Returns.INTO_ARG, Returns.LOADED, Returns.SYMBOL}


def of(name: str) -> Effect:
    effect = known_effect(name)
    assert effect is not None
    return effect


def extents(effect: Effect) -> list[Extent]:
    return [touch.extent for touch in effect.reads + effect.writes] + ([effect.size] if effect.size else [])


def pointer_args(effect: Effect) -> set[int]:
    args = {touch.arg for touch in effect.reads + effect.writes}
    args.update(effect.frees, effect.fresh_into, effect.keeps, effect.copies_to_result)
    args.update(arg for pair in effect.copies + effect.stores for arg in pair)
    args.update(arg for call in effect.calls for arg in (call.function, *call.args) if arg is not None)
    args.update(arg for arg in (effect.returns_arg, effect.or_arg, effect.va_list_arg) if arg is not None)
    return args


def test_arguments_are_plausible() -> None:
    for name, effect in ALL_EFFECTS:
        args = pointer_args(effect)
        sizes = {i for e in extents(effect) if isinstance(e, ArgBytes) for i in (e.arg, e.times) if i is not None}
        most = 127 if name in ("execl", "execlp", "execle") else 8  # those list the arguments of a program
        assert all(0 <= arg <= most or arg in (STATIC_ARG, REACHED) for arg in args), name
        assert all(0 <= arg <= 8 for arg in sizes), name
        assert not args & sizes, name  # a pointer is no size
        assert STATIC_ARG not in args or effect.static_object is not None, name


def test_results_say_where_they_point() -> None:
    for name, effect in ALL_EFFECTS:
        assert (effect.returns_arg is not None) == (effect.returns in POINTS_TO_ARGUMENT), name
        assert effect.returns is not Returns.STATIC or effect.static_object is not None, name
        makes_object = effect.returns is Returns.FRESH or bool(effect.fresh_into)
        assert (effect.size is not None) == makes_object, name
        assert not effect.zeroed or makes_object, name
        assert not effect.copies_to_result or effect.returns is Returns.FRESH, name
        assert not effect.noreturn or effect.returns is Returns.NOTHING, name
        assert not effect.static_is_thread_local or effect.static_object is not None, name


def test_what_is_copied_is_read_and_written() -> None:
    """A static object may be behind a lock of the library's own: then it is copied to without an access."""
    for name, effect in ALL_EFFECTS:
        read, written = {t.arg for t in effect.reads}, {t.arg for t in effect.writes}
        for to, source in effect.copies:
            assert to in written | {STATIC_ARG}, name
            assert source in read | {STATIC_ARG}, name
        assert {to for _, to in effect.stores} <= written | {STATIC_ARG}, name
        assert set(effect.fresh_into) <= written, name


def test_formats_are_read() -> None:
    for name, effect in ALL_EFFECTS:
        assert (effect.format is Format.NONE) == (effect.format_arg is None), name
        assert effect.va_list_arg is None or effect.format is not Format.NONE, name
        if effect.format_arg is not None:
            assert Touch(effect.format_arg, STRING) in effect.reads, name


def test_sizes_are_not_negative_and_no_larger_on_32_bits() -> None:
    for name, effect in ALL_EFFECTS:
        for extent in extents(effect):
            if isinstance(extent, Bytes):
                assert 0 < extent.on(4) <= extent.on(8) == extent.count, name
            if isinstance(extent, ArgBytes):
                assert extent.unit > 0, name


def test_static_objects_are_either_shared_or_each_threads_own() -> None:
    own = {e.static_object for e in EFFECTS.values() if e.static_object and e.static_is_thread_local}
    shared = {e.static_object for e in EFFECTS.values() if e.static_object and not e.static_is_thread_local}
    assert not own & shared


def test_enough_functions() -> None:
    assert len(EFFECTS) >= 1500


# Spot checks


def test_memcpy() -> None:
    effect = Effect(
        reads=(Touch(1, ArgBytes(2)),),
        writes=(Touch(0, ArgBytes(2)),),
        copies=((0, 1),),
        returns=Returns.ARG,
        returns_arg=0,
    )
    assert of("memcpy") == of("llvm.memcpy") == of("__memcpy_chk") == of("memmove") == effect


@pytest.mark.parametrize(
    ("name", "size", "zeroed"),
    [
        ("malloc", ArgBytes(0), False),
        ("calloc", ArgBytes(0, times=1), True),
        ("aligned_alloc", ArgBytes(1), False),
        ("strdup", CString(), False),
        ("mmap", ArgBytes(1), False),
    ],
)
def test_allocation(name: str, size: Extent, zeroed: bool) -> None:
    effect = of(name)
    assert (effect.returns, effect.size, effect.zeroed) == (Returns.FRESH, size, zeroed)


def test_realloc_frees_the_old_object_and_keeps_its_contents() -> None:
    effect = of("realloc")
    assert (effect.frees, effect.copies_to_result, effect.size) == ((0,), (0,), ArgBytes(1))
    assert of("reallocarray").size == ArgBytes(1, times=2)


def test_objects_stored_through_an_argument() -> None:
    assert (of("posix_memalign").fresh_into, of("posix_memalign").size) == ((0,), ArgBytes(2))
    assert of("asprintf").fresh_into == of("getline").fresh_into == (0,)
    assert of("getaddrinfo").fresh_into == (3,)
    assert of("getaddrinfo").linked


@pytest.mark.parametrize("name", ["free", "munmap", "freeaddrinfo", "closedir"])
def test_freeing(name: str) -> None:
    assert of(name).frees == (0,)


def test_strings() -> None:
    assert of("strlen") == Effect(reads=(Touch(0, STRING),))
    assert of("strncpy").writes == (Touch(0, ArgBytes(2)),)
    assert (of("strchr").returns, of("strchr").returns_arg) == (Returns.INTO_ARG, 0)
    assert Touch(0, STRING) in of("strcat").reads  # the end of the first string is looked for


def test_strtol_stores_a_pointer_into_the_string() -> None:
    effect = of("strtol")
    assert (effect.stores, effect.writes) == (((0, 1),), (Touch(1, POINTER),))
    assert of("__isoc23_strtol") == effect


def test_strtok_is_strtok_r_with_a_static_pointer() -> None:
    hidden, explicit = of("strtok"), of("strtok_r")
    assert (hidden.stores, hidden.returns_arg) == (((0, STATIC_ARG),), STATIC_ARG)
    assert (explicit.stores, explicit.returns_arg) == (((0, 2),), 2)
    assert hidden.returns is explicit.returns is Returns.LOADED


def test_callbacks() -> None:
    assert of("qsort").calls == (Callback(3, (0, 0)),)
    assert of("bsearch").calls == (Callback(4, (0, 1)),)
    assert of("atexit").calls == (Callback(0, (), later=True),)
    assert of("on_exit").calls == (Callback(0, (None, 1), later=True),)
    assert of("signal").calls == (Callback(1, (None,), later=True),)
    assert of("sigaction").calls[0].deref


def test_static_buffers_are_written() -> None:
    for name in ("localtime", "ctime", "gethostbyname", "inet_ntoa", "getpwnam"):
        assert of(name).returns is Returns.STATIC
        assert STATIC_ARG in {touch.arg for touch in of(name).writes}
    assert of("gmtime").static_object == of("localtime").static_object  # C11 7.27.3p1
    assert of("localtime_r").static_object is None


def test_errno_is_each_threads_own() -> None:
    effect = of("__errno_location")
    assert (effect.returns, effect.static_object, effect.static_is_thread_local) == (Returns.STATIC, "errno", True)
    assert not effect.reads + effect.writes


def test_environment() -> None:
    assert of("getenv").static_object == of("setenv").static_object == "environ"
    assert STATIC_ARG not in {touch.arg for touch in of("getenv").writes}
    assert STATIC_ARG in {touch.arg for touch in of("setenv").writes}
    assert of("putenv").keeps == (0,)


@pytest.mark.parametrize(
    ("name", "format_arg"),
    [("printf", 0), ("fprintf", 1), ("snprintf", 2), ("__printf_chk", 1), ("__snprintf_chk", 4), ("syslog", 1)],
)
def test_printf(name: str, format_arg: int) -> None:
    assert (of(name).format, of(name).format_arg) == (Format.PRINTF, format_arg)


def test_scanf() -> None:
    assert (of("sscanf").format, of("sscanf").format_arg) == (Format.SCANF, 1)
    assert of("__isoc99_sscanf") == of("sscanf")
    assert (of("vfscanf").format_arg, of("vfscanf").va_list_arg) == (1, 2)


def test_streams_lock_themselves() -> None:
    assert of("fputs") == Effect(reads=(Touch(0, STRING),))
    assert Touch(1, WholeObject()) in of("fputs_unlocked").writes
    assert of("fopen").returns is Returns.OPAQUE
    assert of("setvbuf").keeps == (1,)


def test_reading_and_writing() -> None:
    assert of("fread").writes == (Touch(0, ArgBytes(1, times=2)),)
    assert of("read").writes == of("recv").writes == (Touch(1, ArgBytes(2)),)
    assert of("write").reads == (Touch(1, ArgBytes(2)),)
    assert of("writev").reads[1].deref


@pytest.mark.parametrize("name", ["exit", "abort", "longjmp", "__assert_fail", "reach_error", "llvm.trap", "err"])
def test_noreturn(name: str) -> None:
    assert of(name).noreturn


def test_setjmp() -> None:
    assert of("_setjmp").writes[0].arg == of("longjmp").reads[0].arg == 0


def test_math() -> None:
    assert of("sin") == of("powf") == of("fmal") == Effect()
    assert of("frexp").writes == (Touch(1, Bytes(4)),)
    assert of("modf").writes == (Touch(1, Bytes(8)),)
    assert of("sincosf").writes == (Touch(1, Bytes(4)), Touch(2, Bytes(4)))


def test_threads_write_ids_and_results() -> None:
    assert of("pthread_create").writes == (Touch(0, POINTER),)  # an unsigned long is as long
    assert of("pthread_join").writes == (Touch(1, POINTER),)
    assert of("thrd_join").writes == (Touch(1, Bytes(4)),)


def test_thread_specific_data() -> None:
    assert of("pthread_setspecific").stores == ((1, STATIC_ARG),)
    assert of("pthread_getspecific").returns_arg == STATIC_ARG
    assert of("pthread_key_create").calls == (Callback(1, (STATIC_ARG,), loads=True, later=True),)


def test_sv_comp() -> None:
    assert of("__VERIFIER_nondet_int") == of("__VERIFIER_nondet_anything") == Effect()
    assert of("__VERIFIER_nondet_pointer").returns is Returns.OPAQUE
    assert of("__VERIFIER_nondet_memory").writes == (Touch(0, ArgBytes(1)),)
    assert of("__VERIFIER_assume") == Effect()


@pytest.mark.parametrize(
    ("renamed", "plain"),
    [
        ("fopen64", "fopen"),
        ("readdir64_r", "readdir_r"),
        ("__stat64_time64", "stat"),
        ("__clock_gettime64", "clock_gettime"),
        ("__localtime64_r", "localtime_r"),
        ("__getgroups_chk", "getgroups"),
        ("__pread64_chk", "pread"),
        ("\x01__isoc99_fscanf", "fscanf"),
        ("llvm.memset.p0.i64", "memset"),
    ],
)
def test_renamed_functions(renamed: str, plain: str) -> None:
    assert of(renamed) == of(plain)


def test_a_name_that_only_looks_like_a_variant_is_unknown() -> None:
    for name in ("rand64", "div64", "my_printf", "__unknown_chk", "llvm.masked.load", "sendfile128"):
        assert known_effect(name) is None


def test_intrinsics() -> None:
    for name in ("umul.with.overflow", "ctpop", "smax", "fabs", "expect.i64", "lifetime.start", "vector.reduce.add"):
        assert known_effect(f"llvm.{name}") is not None
    assert is_pure_intrinsic("llvm.sadd.sat")
    assert not is_pure_intrinsic("llvm.memcpy")
    assert not is_pure_intrinsic("llvm.va_start")
    assert not is_pure_intrinsic("abs")
    assert of("llvm.va_copy").copies == ((0, 1),)
    assert of("llvm.expect").returns is Returns.ARG


@pytest.mark.parametrize("name", sorted(ATOMIC_CALLS))
def test_atomic_calls_touch_their_object(name: str) -> None:
    call = atomic_call(name)
    assert call is not None
    effect = of(name)
    reads = call.object_arg in {touch.arg for touch in effect.reads}
    writes = call.object_arg in {touch.arg for touch in effect.writes}
    assert (reads, writes) == {
        AccessKind.READ: (True, False),
        AccessKind.WRITE: (False, True),
        AccessKind.UPDATE: (True, True),
    }[call.kind]
    assert (call.size is None) != (call.size_arg is None)
    assert call.order_arg > call.object_arg


def test_libatomic() -> None:
    call = atomic_call("__atomic_compare_exchange")
    assert call is not None
    assert (call.object_arg, call.size_arg, call.order_arg, call.failure_order_arg) == (1, 0, 4, 5)
    fetch = atomic_call("__atomic_fetch_add_8")
    assert fetch is not None
    assert (fetch.object_arg, fetch.size, fetch.order_arg) == (0, 8, 2)
    assert atomic_call("memcpy") is None


# The terms that the tables are written in


def test_parts_are_joined() -> None:
    joined = both(rd(0), wr(1), rd(1, Bytes(2)), into(0))
    assert joined.reads == (Touch(0, STRING), Touch(1, Bytes(2)))
    assert (joined.writes, joined.returns_arg) == ((Touch(1, STRING),), 0)


def test_parts_that_disagree_are_refused() -> None:
    with pytest.raises(InternalError, match="returns_arg"):
        both(into(0), into(1))


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(InternalError, match="strlen"):
        effects(("strlen", rd(0)), ("strlen strchr", rd(0)))
