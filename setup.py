"""Adds the public reference lists to the package: they lie beside it in a checkout, and in it once it is installed."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

_LISTS = Path("dictionaries")
_INSTALLED = Path("deid_tasks", "dictionaries")


class BuildWithReferenceLists(build_py):
    """Copies ``dictionaries/`` into the built package; an editable installation reads the checkout's own."""

    def run(self) -> None:
        """Build the package, and copy the lists unless the installation is editable."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / _INSTALLED
        target.mkdir(parents=True, exist_ok=True)
        for path in (*sorted(_LISTS.glob("*.tsv")), _LISTS / "SOURCES.md"):
            shutil.copyfile(path, target / path.name)


setup(cmdclass={"build_py": BuildWithReferenceLists})
