"""Compiled programs kept between runs, by content.

Four kinds of entry, each a file whose name is its key:

    units/     how one file of several is compiled -> the files that were read, with their hashes, and the IR
    recipes/   what to compile and how -> the files that were read, with their hashes, and the hash of the text
    modules/   hash of the text        -> the text of the linked module
    programs/  hash of the text, of the code that parses it, and of the directory that positions are relative
               to -> the `Program`

A unit or recipe counts only while every file it lists has the hash it had. Like any compiler cache, it does not see a
new file that would now be found earlier on the include path.

A cache never fails: what cannot be written is not kept, what is damaged, not ours, or of another version is
not there. Entries carry a hash of their content, and a `Program` is read by an unpickler that makes nothing but
raceproof's own data classes, so that a bad file costs a compilation and no more.
"""

from __future__ import annotations

import gc
import hashlib
import io
import json
import logging
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache as remember
from pathlib import Path
from types import MappingProxyType

from raceproof import __version__
from raceproof.core import PRUNE_INTERVAL, prune
from raceproof.frontend.compile import CompiledUnit, command_for, tool_identity
from raceproof.frontend.inputs import CompileRequest, Unit
from raceproof.ir import Program

log = logging.getLogger(__name__)

FORMAT = 1
SIZE_LIMIT = 1_000_000_000
_MAGIC = b"raceproof cache %d\n" % FORMAT
_KINDS = ("units", "recipes", "modules", "programs")
_DAMAGED = (
    pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, KeyError, TypeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cache:
    """A directory of entries; None for no cache at all."""

    root: Path | None
    size_limit: int = SIZE_LIMIT
    prune_interval: float = PRUNE_INTERVAL

    @staticmethod
    def default() -> Cache:
        """$RACEPROOF_CACHE (empty for none), or raceproof's place in the user's cache directory."""
        chosen = os.environ.get("RACEPROOF_CACHE")
        if chosen is not None:
            return Cache(Path(chosen).absolute() if chosen else None)
        try:
            home = Path.home()
        except RuntimeError:
            return Cache(None)
        if sys.platform == "darwin":
            return Cache(home / "Library" / "Caches" / "raceproof")
        return Cache(Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "raceproof")

    def zig_directory(self) -> Path | None:
        """Where zig may keep its own files; None if nothing can be written there."""
        if self.root is None:
            return None
        directory = self.root / "zig"
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            log.debug("no directory for zig's cache: %s", error)
            return None
        return directory if os.access(directory, os.W_OK | os.X_OK) else None

    def read(self, kind: str, key: str) -> bytes | None:
        """The payload, if the entry is there, is a plain file of this user, and has the hash it was written with."""
        if self.root is None:
            return None
        path = self.root / kind / key
        try:
            with open(path, "rb") as file:
                status = os.fstat(file.fileno())
                is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
                content = file.read() if stat.S_ISREG(status.st_mode) and is_own else b""
            os.utime(path)
        except OSError as error:
            log.debug("not in the cache: %s", error)
            return None
        payload = content[len(_MAGIC) + 32 :]
        if content[: len(_MAGIC) + 32] != _MAGIC + hashlib.sha256(payload).digest():
            log.debug("damaged cache entry %s", path)
            return None
        return payload

    def write(self, kind: str, key: str, payload: bytes) -> None:
        """Keep the payload; the entry appears whole or not at all."""
        if self.root is None:
            return
        try:
            directory = self.root / kind
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp makes the file readable by its owner only.
            handle, name = tempfile.mkstemp(prefix=".new-", dir=directory)
            try:
                with open(handle, "wb") as file:
                    file.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
                os.replace(name, directory / key)
            except OSError:
                os.unlink(name)
                raise
            prune(self.root, [self.root / kind for kind in _KINDS], self.size_limit, self.prune_interval)
        except OSError as error:
            log.debug("not kept in the cache: %s", error)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a compilation gave: `digest` names the module's text, `commands` are those that were run."""

    digest: str
    commands: tuple[tuple[str, ...], ...]


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def find_recipe(cache: Cache, request: CompileRequest) -> Recipe | None:
    """The recipe for a request, if no file that went into it has changed."""
    payload = cache.read("recipes", _recipe_key(request))
    if payload is None:
        return None
    try:
        fields = json.loads(payload)
        files: Mapping[str, str] = fields["files"]
        recipe = Recipe(str(fields["digest"]), tuple(tuple(map(str, c)) for c in fields["commands"]))
        is_current = all(_file_digest(Path(name)) == digest for name, digest in files.items())
    except _DAMAGED as error:
        log.debug("damaged recipe: %r", error)
        return None
    return recipe if is_current else None


def files_of_recipe(cache: Cache, request: CompileRequest) -> tuple[Path, ...]:
    """What the last compilation of a request has read, headers included; nothing if that is not known."""
    payload = cache.read("recipes", _recipe_key(request))
    try:
        return tuple(map(Path, json.loads(payload)["files"])) if payload is not None else ()
    except _DAMAGED:
        return ()


def keep_module(
    cache: Cache, request: CompileRequest, text: str, compiled: Sequence[CompiledUnit], started: float
) -> Recipe:
    """Keep the text of a compilation that began at `started`, unless a file that it read changed meanwhile."""
    recipe = Recipe(digest_of(text), tuple(unit.command for unit in compiled))
    hashes = _hashes((file for unit in compiled for file in unit.dependencies), started)
    if hashes is None:
        return recipe
    fields = {"digest": recipe.digest, "commands": recipe.commands, "files": hashes}
    cache.write("modules", recipe.digest, text.encode("utf-8", "replace"))
    cache.write("recipes", _recipe_key(request), json.dumps(fields).encode())
    return recipe


def _hashes(files: Iterable[Path], started: float) -> dict[str, str] | None:
    """Of what a compilation that began at `started` has read; None if that is not certain to be what is there now."""
    found: dict[str, str] = {}
    for file in dict.fromkeys(files):
        digest = _file_digest(file)
        try:
            if digest is None or file.stat().st_mtime > started:
                return None
        except OSError:
            return None
        found[str(file)] = digest
    return found


@dataclass(frozen=True, slots=True)
class KeptUnits:
    """The units of a program of several, so that a change of one file compiles that one only."""

    cache: Cache
    request: CompileRequest

    def find(self, unit: Unit, extra: tuple[str, ...]) -> CompiledUnit | None:
        """The unit compiled with these flags, if no file that went into it has changed."""
        payload = self.cache.read("units", self._key(unit, extra)) if self._may_keep(unit) else None
        if payload is None:
            return None
        try:
            fields = json.loads(payload)
            files: Mapping[str, str] = fields["files"]
            if not all(_file_digest(Path(name)) == digest for name, digest in files.items()):
                return None
            command, left_out = tuple(map(str, fields["command"])), tuple(map(str, fields["left_out"]))
            return CompiledUnit(str(fields["text"]), command, tuple(map(Path, files)), left_out)
        except _DAMAGED as error:
            log.debug("damaged unit: %r", error)
            return None

    def keep(self, unit: Unit, extra: tuple[str, ...], compiled: CompiledUnit, started: float) -> None:
        if not self._may_keep(unit) or not isinstance(compiled.text, str) or compiled.prototypes:
            return
        hashes = _hashes(compiled.dependencies, started)
        if hashes is not None:
            fields = {"text": compiled.text, "command": compiled.command, "left_out": compiled.left_out}
            self.cache.write("units", self._key(unit, extra), json.dumps({"files": hashes, **fields}).encode())

    def _may_keep(self, unit: Unit) -> bool:
        """A program of one unit is kept as a module. Under an overlay, files are not what their names say."""
        return len(self.request.units) > 1 and not any("vfsoverlay" in flag for flag in unit.flags)

    def _key(self, unit: Unit, extra: tuple[str, ...]) -> str:
        how = json.dumps([str(unit.file), str(unit.directory), command_for(unit, self.request), extra])
        return _digest_of_parts(__version__, _code_digest(), *tool_identity(self.request), how)


def find_module(cache: Cache, recipe: Recipe) -> str | None:
    payload = cache.read("modules", recipe.digest)
    return payload.decode("utf-8") if payload is not None else None


def _recipe_key(request: CompileRequest) -> str:
    units = [(str(u.file), str(u.directory), command_for(u, request)) for u in request.units]
    return _digest_of_parts(
        __version__, _code_digest(), *tool_identity(request), json.dumps([units, request.prototypes, request.left_out])
    )


def _file_digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _digest_of_parts(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


@remember
def _code_digest() -> str:
    """A hash of the code that makes a `Program` of a module: an entry made by other code is not ours."""
    package = Path(__file__).parents[1]
    files = sorted(path for name in ("core", "frontend", "ir") for path in (package / name).glob("*.py"))
    return _digest_of_parts(sys.version, *(f"{path.name} {_file_digest(path)}" for path in files))


def _program_key(recipe: Recipe, request: CompileRequest) -> str:
    names = [str(unit.file) for unit in request.units]
    origin = json.dumps([names, recipe.commands, request.data_model])
    asked = json.dumps(request.prototypes)
    return _digest_of_parts(recipe.digest, _code_digest(), str(request.root), request.entry, origin, asked)


def find_program(cache: Cache, recipe: Recipe, request: CompileRequest) -> Program | None:
    payload = cache.read("programs", _program_key(recipe, request))
    if payload is None:
        return None
    collects = gc.isenabled()
    gc.disable()  # nothing of what is made here is garbage, and looking for it takes a third of the time
    try:
        program = _Unpickler(io.BytesIO(payload)).load()
    except _DAMAGED as error:
        log.debug("unusable program in the cache: %r", error)
        return None
    finally:
        if collects:
            gc.enable()
    return program if isinstance(program, Program) else None


def keep_program(cache: Cache, recipe: Recipe, request: CompileRequest, program: Program) -> None:
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    pickler.dispatch_table = {MappingProxyType: lambda view: (_view, (dict(view),))}
    try:
        pickler.dump(program)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        log.debug("this program cannot be kept: %r", error)
        return
    cache.write("programs", _program_key(recipe, request), buffer.getvalue())


def _view(content: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(content)


class _Unpickler(pickle.Unpickler):
    """Makes values of raceproof's own classes only: no entry can call anything else."""

    def find_class(self, module: str, name: str) -> object:
        if (module, name) == (__name__, "_view"):
            return _view
        is_ours = module.startswith("raceproof.ir.") or module == "raceproof.core.source"
        found = super().find_class(module, name) if is_ours and "." not in name else None
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module}.{name} does not belong in a program")
        return found
