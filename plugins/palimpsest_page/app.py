"""The page, behind Airflow's authentication: a summary of all institutions, and a page for each.

A user sees the institutions whose DAGs Airflow lets the user read (``access``). An institution that the user may not
see answers as one that does not exist.
"""

import datetime
import re
from pathlib import Path
from typing import Annotated, Any

from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
from airflow.api_fastapi.core_api.security import get_user
from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import FileResponse, HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from palimpsest_page import views
from palimpsest_page.access import reviewed_dags, visible_institutions
from palimpsest_page.charts import BAR_WIDTH, SPARK_HEIGHT, SPARK_WIDTH
from palimpsest_page.checks import audit_checks
from palimpsest_page.figures import Figures, read_figures, read_summary
from palimpsest_page.glance import STATE_WORDS, facts, worst
from palimpsest_page.periods import PERIODS, period_of
from palimpsest_page.queries import LEDGER_DAYS, RUNS_ON_A_PAGE
from palimpsest_page.waiting import WaitingTask, waiting_tasks

PREFIX = "/palimpsest"
"""Where Airflow mounts the page."""

app = FastAPI(title="De-identification", docs_url=None, redoc_url=None, openapi_url=None)

_FOLDER = Path(__file__).parent
_DATE = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_TEMPLATES = Environment(
    loader=FileSystemLoader(_FOLDER / "templates"), autoescape=True, undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
_TEMPLATES.globals.update(
    STATE_WORDS=STATE_WORDS, BAR_WIDTH=BAR_WIDTH, SPARK_WIDTH=SPARK_WIDTH, SPARK_HEIGHT=SPARK_HEIGHT,
    design_title=views.design_title, notes_per_second=views.notes_per_second, seconds_per_1000=views.seconds_per_1000,
    prefix=PREFIX,
)  # fmt: skip
_TEMPLATES.filters["moment"] = lambda when: f"{when.astimezone(datetime.UTC):%Y-%m-%d %H:%M}"
_TEMPLATES.filters["split_dates"] = _DATE.split
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'self'"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_LAST_PAGE = 5_000

User = Annotated[BaseUser, Depends(get_user)]


@app.get("/", response_class=HTMLResponse)
def summary(request: Request, user: User) -> HTMLResponse:
    """Return the state of every institution that the user may see."""
    institutions = visible_institutions(user)
    tasks = waiting_tasks(reviewed_dags(user, institutions))
    read = [read_summary(one) for one in institutions]
    now = datetime.datetime.now(datetime.UTC)
    checks = audit_checks([one.name for one in read])
    cards = [(one, facts(one, _tasks_of(one, tasks), checks.get(one.name), now)) for one in read]
    return _answer(request, "summary.html", read, cards=cards, worst=worst, tasks=tasks, now=now)


@app.get("/page.css")
def style_sheet() -> FileResponse:
    """Return the style sheet, which holds nothing of any institution."""
    return _file("page.css", "text/css")


@app.get("/page.js")
def script() -> FileResponse:
    """Return the script, which holds nothing of any institution."""
    return _file("page.js", "text/javascript")


@app.get("/institutions/{name}", response_class=HTMLResponse)
def institution(
    request: Request,
    user: User,
    name: str,
    period: str = "",
    page: Annotated[int, Query(ge=1, le=_LAST_PAGE)] = 1,
    price: Annotated[str, Query(max_length=12)] = "",
) -> HTMLResponse:
    """Return the page of one institution.

    Args:
        request: The request.
        user: Who asks.
        name: The institution.
        period: A key of ``PERIODS``; another value shows three months.
        page: Which page of the runs, from 1.
        price: What an hour of one worker costs, for the cost of 1,000 notes; a text that is no number is ignored.
    """
    institutions = visible_institutions(user)
    chosen = next((one for one in institutions if one.institution == name), None)
    if chosen is None:
        return _answer(request, "missing.html", [], status=404, name=name)
    tasks = waiting_tasks(reviewed_dags(user, [chosen]))
    shown = period_of(period)
    read = read_figures(chosen, shown, page)
    now = datetime.datetime.now(datetime.UTC)
    return _answer(
        request,
        "institution.html",
        [read],
        figures=read,
        facts=facts(read, tasks, audit_checks([name]).get(name), now),
        tasks=tasks,
        views=views,
        periods=PERIODS,
        period=shown,
        page=page,
        runs=read.rows("runs")[:RUNS_ON_A_PAGE],
        has_more=len(read.rows("runs")) > RUNS_ON_A_PAGE,
        price=_price(price),
        ledger_days=LEDGER_DAYS,
        now=now,
    )


def _file(name: str, media_type: str) -> FileResponse:
    headers = {"Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"}
    return FileResponse(_FOLDER / name, media_type=media_type, headers=headers)


def _answer(request: Request, template: str, read: list[Figures], *, status: int = 200, **values: Any) -> HTMLResponse:
    root = str(request.scope.get("root_path", "")).rstrip("/")
    html = _TEMPLATES.get_template(template).render(root=root, airflow=root.removesuffix(PREFIX), **values)
    rows = sum(len(rows) for one in read for rows in one.tables.values())
    queries = sum(len(one.tables) for one in read)
    milliseconds = 1_000 * sum(one.seconds for one in read)
    # Browsers show it beside the request: what the database did for this page.
    timing = f'db;desc="{queries} queries, {rows} rows";dur={milliseconds:.0f}'
    return HTMLResponse(html, status, _HEADERS | {"Server-Timing": timing})


def _tasks_of(figures: Figures, tasks: list[WaitingTask]) -> list[WaitingTask]:
    return [task for task in tasks if task.dag_id.partition("__")[2] == figures.name]


def _price(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,4})?", text) else None
