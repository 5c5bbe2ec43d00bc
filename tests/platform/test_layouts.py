"""Where a layout is looked for, and the folder of models that a run of dbt gets for one of a hospital's own."""

import pytest

from deid_tasks.core.errors import SettingsError
from deid_tasks.platform.layouts import link_models, link_project, note_state_variables, own_layout


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "dbt"
    for file in ("dbt_project.yml", "models/staging/omop/stg_omop__note.sql", "models/staging/stg_note.sql"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("shipped")
    (folder / "target").mkdir()
    return folder


@pytest.fixture
def institutions(tmp_path):
    folder = tmp_path / "institutions"
    (folder / "layouts" / "cedar").mkdir(parents=True)
    (folder / "layouts" / "cedar" / "stg_cedar__note.sql").write_text("own")
    return folder


def test_a_shipped_layout_is_not_an_own_one(project, institutions):
    assert own_layout(project, institutions, "omop") is None
    assert own_layout(project, institutions, "cedar") == institutions / "layouts" / "cedar"


def test_an_own_layout_with_the_name_of_a_shipped_one_is_refused(project, institutions):
    (institutions / "layouts" / "omop").mkdir()
    with pytest.raises(SettingsError, match=r"layouts/omop: a layout named 'omop' ships with the platform; rename"):
        own_layout(project, institutions, "omop")


def test_a_layout_that_is_nowhere_is_named(project, institutions):
    with pytest.raises(SettingsError, match=r"there is no layout 'ceder': neither .*layouts/ceder nor .*staging/ceder"):
        own_layout(project, institutions, "ceder")


def test_the_models_of_both_lie_in_one_folder_and_no_file_is_copied(project, institutions, tmp_path):
    own = institutions / "layouts" / "cedar"
    # A volume of Kubernetes holds each file a second time, in a hidden folder.
    (own / "..2026").mkdir()
    (own / "..2026" / "stg_cedar__note.sql").write_text("own")
    tree = tmp_path / "tree"
    tree.mkdir()
    link_project(project, tree, own)
    linked = {str(path.relative_to(tree)): path for path in tree.rglob("*") if not path.is_dir()}
    assert {name: path.read_text() for name, path in linked.items()} == {
        "dbt_project.yml": "shipped",
        "models/staging/cedar/stg_cedar__note.sql": "own",
        "models/staging/omop/stg_omop__note.sql": "shipped",
        "models/staging/stg_note.sql": "shipped",
    }
    assert all(path.is_symlink() for path in linked.values())


def test_links_take_the_place_of_the_link_that_cosmos_made(project, institutions, tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "models").symlink_to(project / "models")
    link_models(project, tree, institutions / "layouts" / "cedar")
    assert (tree / "models" / "staging" / "cedar" / "stg_cedar__note.sql").read_text() == "own"
    assert not (project / "models" / "staging" / "cedar").exists()


def test_a_model_of_note_states_is_used_where_there_is_one(institutions):
    own = institutions / "layouts" / "cedar"
    assert note_state_variables(None) == note_state_variables(own) == {}
    (own / "stg_cedar__note_state.sql").write_text("own")
    assert note_state_variables(own) == {"layouts_with_note_state": ["cedar"]}
