"""Settings of lineage: how other teams name the warehouse."""

from pydantic import Field

from deid_tasks.settings.section import Section


class LineageSettings(Section):
    """How assets and lineage events name the warehouse. Where events go, the workers' environment says."""

    database: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9.\-]+:\d{2,5}/[A-Za-z0-9_\-]+)?$",
        description="Host, port and database by which other teams know the warehouse, such as warehouse:5432/platform."
        " Lineage events name its tables by it, and Airflow's assets have URIs of tables (postgres://…, s3://…) in"
        " place of palimpsest://…. Events name the server of the connection if not given.",
    )
