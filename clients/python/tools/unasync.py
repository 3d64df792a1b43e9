"""Writes the synchronous client from the asynchronous one.

python tools/unasync.py           writes mayfly/src/mayfly/_sync
python tools/unasync.py --check   fails when it is not up to date
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "mayfly" / "src" / "mayfly"
HEADER = "# Made from ../_async/{name} by tools/unasync.py: change that file instead.\n"

REPLACEMENTS = [
    (r"from collections.abc import AsyncGenerator", "from collections.abc import Generator"),
    (r"\bAsyncGenerator\[AccountEvent, None\]", "Generator[AccountEvent, None, None]"),
    (r"^import anyio\n", ""),
    (r"\bawait anyio\.sleep\b", "time.sleep"),
    (r"`async with`", "`with`"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync([A-Z]\w+)", r"\1"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\ba(close|read|iter_lines)\b", r"\1"),
    (r"httpx\.AsyncClient", "httpx.Client"),
]


def synchronous(path: Path) -> str:
    """The synchronous form of a file."""
    text = path.read_text(encoding="utf-8")
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    if "time.sleep" in text and not re.search(r"^import time$", text, flags=re.MULTILINE):
        text = text.replace("from collections.abc", "import time\nfrom collections.abc", 1)
    if path.name == "__init__.py":
        text = '"""The client on httpx.Client."""\n'
    return _formatted(HEADER.format(name=path.name) + text)


def _formatted(text: str) -> str:
    checked = _ruff(text, "check", "--fix", "--quiet", "--exit-zero")
    return _ruff(checked, "format")


def _ruff(text: str, *args: str) -> str:
    where = ["--stdin-filename", str(SOURCES / "_sync" / "file.py"), "-"]
    command = [sys.executable, "-m", "ruff", *args, *where]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Writes what differs, or names it."""
    stale: list[str] = []
    for path in sorted((SOURCES / "_async").glob("*.py")):
        target = SOURCES / "_sync" / path.name
        text = synchronous(path)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target.name)
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"_sync is not up to date: {', '.join(stale)}. Run python tools/unasync.py.")


main()
