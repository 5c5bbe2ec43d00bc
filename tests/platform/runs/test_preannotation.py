"""Pre-annotated task lists: the gold set records that an engine's spans were shown."""

from pathlib import Path

import pytest

from deid_tasks.cli.simulation import finish_lists
from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.hospital.annotators import ADJUDICATOR, Habits, annotate_tasks
from deid_tasks.platform import runs


@pytest.fixture
def version(request):
    """A sample version of the test's own, which names its folder."""
    return request.node.name[-20:]


@pytest.fixture
def settings(site, version):
    """Settings that pre-annotate, and a sample of 30 notes; the gold set is deleted, because others take the newest."""
    annotation = site.settings.annotation.model_copy(update={"preannotate": True, "format": "doccano"})
    site.rows(f"insert into riverside_gold.sample values ('{version}', 'random', 1, 30, '{{}}', 30, now())")
    site.rows(
        f"insert into riverside_gold.sample_note select '{version}', note_id, patient_id, note_type, note_datetime,"
        " author_id, '', note_text, row_number() over (order by note_id), false"
        " from riverside_staging.stg_note order by note_id limit 30"
    )
    yield site.settings.model_copy(update={"annotation": annotation})
    site.rows(f"delete from riverside_gold.gold_set where sample_version = '{version}'")
    site.rows(f"delete from riverside_gold.sample where sample_version = '{version}'")


def test_what_the_engine_found_is_shown_and_written_down(site, settings, version):
    who = (settings, site.secrets)
    fingerprint = runs.load_engine(*who).fingerprint
    (exported,) = runs.export_tasks(*who, [version])
    assert exported["preannotated_by"] == fingerprint
    lists = [Path(path) for path in exported["tasks"]]
    assert lists[0].read_bytes() == lists[1].read_bytes()
    truth = {note.note_id: note.spans for note in site.notes}
    shown = list(FORMATS["doccano"].read_tasks(lists[0]))
    found = sum(len(note.spans) for note in shown)
    assert found > 0.4 * sum(len(truth[note.note_id]) for note in shown)

    for person, path in zip(settings.annotation.annotators, lists, strict=True):
        annotate_tasks(path, path.parent / "done", truth, person, 1, "doccano", Habits().times(3))
    runs.import_annotations(*who, [version])
    stored = site.rows(
        f"select distinct preannotated_by from riverside_gold.annotated_note where sample_version = '{version}'"
    )
    assert stored == [(fingerprint,)]
    (report,) = runs.adjudicate_samples(*who, [version], errors=True)
    # On the words where the engine errs, the annotators agree less than on all words.
    assert report["kappas"]["ERRORS"]["words"] > 0
    assert report["kappas"]["ERRORS"]["value"] < report["kappas"]["ALL"]["value"]
    tasks = Path(report["tasks"])
    annotate_tasks(
        tasks, tasks.parent / "done", truth, settings.annotation.adjudicator, 1, "doccano", ADJUDICATOR.times(0)
    )
    runs.adjudicate_samples(*who, [version])
    (frozen,) = runs.freeze_gold_sets(*who, [version])
    assert site.rows(
        f"select preannotated_by, notes from riverside_gold.gold_set where gold_version = '{frozen['gold_version']}'"
    ) == [(fingerprint, 30)]
    plain = settings.annotation.model_copy(update={"preannotate": False})
    with pytest.raises(InputError, match="other annotation settings"):
        runs.export_tasks(settings.model_copy(update={"annotation": plain}), site.secrets, [version])


def test_labels_that_repeat_the_engine_are_recorded_as_simulated(site, settings, version):
    plain = settings.annotation.model_copy(update={"preannotate": False})
    who = (settings.model_copy(update={"annotation": plain}), site.secrets)
    runs.export_tasks(*who, [version])
    finished = finish_lists(*who, [version], None, from_engine=True, seed=1)
    assert {one.person for one in finished} == set(plain.annotators)
    runs.import_annotations(*who, [version])
    assert site.rows(
        f"select distinct preannotated_by from riverside_gold.annotated_note where sample_version = '{version}'"
    ) == [("simulated by the engine",)]
