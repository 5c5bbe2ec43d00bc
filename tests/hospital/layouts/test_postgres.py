import os
import signal
import socket
import tempfile
import time
from pathlib import Path

import psycopg2
import pytest

from deid_tasks.core.errors import WarehouseError
from deid_tasks.hospital.postgres import EmbeddedPostgres


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(prefix="palimpsest-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def ask(uri: str, question: str):
    connection = psycopg2.connect(uri)
    try:
        with connection.cursor() as cursor:
            cursor.execute(question)
            return cursor.fetchone()[0]
    finally:
        connection.close()


def pid_of(server: EmbeddedPostgres) -> int:
    return int((server.home / "cluster" / "postmaster.pid").read_text().split()[0])


def test_data_outlive_stop_kill_and_interruption(folder, caplog):
    server = EmbeddedPostgres(folder / "pg")
    (folder / "pg" / "cluster.new").mkdir(parents=True)
    (folder / "pg" / "cluster.new" / "PG_VERSION").write_text("18")
    (folder / "pg" / "lock").touch()
    server.start()
    try:
        assert "interrupted initialisation" in caplog.text
        server.create_database("kept")
        server.create_database("kept")
        connection = psycopg2.connect(server.uri("kept"))
        connection.cursor().execute("CREATE TABLE kept AS SELECT 42 AS answer")
        connection.commit()
        connection.close()
        first = server.port

        second = EmbeddedPostgres(folder / "pg")
        second.start()
        assert second.port == first, "a running server is taken up, not started again"

        os.kill(pid_of(server), signal.SIGKILL)
        # Until the kernel has cleared the process away, a new start would take it for alive.
        while Path(f"/proc/{(server.home / 'cluster' / 'postmaster.pid').read_text().split()[0]}/cwd").exists():
            time.sleep(0.05)
        pid_file = server.home / "cluster" / "postmaster.pid"
        pid_file.write_text(pid_file.read_text().replace(pid_file.read_text().split()[0], str(os.getpid()), 1))
        server.start()
        assert "was not shut down" in caplog.text
        assert ask(server.uri("kept"), "SELECT answer FROM kept") == 42

        server.stop()
        server.stop()
        with pytest.raises(WarehouseError, match="not running"):
            _ = server.port
        server.start()
        assert ask(server.uri("kept"), "SELECT answer FROM kept") == 42
    finally:
        server.stop()


def test_server_is_private_and_utf_8(postgres):
    uri = postgres.uri()
    assert ask(uri, "SHOW server_encoding") == "UTF8"
    assert ask(uri, "SHOW listen_addresses") == "127.0.0.1"
    assert ask(uri, "SHOW unix_socket_directories") == ""
    assert ask(uri, "SELECT lower('ÉŁØ')") == "éłø"
    assert ask(uri, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'") == 0
    with pytest.raises(psycopg2.OperationalError, match="password"):
        psycopg2.connect(uri.replace(":" + uri.split(":")[2].split("@")[0], ":wrong"))
    assert Path(f"/proc/{pid_of(postgres)}").stat().st_uid != 0
    assert (postgres.home / "password").stat().st_mode & 0o077 == 0
    assert uri.split(":")[2].split("@")[0] not in repr(postgres)


def test_server_log_holds_no_values(postgres, database):
    connection = psycopg2.connect(database)
    with pytest.raises(psycopg2.Error):
        connection.cursor().execute("SELECT 'Quillfeather'::int")
    connection.close()
    assert "Quillfeather" not in (postgres.home / "server.log").read_text(errors="replace")


def test_port_in_use_is_said(folder):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(WarehouseError, match=f"port {port} .* in use"):
            EmbeddedPostgres(folder / "pg", port=port).start()


def test_folder_with_other_files_is_left_alone(folder):
    (folder / "thesis.txt").write_text("mine")
    with pytest.raises(WarehouseError, match="other files"):
        EmbeddedPostgres(folder).start()
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_lost_password_is_said(folder):
    server = EmbeddedPostgres(folder / "pg")
    (folder / "pg" / "cluster").mkdir(parents=True)
    (folder / "pg" / "lock").touch()
    with pytest.raises(WarehouseError, match="lost its password"):
        server.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to somebody else")
def test_folder_that_only_root_may_enter_is_replaced(tmp_path):
    tmp_path.chmod(0o700)
    server = EmbeddedPostgres(tmp_path / "pg")
    assert server.home.parent == Path("/var/tmp")
    assert EmbeddedPostgres(tmp_path / "pg").home == server.home
    assert EmbeddedPostgres(tmp_path / "other").home != server.home


@pytest.mark.parametrize("name", ["Upper", "a b", 'x"; DROP', "", "1a"])
def test_database_names_are_plain(postgres, name):
    with pytest.raises(WarehouseError, match="not a plain database name"):
        postgres.create_database(name)
