"""The platform in Airflow's UI: one read-only page with quality, certificates and runs of each institution."""

from typing import Any

from airflow.plugins_manager import AirflowPlugin


class _Page:
    """Loads the page at its first request: every Airflow component reads this file, only the API server needs it."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from palimpsest_page.app import app

        await app(scope, receive, send)


class PalimpsestPlugin(AirflowPlugin):
    """The page, and its entry in the navigation."""

    name = "palimpsest"
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
