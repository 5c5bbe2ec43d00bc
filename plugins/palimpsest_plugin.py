"""The platform in Airflow: a read-only page with quality, certificates and runs, and the priority of backfills."""

from typing import Any

from airflow.plugins_manager import AirflowPlugin
from palimpsest_priority import BackfillsLast


class _Page:
    """Loads the page at its first request: every Airflow component reads this file, only the API server needs it."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from palimpsest_page.app import app

        await app(scope, receive, send)


class PalimpsestPlugin(AirflowPlugin):
    """The page, its entry in the navigation, and the priority rule of all DAGs."""

    name = "palimpsest"
    priority_weight_strategies = [BackfillsLast]  # noqa: RUF012
    fastapi_apps = [{"app": _Page(), "url_prefix": "/palimpsest", "name": "De-identification"}]  # noqa: RUF012
    external_views = [  # noqa: RUF012
        {
            "name": "De-identification",
            "href": "/palimpsest/",
            "destination": "nav",
            "category": "browse",
            "url_route": "deidentification",
        }
    ]
