"""Staging tables and the gold tables in a database of one test."""

import jinja2
import psycopg2
import pytest

from tests.support.sampling_site import DDL, PEOPLE, TABLES


@pytest.fixture
def run(database):
    def run(question, *values, many=None):
        connection = psycopg2.connect(database)
        try:
            with connection, connection.cursor() as cursor:
                if many is not None:
                    cursor.executemany(question, many)
                else:
                    cursor.execute(question, values or None)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    return run


@pytest.fixture
def gold_tables(run):
    """Makes the gold tables, as every run of dbt does."""
    sql = jinja2.Environment(autoescape=False).from_string(DDL.read_text() + "{{ create_gold_tables() }}")
    return lambda: run(sql.render(var={"institution": "xx"}.get))


@pytest.fixture
def ask(run, gold_tables):
    run(TABLES)
    gold_tables()
    run("insert into xx_dictionaries.dict_patient values (%s, %s, %s, %s)", many=PEOPLE)
    return run
