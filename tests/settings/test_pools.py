"""The Airflow pools that follow from the institutions' settings, and the command that writes them."""

import pytest

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import airflow_pools, check_stores_of_teams


def _with(settings, name, **notes):
    return settings.model_copy(update={"institution": name, "notes": settings.notes.model_copy(update=notes)})


def test_each_institution_has_pools_of_its_own(institution):
    pools = airflow_pools([institution, _with(institution, "lakeshore", pool_slots=2)])
    assert {name: pool["slots"] for name, pool in pools.items()} == {
        "riverside": 8,
        "riverside_notes": 4,
        "lakeshore": 8,
        "lakeshore_notes": 2,
    }


def test_institutions_may_share_a_pool_of_one_size(institution):
    shared = [_with(institution, name, pool="gpu", pool_slots=1) for name in ("riverside", "lakeshore")]
    pools = airflow_pools(shared)
    assert pools["gpu"] == {"slots": 1, "description": "riverside, lakeshore: tasks that run the engine"}


def test_a_pool_belongs_to_the_team_of_its_institution(institution):
    teams = {"riverside": "north", "lakeshore": "south"}
    of_teams = [_with(institution, name).model_copy(update={"team": team}) for name, team in teams.items()]
    pools = airflow_pools(of_teams)
    assert {name: pool["team_name"] for name, pool in pools.items()} == {
        "riverside": "north", "riverside_notes": "north", "lakeshore": "south", "lakeshore_notes": "south",
    }  # fmt: skip
    shared = [_with(one, one.institution, pool="gpu", pool_slots=1) for one in of_teams]
    with pytest.raises(SettingsError, match="pool 'gpu' is shared by riverside and lakeshore, of different teams"):
        airflow_pools(shared)


def test_a_shared_pool_of_two_sizes_is_refused(institution):
    with pytest.raises(SettingsError, match="pool 'gpu' has 1 slots in the settings of riverside and 2"):
        airflow_pools(
            [
                _with(institution, "riverside", pool="gpu", pool_slots=1),
                _with(institution, "lakeshore", pool="gpu", pool_slots=2),
            ]
        )


def test_institutions_of_different_teams_share_no_bucket_and_no_folder(institution):
    def of_team(name, team, bucket, work_dir):
        publish = institution.publish.model_copy(update={"bucket": bucket})
        return institution.model_copy(
            update={"institution": name, "team": team, "publish": publish, "work_dir": work_dir}
        )

    north = of_team("riverside", "north", "north", "/srv/north")
    check_stores_of_teams([north, of_team("lakeshore", "south", "south", "/srv/south")])
    check_stores_of_teams([north, of_team("lakeshore", "north", "north", "/srv/north")])
    with pytest.raises(
        SettingsError,
        match=r"riverside \(publish\.bucket\) and lakeshore \(publish\.bucket\) are of different teams and share bucket",
    ):
        check_stores_of_teams([north, of_team("lakeshore", "south", "north", "/srv/south")])
    with pytest.raises(
        SettingsError, match=r"lakeshore \(work_dir\) are of different teams and share folder /srv/north"
    ):
        check_stores_of_teams([north, of_team("lakeshore", "south", "south", "/srv/north")])
    elsewhere = of_team("lakeshore", "south", "south", "s3://north/work")
    workspace = elsewhere.workspace.model_copy(update={"object_store": "s3", "local_dir": "/tmp/x"})
    elsewhere = elsewhere.model_copy(update={"workspace": workspace})
    with pytest.raises(SettingsError, match=r"lakeshore \(work_dir\) are of different teams and share bucket north"):
        check_stores_of_teams([north, elsewhere])
