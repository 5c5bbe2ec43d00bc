"""Write the bill of materials: every pinned package with version and hash, and the models, as CycloneDX JSON.

python deploy/sbom.py                       # .run/sbom.cdx.json
python deploy/sbom.py --output FILE

Versions are the pins of `constraints.txt`, hashes those of the lists that `deploy/image/lock.py` writes, and licences
what the packages that are installed here declare. Exit status 1 where a package that is installed here has another
version than its pin.
"""

import argparse
import importlib.metadata
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]
LISTS = ROOT / "deploy" / "image"
_PIN = re.compile(r"^([\w.-]+)==([^\s;]+)(?: --hash=sha256:([0-9a-f]{64}))?", re.MULTILINE)
_LICENCE_CHARACTERS = 100
"""Some packages declare the whole text of their licence."""


def normal(name: str) -> str:
    """Return a package's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Return the version of each pinned package."""
    found = _PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    return {normal(name): version for name, version, _ in found}


def hashes() -> dict[tuple[str, str], str]:
    """Return the SHA-256 by name and version, of every file in the lists of packages."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(LISTS.glob("*.txt")))
    rows = (row for text in texts for row in _PIN.findall(text))
    return {(normal(name), version): digest for name, version, digest in rows}


def packages() -> Iterator[Component]:
    """Yield a component for each pin, and for each package of the lists that has none."""
    known = hashes()
    wanted = {(name, version) for name, version in pins().items()} | known.keys()
    for name, version in sorted(wanted):
        digest = known.get((name, version))
        yield Component(
            type=ComponentType.LIBRARY,
            name=name,
            version=version,
            purl=PackageURL("pypi", None, name, version),
            bom_ref=f"{name}=={version}",
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else [],
            licenses=[DisjunctiveLicense(name=licence)] if (licence := _licence(name)) else [],
        )


def models() -> Iterator[Component]:
    """Yield a component for each model that the package ships, with the hash of its weights."""
    for path in sorted((ROOT / "deid_tasks" / "models").glob("*/config.json")):
        digest = json.loads(path.read_text(encoding="utf-8"))["palimpsest"]["sha256"]["model.onnx"]
        yield Component(
            type=ComponentType.MACHINE_LEARNING_MODEL,
            name=path.parent.name,
            version=digest[:12],
            bom_ref=f"model {path.parent.name}",
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
        )


def bill() -> str:
    """Return the bill of materials in JSON."""
    project = Component(type=ComponentType.APPLICATION, name="palimpsest-deid", bom_ref="palimpsest-deid")
    bom = Bom(components=[*packages(), *models()])
    bom.metadata.component = project
    bom.register_dependency(project, bom.components)
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)


def differences() -> Iterator[str]:
    """Yield the packages that are installed here in another version than their pin says."""
    for name, version in pins().items():
        try:
            installed = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
        if installed != version.partition("+")[0]:
            yield f"{name} {installed} is installed, and the pin says {version}"


def _licence(name: str) -> str:
    try:
        declared = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
    found = declared.get("License-Expression") or declared.get("License") or ""
    return " ".join(found.split())[:_LICENCE_CHARACTERS]


def main() -> int:
    """Write the file; return 1 where this environment is not what the pins say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / ".run" / "sbom.cdx.json", help="file to write")
    output: Path = parser.parse_args().output
    output.parent.mkdir(parents=True, exist_ok=True)
    text = bill()
    output.write_text(text + "\n", encoding="utf-8")
    print(f"{output}: {len(json.loads(text)['components'])} components")
    wrong = list(differences())
    for line in wrong:
        print(line, file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
