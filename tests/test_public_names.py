"""One name stands for one thing: no public class or function is defined twice in ``deid_tasks``."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "deid_tasks"

MEANINGLESS_MODULES = frozenset({"base", "common", "helpers", "misc", "stuff", "tools", "util", "utils", "words"})
"""Module names that say nothing about the content; two modules of such a name are never acceptable."""


def public_definitions(package: Path) -> dict[str, list[str]]:
    """Return, for each public class or function at the top of a module, the modules that define it."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        if "migrations" in path.parts:
            # Alembic calls the function `upgrade` of every revision.
            continue
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for name in sorted(definitions(ast.parse(path.read_text(encoding="utf-8")))):
            found[name].append(module)
    return found


def definitions(tree: ast.Module) -> set[str]:
    """Return the public classes, functions and type aliases at the top of a module, also below ``if`` and ``try``."""
    names = set()
    bodies: list[list[ast.stmt]] = [tree.body]
    while bodies:
        for node in bodies.pop():
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                names.add(node.name)
            elif isinstance(node, ast.If | ast.Try):
                bodies += [node.body, node.orelse]
    return {name for name in names if not name.startswith("_")}


def test_no_public_name_is_defined_twice():
    duplicates = {name: modules for name, modules in public_definitions(PACKAGE).items() if len(modules) > 1}
    found = [f"{name} in {', '.join(modules)}" for name, modules in sorted(duplicates.items())]
    assert not found, "rename one of each: " + "; ".join(found)


def test_no_two_modules_share_a_meaningless_name():
    paths = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        if path.stem in MEANINGLESS_MODULES:
            paths[path.stem].append(str(path.relative_to(PACKAGE)))
    assert not {name: found for name, found in paths.items() if len(found) > 1}


def test_the_check_sees_a_name_below_a_condition(tmp_path):
    (tmp_path / "a.py").write_text("if True:\n    def read(): ...\nelse:\n    class Pool: ...\n")
    (tmp_path / "b.py").write_text("def read(): ...\ndef _read(): ...\n")
    found = public_definitions(tmp_path)
    assert {name: len(modules) for name, modules in found.items()} == {"read": 2, "Pool": 1}
