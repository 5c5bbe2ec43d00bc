"""The page over HTTP, as Airflow serves it: who may see what, what it says, and how little it asks of the database."""

import html
import re

import psycopg2
import pytest

from benchmarks.support.page_history import NOTE_TYPES
from tests.plugins.palimpsest_page.conftest import DAYS

RIVERSIDE, LAKESHORE = "/institutions/riverside", "/institutions/lakeshore"
MOST_ROWS = 2_600
QUERIES = 21


def text_of(response):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", response.text)))


def asked(response):
    found = re.fullmatch(r'db;desc="(\d+) queries, (\d+) rows";dur=\d+', response.headers["server-timing"])
    return int(found[1]), int(found[2])


def test_nobody_sees_anything_without_signing_in(get):
    for path in ("/", RIVERSIDE):
        assert get(path, None).status_code == 401


def test_users_see_the_institutions_whose_dags_they_may_read(get):
    assert [name in get("/").text for name in ("Riverside Health", "Lakeshore Medical Center")] == [True, True]
    one = get("/", "riverside_only").text
    assert "Riverside Health" in one
    assert "akeshore" not in one
    none = get("/", "stranger")
    assert "There is no institution that you may see." in none.text
    assert "iverside" not in none.text


def test_an_institution_that_one_may_not_see_is_as_if_it_did_not_exist(get):
    refused = get(LAKESHORE, "riverside_only")
    unknown = get("/institutions/nowhere", "riverside_only")
    assert refused.status_code == unknown.status_code == 404
    assert refused.text.replace("lakeshore", "nowhere") == unknown.text
    assert get(RIVERSIDE, "stranger").status_code == 404
    assert get(RIVERSIDE, "riverside_only").status_code == 200


def test_waiting_tasks_are_those_of_institutions_that_one_may_see(get):
    waiting = r'href="/dags/notes__riverside/runs/scheduled__[^"/]+/tasks/review/required_actions" data-airflow'
    for path, user in (("/", "officer"), (RIVERSIDE, "officer"), ("/", "riverside_only")):
        assert re.search(waiting, get(path, user).text)
    assert "notes__riverside" not in get("/", "stranger").text
    assert "notes__riverside" not in get(LAKESHORE).text


def test_the_summary_tells_the_state(get):
    shown = text_of(get("/"))
    riverside = shown[shown.index("Act: Riverside Health") :]
    assert re.search(r"Act: \d{4}-\d\d-\d\d [12] days? late", riverside)
    assert "Look at it: 1 run waits drift" in riverside
    assert re.search(r"In order: valid until \d{4}-\d\d-\d\d 59 days left", riverside)
    assert re.search(r"In order: refreshed \d{4}-\d\d-\d\d 9 hours ago", riverside)
    assert "0.48% of the newest run; 2.0% allowed" in riverside
    assert "0.3% 4,000 of 1,269,000 notes" in riverside
    assert "1 of re-identification; the first expires in 20 hours" in riverside
    assert re.search(r"Act: not verified check_audit_log failed on \d{4}-\d\d-\d\d", riverside)
    lakeshore = shown[shown.index("Lakeshore") : shown.index("Act: Riverside Health")]
    assert "no run waits for a person" in lakeshore
    assert "as scheduled" in lakeshore
    assert "Not known yet: not verified ledger__lakeshore verifies nightly" in lakeshore


def test_the_page_of_an_institution_has_every_part(get):
    answer = get(RIVERSIDE)
    shown = text_of(answer)
    for part in ("Recall by evaluation", "Precision by evaluation", "Recall by note type", "Notes read a day", "Drift", "Ledger",
                 "Worker-seconds for 1,000 notes", "Quarantined notes, % of those read", "Certificates",
                 "Engines of the notes", "deid explain notes.jsonl"):  # fmt: skip
        assert part in shown, part
    assert all(name in shown for name in NOTE_TYPES)
    assert "stratified (enriched)" in shown
    assert "random (unbiased)" in shown
    assert "no patient record" in shown
    assert re.search(r"telephone share of words changed ! Look at it: outside 0\.\d+ 0\.039 to 0\.099", shown)


def test_other_systems_stand_beside_the_engine_with_their_differences(get):
    page, shown = get(RIVERSIDE).text, text_of(get(RIVERSIDE))
    assert page.count('id="compared-random-caption"') == page.count('aria-labelledby="compared-random-caption"') == 1
    assert "Gold set random (unbiased), newest evaluation: 200 of 500 notes, 84,210 words." in shown
    found = shown[shown.index("Gold set random (unbiased), newest") :]
    assert "This institution's engine 0.9910 0.9870 to 0.9940 – 0.9680 0.9620 to 0.9740 – 171 (85.5%) 0 4,100" in found
    assert "simulated 1 0.8710 0.8670 to 0.8740 -0.1200 -0.1250 to -0.1140 0.8220" in found
    assert "silent 2 0.0000 0.0000 to 0.0030 -0.9910 -0.9960 to -0.9850 – – 12 (6.0%) 0 –" in found
    assert "absent No figures: could not be installed. The log of compare_systems says why." in found
    assert "<strong>-0.1200</strong>" in page


def test_without_a_comparison_the_page_says_so(get):
    page = get(LAKESHORE).text
    assert "Other systems on the same notes" in page
    assert "No other system is compared: compare.systems in the settings names none." in page
    assert "compared-random" not in page


def test_every_chart_has_a_name_and_a_table_with_its_points(get):
    page = get(RIVERSIDE).text
    figures = re.findall(r'<figure class="chart">.*?</figure>', page, re.DOTALL)
    assert len(figures) == 5
    for figure in figures:
        described = re.search(r'<svg role="img" aria-labelledby="([\w-]+)" aria-describedby="([\w-]+)"', figure)
        assert all(f'id="{name}"' in figure for name in described.groups())
        table = re.search(r"<details>.*</details>", figure, re.DOTALL)[0]
        assert table.count("<tr>") - 1 == len(re.findall(r"<(?:circle|rect) class=\"mark[^>]+><title>", figure))
        assert "<caption" in table


def test_three_years_ask_no_more_of_the_database_than_four_months(get, years):
    connection = psycopg2.connect(years.owner)
    with connection, connection.cursor() as cursor:
        cursor.execute("select count(*) from riverside_results.run")
        [(runs,)] = cursor.fetchall()
    connection.close()
    assert runs > 25 * (DAYS - 1)
    assert {asked(get(f"{path}?period=quarter"))[0] for path in (RIVERSIDE, LAKESHORE)} == {QUERIES}
    for period in ("month", "quarter", "year", "years"):
        queries, rows = asked(get(f"{RIVERSIDE}?period={period}"))
        assert queries == QUERIES
        assert 100 < rows <= MOST_ROWS, period
    queries, rows = asked(get("/"))
    assert queries <= 2 * 9
    assert rows <= 2 * 20


def test_runs_are_paged(get):
    days = [re.findall(r'<tr><th scope="row">(\d{4}-\d\d-\d\d)</th><td>(?:notes|changes)</td>(?=<td class="number">\d[\d,]*</td><td class="number">)',
                       get(f"{RIVERSIDE}?page={page}").text) for page in (1, 2)]  # fmt: skip
    assert [len(found) for found in days] == [20, 20]
    first, last = get(RIVERSIDE).text, get(f"{RIVERSIDE}?page=5000").text
    assert 'rel="next"' in first
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in last
    assert get(f"{RIVERSIDE}?page=0").status_code == 422


def test_a_price_gives_the_cost_of_a_thousand_notes(get):
    assert "Cost of 1,000 notes" not in get(RIVERSIDE).text
    shown = text_of(get(f"{RIVERSIDE}?price=3.6"))
    cost = re.search(
        r" notes \d[\d,]* [\d,]+ [\d,]+ [\d.]+ ([\d.]+) ([\d.]+) ", shown[shown.index("Cost of 1,000 notes") :]
    )
    assert float(cost[2]) == pytest.approx(float(cost[1]) / 1_000, abs=1e-4)
    for price in ("-1", "x", "1e9", "<b>"):
        assert "Cost of 1,000 notes" not in get(f"{RIVERSIDE}?price={price}").text


def test_nothing_of_the_page_is_code_of_the_page(get):
    answer = get(RIVERSIDE)
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; script-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert not re.search(r"<style|\bstyle=|\bon\w+=|<script(?! src=)", answer.text)
    assert get("/page.css", None).headers["content-type"].startswith("text/css")
    assert get("/page.js", None).headers["content-type"].startswith("text/javascript")
    assert get("/figures.py", None).status_code == 404


def test_what_the_database_holds_is_text(get, years):
    hostile = "<img src=x onerror=alert(1)>"
    connection = psycopg2.connect(years.owner)
    with connection, connection.cursor() as cursor:
        for statement in (
            "update {}.run_count set entity = %s where entity = 'own_value_in_output'",
            "update {}.evaluation set stratum = 'note_type=' || %s where stratum = 'note_type=consult'",
            "update {}.run_figure set note_type = %s where note_type = 'consult'",
            "update {}.run set certificate_id = %s",
            "insert into {0}.compared_system (evaluation_id, design, system, title, version, is_engine, fingerprint,"
            " gold_version, gold_notes, notes, words, reason, compared_at) select evaluation_id, 'random', 'x', %s, '',"
            " false, '', '', 1, 1, 1, 'X', now() from {0}.evaluation order by evaluated_at desc limit 1",
        ):
            cursor.execute(statement.format("lakeshore_results"), (hostile,))
    connection.close()
    page = get(LAKESHORE).text
    assert "<img" not in page
    assert page.count(html.escape(hostile)) >= 6


def test_the_page_shows_no_person_and_no_reason_of_a_request(get):
    for path in ("/", RIVERSIDE):
        assert "CANARY" not in get(path).text


def test_a_connection_that_fails_says_what_to_do(get, years):
    connection = psycopg2.connect(years.owner)
    with connection, connection.cursor() as cursor:
        cursor.execute("revoke select on lakeshore_results.run_figure from lakeshore_page")
    try:
        answer = get(LAKESHORE)
        assert "permission denied for table run_figure" in answer.text
        assert "deid roles" in answer.text
        assert "of_lakeshore" not in answer.text
        # The other institution, and the summary, need nothing of that table.
        assert "permission denied" not in get("/").text + get(RIVERSIDE).text
    finally:
        with connection, connection.cursor() as cursor:
            cursor.execute("grant select on lakeshore_results.run_figure to lakeshore_page")
        connection.close()
