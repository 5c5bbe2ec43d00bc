"""Staging tables and the gold tables in a database of one test."""

import psycopg2
import pytest

from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from tests.support.sampling_site import PEOPLE, TABLES, site


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
def ask(run, database):
    run(TABLES)
    upgrade_schemas(database, site(database)[0])
    run("insert into xx_dictionaries.dict_patient values (%s, %s, %s, %s)", many=PEOPLE)
    return run
