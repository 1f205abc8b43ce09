"""Pack the extension for Visual Studio Code: `python package.py DIRECTORY` writes DIRECTORY/raceproof-VERSION.vsix.

A .vsix is a zip with a manifest. What the extension needs is fetched by npm, exactly as package-lock.json pins it (with
hashes), and becomes part of it. The same sources give the same bytes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
SOURCES = ("package.json", "extension.js", "README.md", "LICENSE.txt")
LEFT_OUT = re.compile(r"\.(map|d\.ts|d\.mts|d\.cts|tsbuildinfo)$|^node_modules/\.")
WHEN = (1980, 1, 1, 0, 0, 0)

MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}"/>
    <DisplayName>{displayName}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Tags>{tags}</Tags>
    <Categories>{categories}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def missing(directory: Path) -> list[str]:
    """Packages of package-lock.json that are not in `node_modules` with their version."""
    lock = json.loads((directory / "package-lock.json").read_text(encoding="utf-8"))
    wanted = {name: entry["version"] for name, entry in lock["packages"].items() if name}
    return [name for name, version in wanted.items() if _version(directory / name) != version]


def _version(package: Path) -> str | None:
    try:
        found = json.loads((package / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return str(found.get("version"))


def pack(directory: Path, out: Path) -> Path:
    """Pack what is in the directory, whose `node_modules` must be complete; the name of the file."""
    lost = [*(name for name in SOURCES if not (directory / name).is_file()), *missing(directory)]
    if lost:
        raise SystemExit(f"the extension is not complete: {', '.join(lost)}")
    described: dict[str, Any] = json.loads((directory / "package.json").read_text(encoding="utf-8"))
    modules = sorted(path for path in (directory / "node_modules").rglob("*") if path.is_file())
    names = [*SOURCES, *(path.relative_to(directory).as_posix() for path in modules)]
    shipped = [name for name in names if not LEFT_OUT.search(name)]
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{described['name']}-{described['version']}.vsix"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "extension.vsixmanifest", _manifest(described).encode())
        _add(archive, "[Content_Types].xml", _content_types(shipped).encode())
        for name in shipped:
            _add(archive, f"extension/{name}", (directory / name).read_bytes())
    return target


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, WHEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)


def _manifest(described: dict[str, Any]) -> str:
    texts = {key: escape(str(described[key]), {'"': "&quot;"}) for key in ("name", "version", "publisher")}
    return MANIFEST.format(
        **texts,
        displayName=escape(described["displayName"]),
        description=escape(described["description"]),
        tags=escape(",".join(described["keywords"])),
        categories=escape(",".join(described["categories"])),
        engine=escape(described["engines"]["vscode"]),
    )


def _content_types(names: Iterable[str]) -> str:
    """One for each suffix, and for each name without one."""
    paths = [Path(name) for name in names]
    suffixes = sorted({path.suffix for path in paths if path.suffix} | {".vsixmanifest"})
    bare = sorted(path.as_posix() for path in paths if not path.suffix)
    types = {".json": "application/json", ".js": "application/javascript", ".vsixmanifest": "text/xml"}
    lines = [f'<Default Extension="{s}" ContentType="{types.get(s, "text/plain")}"/>' for s in suffixes]
    lines += [f'<Override PartName="/extension/{name}" ContentType="text/plain"/>' for name in bare]
    start = '<?xml version="1.0" encoding="utf-8"?>\n'
    schema = "http://schemas.openxmlformats.org/package/2006/content-types"
    return f'{start}<Types xmlns="{schema}">{"".join(lines)}</Types>\n'


def main(out: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is not installed; it comes with Node.js 20 or newer")
    with tempfile.TemporaryDirectory(prefix="raceproof-vscode-") as name:
        directory = Path(name)
        for source in (*SOURCES, "package-lock.json"):
            shutil.copy(HERE / source, directory / source)
        subprocess.run(
            [npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
            cwd=directory,
            check=True,
        )
        target = pack(directory, out)
    print(f"{target}; install it by: code --install-extension {target}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: package.py DIRECTORY")
    main(Path(sys.argv[1]))
