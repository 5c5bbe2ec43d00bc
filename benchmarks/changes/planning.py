"""What planning costs: seconds to list the notes of a year, and to divide them into shards of equal length.

    python -m benchmarks.changes.planning                   # about 2 minutes

The warehouse is simulated in SQL: short notes of a year, one in a thousand of them 200 times as long. PostgreSQL and
the object store are private.
"""

import datetime

from benchmarks.changes.big_warehouse import fill_warehouse
from benchmarks.changes.living_site import NAME
from benchmarks.changes.site_services import served_site
from benchmarks.support.results import parser_of, results
from benchmarks.support.server_work import ServerWork
from deid_tasks.platform import runs
from deid_tasks.platform.warehouse import connect

_START = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC)
_LENGTHEN = f"update {NAME}_ehr.note set note_text = repeat(note_text, 200) where note_id % 1000 = 0"
_LENGTHS = f"""
select count(*), min(octets), max(octets), max(longest) from (
    select w.shard, sum(octet_length(n.note_text)) as octets, max(octet_length(n.note_text)) as longest
    from {NAME}_results.run_note as w
    join {NAME}_ehr.note as n on n.note_source_value = w.note_id
    where w.run_id = 'year' group by 1
) as x
"""


def main() -> None:
    """Simulate the warehouse, and time the plan."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=1_000_000, help="notes of the year")
    parser.add_argument("--repeat", type=int, default=3, help="times that planning is repeated")
    arguments = parser.parse_args()
    with (
        served_site("omop", {"autovacuum": "off"}) as site,
        results("planning", "Planning a run of a year", arguments) as made,
    ):
        fill_warehouse(site.settings, site.secrets, arguments.notes, fingerprint=site.pin["fingerprint"])
        with connect(site.uri) as connection, connection.cursor() as cursor:
            cursor.execute(_LENGTHEN)
        notes = site.settings.notes.model_copy(update={"shard_notes": 20_000, "max_shards": 64})
        settings = site.settings.model_copy(update={"notes": notes})
        server = ServerWork(site.uri)
        columns = {"repeat": "d", "seconds": ".1f", "processor of PostgreSQL": ".1f", "processor of the run": ".1f"}
        made.table(f"{arguments.notes:,} notes of 365 days", columns)
        year = datetime.timedelta(days=366)
        for repeat in range(1, arguments.repeat + 1):
            work = server.measure(
                lambda: runs.plan_notes_run(settings, site.secrets, "year", _START - year / 366, _START + year)
            )
            made.add(repeat, *work)
        with connect(site.uri) as connection, connection.cursor() as cursor:
            cursor.execute(_LENGTHS)
            [(shards, least, most, longest)] = cursor.fetchall()
        made.table("Characters of the shards", {"what": "", "count": ",d"})
        made.add("shards", shards)
        made.add("shortest shard", least)
        made.add("longest shard", most)
        made.add("longest note", longest)


if __name__ == "__main__":
    main()
