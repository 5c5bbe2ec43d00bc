"""A private PostgreSQL and object store for one benchmark, and a living site in them."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.changes.living_site import LivingSite
from deid_tasks.hospital.postgres import EmbeddedPostgres


class SiteServices(NamedTuple):
    """Services that end with their block."""

    postgres: EmbeddedPostgres
    object_store: dict[str, str]
    """What the secret of the object store holds; its bucket is ``published``."""
    folder: Path
    """For working files."""


@contextmanager
def site_services(server_settings: Mapping[str, str] | None = None) -> Iterator[SiteServices]:
    """Yield services that end with the block; ``server_settings`` are further settings of PostgreSQL."""
    import boto3
    from moto.server import ThreadedMotoServer

    folder = Path(tempfile.mkdtemp(prefix="palimpsest-living-"))
    folder.chmod(0o755)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        store = {"endpoint": f"http://{host}:{port}", "access_key": "test", "secret_key": "test-secret"}
        boto3.client(
            "s3",
            endpoint_url=store["endpoint"],
            aws_access_key_id=store["access_key"],
            aws_secret_access_key=store["secret_key"],
            region_name="us-east-1",
        ).create_bucket(Bucket="published")
        options = {"fsync": "off", "full_page_writes": "off", **(server_settings or {})}
        with EmbeddedPostgres(folder / "pg", settings=options) as postgres:
            yield SiteServices(postgres, store, folder)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def served_site(layout: str, server_settings: Mapping[str, str] | None = None) -> Iterator[LivingSite]:
    """Yield a site whose services end with the block; ``server_settings`` are further settings of its PostgreSQL."""
    with site_services(server_settings) as services:
        services.postgres.create_database("site")
        yield LivingSite.build(services.postgres.uri("site"), layout, services.object_store, services.folder)
