"""Write the lists of packages that the images and a checkout install, each pinned to one file by its SHA-256.

python deploy/image/lock.py                     # all lists
python deploy/image/lock.py engine-cpu build    # some

pip resolves `pyproject.toml` with the pins of `constraints.txt`, on the platform that it runs on: Linux on x86-64 with
Python 3.11, as the image. Only PyPI is asked, so that no file of a local index gets into the lists.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
IMAGES = {
    "engine-cpu": (),
    "engine-cuda": ("gpu",),
    "platform-cpu": ("platform", "celery", "kubernetes"),
    "platform-cuda": ("platform", "celery", "kubernetes", "gpu"),
}
"""The extras in each image."""
CHECKOUT = "development"
"""The list of what `make` installs into a checkout; not Spark, which is no wheel, nor the second encoder of 440 MB."""
_CHECKOUT_EXTRAS = ("platform", "celery", "kubernetes", "train", "dev")
_TOOLS = ("setuptools>=77",)
"""What builds the wheel; nothing of it gets into an image."""


def wanted(name: str) -> list[str]:
    """Return the requirements of a list, without their dependencies."""
    if name == "build":
        return list(_TOOLS)
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    chosen = _CHECKOUT_EXTRAS if name == CHECKOUT else IMAGES[name]
    return [*project["dependencies"], *(one for extra in chosen for one in extras[extra])]


def resolve(requirements: list[str]) -> list[tuple[str, str, str]]:
    """Return name, version and SHA-256 of each file that pip would install.

    Raises:
        CalledProcessError: pip finds no such set; it has printed why.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
        command += ["--only-binary", ":all:", "--constraint", str(ROOT / "constraints.txt"), "--report", str(report)]
        subprocess.run([*command, *requirements], check=True)  # noqa: S603
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    return sorted(
        (
            one["metadata"]["name"].lower().replace("_", "-").replace(".", "-"),
            one["metadata"]["version"],
            one["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for one in installed
    )


def main() -> None:
    """Write the lists that the command line names, or all."""
    for name in sys.argv[1:] or ("build", *IMAGES, CHECKOUT):
        lines = [f"{package}=={version} --hash=sha256:{digest}" for package, version, digest in resolve(wanted(name))]
        header = f"# Written by deploy/image/lock.py: {name}."
        (FOLDER / f"{name}.txt").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        print(f"{name}: {len(lines)} packages")


if __name__ == "__main__":
    main()
