"""Nothing is read that may run code: no pickles, no arrays of objects, no weights that are more than numbers."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "pickletools"}
CALLS = {
    "torch.load": ("weights_only", True),
    "np.load": ("allow_pickle", False),
    "numpy.load": ("allow_pickle", False),
}
REFUSED = {"yaml.load", "yaml.unsafe_load", "yaml.full_load", "pd.read_pickle", "pandas.read_pickle", "eval", "exec"}
PLAIN_VALUES_ALONE = {"deid_tasks/comparison/systems/philter/adapter.py"}
"""Reads another system's own file, in a process of its own, and makes nothing but dicts and sets of it."""
FILES = sorted(path for top in ("deid_tasks", "dags", "plugins", "deploy") for path in (ROOT / top).rglob("*.py"))


def unsafe_reads(source: str) -> list[str]:
    """Lines of a module that read what may run code."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [f"{node.lineno}: {one.name}" for one in node.names if one.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            found.append(f"{node.lineno}: {node.module}")
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in REFUSED:
                found.append(f"{node.lineno}: {name}")
            if name in CALLS:
                option, wanted = CALLS[name]
                given = {one.arg: one.value for one in node.keywords}
                value = given.get(option)
                if not (isinstance(value, ast.Constant) and value.value is wanted):
                    found.append(f"{node.lineno}: {name} without {option}={wanted}")
    return found


def test_nothing_is_read_that_may_run_code():
    assert len(FILES) > 300
    found = {str(path.relative_to(ROOT)): lines for path in FILES if (lines := unsafe_reads(path.read_text()))}
    assert set(found) == PLAIN_VALUES_ALONE


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "def f(p):\n    import dill",
        "torch.load(p)",
        "torch.load(p, weights_only=False)",
        "np.load(p, allow_pickle=True)",
        "np.load(p)",
        "yaml.load(t, Loader=yaml.Loader)",
        "eval(t)",
    ],
)
def test_what_may_run_code_is_noticed(source):
    assert unsafe_reads(source)
