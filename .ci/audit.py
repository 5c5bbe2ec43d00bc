"""Look up the packages that a checkout and the images install among known vulnerabilities: `make audit`.

Exit status 1 where one is known. Where no source of advisories is reachable this says so, and audits nothing.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LIST = Path(__file__).resolve().parents[1] / "deploy" / "image" / "development.txt"
_PROBE = "six"
"""A package that every source of advisories knows."""
UNREACHABLE = "no source of advisories is reachable from here (the package index's JSON API): nothing was audited"


def audited(lines: list[str]) -> list[dict[str, Any]]:
    """Return what pip-audit says of these packages; nothing where it ends with an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "packages.txt")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off"]
        command += ["--format", "json", "--requirement", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):
        return []


def main() -> int:
    """Audit the list; return 1 where a vulnerability is known."""
    pinned = re.findall(r"^([\w.-]+==\S+)", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    probe = audited([line for line in pinned if line.startswith(f"{_PROBE}==")])
    if not any("vulns" in one for one in probe):
        print(UNREACHABLE)
        return 0
    found = audited(pinned)
    known = [one for one in found if one.get("vulns")]
    for one in known:
        print(f"{one['name']} {one['version']}: {', '.join(each['id'] for each in one['vulns'])}")
    skipped = len(pinned) - sum("vulns" in one for one in found)
    print(f"{len(pinned)} packages: {len(known)} with known vulnerabilities, {skipped} that could not be looked up")
    return int(bool(known))


if __name__ == "__main__":
    sys.exit(main())
