"""Which objects a symbol of the linker may lead to."""

from __future__ import annotations

from raceproof.frontend.linker_symbols import linker_symbols

VARIABLES = [
    '@a = internal global i32 1, section "counters", align 4',
    '@table = internal constant ptr null, section "counters", align 8',
    "@b = common global i32 0, align 4",
    "@t = thread_local global i32 0",
    "@c = constant i32 7",
]


def found(*lines: str, bodies: tuple[str, ...] = (), functions: tuple[str, ...] = ()) -> dict[str, list[str]]:
    symbols = linker_symbols([*VARIABLES, *lines], functions, bodies)
    return {name: [address.symbol for address in addresses] for name, addresses in symbols.items()}


def test_bounds_of_a_section_lead_to_what_is_in_it() -> None:
    functions = ('define void @f() section "counters" {',)
    assert found("@__start_counters = external global [0 x i32], align 4", functions=functions) == {
        "__start_counters": ["__start_counters", "a", "table", "f"]
    }
    assert found("@__stop_other = extern_weak global i32") == {"__stop_other": ["__stop_other"]}


def test_the_end_of_the_data_leads_to_every_variable() -> None:
    assert found("@_end = external global i8, align 1") == {"_end": ["_end", "a", "b"]}


def test_variables_of_the_library_are_objects() -> None:
    assert found("@stdin = external global ptr, align 8", "@environ = external global ptr") == {}


def test_an_undefined_variable_that_is_only_read_and_written_by_name_is_an_object() -> None:
    line = "@limit = external global i32, align 4"
    access = "  %3 = load i32, ptr @limit, align 4, !dbg !1"
    assert found(line, bodies=(access, "  store i32 1, ptr @limit, align 4")) == {}
    member = "  store i8 1, ptr getelementptr inbounds (%struct.s, ptr @limit, i32 0, i32 1), align 4"
    assert found(line, bodies=(member,)) == {}
    for use in (
        "  call void @f(ptr @limit)",
        "  store ptr @limit, ptr %1, align 8",
        "  store ptr getelementptr inbounds (i8, ptr @limit, i64 4), ptr %1",
        "  %2 = getelementptr inbounds i8, ptr @limit, i64 %1",
        "  store ptr @limit, ptr @limit, align 8",
    ):
        assert found(line, bodies=(access, use)) == {"limit": ["limit", "a", "b"]}, use
    assert found(line, "@p = global ptr @limit") == {"limit": ["limit", "a", "b", "p"]}


def test_an_undefined_array_may_stand_in_a_linker_script() -> None:
    access = "  %3 = load i8, ptr @_sdata, align 4"
    assert found("@_sdata = external global [0 x i8]", bodies=(access,)) == {"_sdata": ["_sdata", "a", "b"]}
