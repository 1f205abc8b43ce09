"""`[[lock]]` and `[[safe]]`: what the file says about functions, as models."""

from __future__ import annotations

from collections.abc import Sequence

from raceproof.config.tables import Table
from raceproof.model import LockAction, LockModel, SafeFunction


def lock_models(whole: Table, tables: Sequence[Table]) -> tuple[LockModel, ...]:
    models: dict[str, LockModel] = {}
    for table in tables:
        for model in _of_table(table):
            if model.function in models:
                table.error(f"`{model.function}` has a model already")
            models[model.function] = model
    # A lock that is never given back would protect everything behind its first use.
    released = {m.lock for m in models.values() if m.action is LockAction.RELEASE}
    for model in models.values():
        if model.action is not LockAction.RELEASE and model.lock not in released:
            whole.error(f"[[lock]]: nothing releases what `{model.function}` acquires: add `release`")
    return tuple(models.values())


def _of_table(table: Table) -> list[LockModel]:
    acquire, tried, release = table.names("acquire"), table.names("try"), table.names("release")
    given = table.integer("argument", least=0)
    argument = 1 if given is None else given
    lock = _lock_name(table, argument, (*acquire, *tried), release)
    shared, optional = table.flag("shared"), table.flag("optional")
    success, failure = _results(table, tried)
    table.finish()
    if not (acquire or tried or release):
        table.error("give at least one of `acquire`, `try` and `release`")
    by_action = ((LockAction.ACQUIRE, acquire), (LockAction.TRY, tried), (LockAction.RELEASE, release))
    return [
        LockModel(name, action, argument, lock, shared, success, failure, optional, table.place)
        if action is LockAction.TRY
        else LockModel(name, action, argument, lock, shared, optional=optional, where=table.place)
        for action, names in by_action
        for name in names
    ]


def _lock_name(table: Table, argument: int, takers: Sequence[str], release: Sequence[str]) -> str:
    """The name of the one lock that functions without an argument for it are about."""
    name = table.text("name")
    if argument:
        if name is not None:
            table.error("`name` is for a lock that is no argument: it goes with argument = 0")
        return ""
    if name is None and not (takers and release):
        table.error("with argument = 0, give `acquire` and `release` in one table, or the `name` of the lock in each")
    return name if name is not None else takers[0]


def _results(table: Table, tried: Sequence[str]) -> tuple[int, int | None]:
    success, failure = table.code("success"), table.code("failure")
    if not tried:
        for key in ("success", "failure"):
            if table.has(key):
                table.error(f"`{key}` goes with `try`")
        return 1, 0
    if success is None:
        table.error("`try` needs `success`: the result that means that the lock was taken")
    if success == failure:
        table.error("`success` and `failure` must differ")
    return success, failure if failure is not None or success == 0 else 0


def safe_functions(tables: Sequence[Table]) -> tuple[SafeFunction, ...]:
    found: dict[str, SafeFunction] = {}
    for table in tables:
        function, reason, optional = table.text("function"), table.text("reason"), table.flag("optional")
        table.finish()
        if function is None or reason is None:
            table.error("`function` and `reason` are needed")
        if function in found:
            table.error(f"`{function}` is called safe already")
        found[function] = SafeFunction(function, reason, optional, table.place)
    return tuple(found.values())
