"""The page in Chromium: for keyboards and screen readers, on a phone and a wide screen, with and without scripts."""

import itertools
import re

import pytest
from playwright.sync_api import expect

SUMMARY, RIVERSIDE = "/palimpsest/", "/palimpsest/institutions/riverside"
OPEN_TABLES = "document.querySelectorAll('details').forEach(one => { one.open = true; })"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", [SUMMARY, RIVERSIDE])
def test_axe_finds_nothing(browse, path, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")
    page = browse(path, color_scheme=scheme)
    page.evaluate(OPEN_TABLES)
    found = axe.Axe().run(page)
    violations = [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found.response["violations"]]
    assert violations == []
    assert len(found.response["passes"]) > 15


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
@pytest.mark.parametrize("path", [SUMMARY, RIVERSIDE])
def test_nothing_is_wider_than_the_screen(browse, path, width):
    page = browse(path, width=width, java_script_enabled=True)
    page.evaluate(OPEN_TABLES)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_headings_and_landmarks_tell_the_structure(browse):
    page = browse(RIVERSIDE)
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))
    assert page.get_by_role("main").count() == page.get_by_role("banner").count() == 1
    names = {region.get_attribute("aria-labelledby") for region in page.get_by_role("region").all()}
    assert {"quality", "throughput", "quarantine", "drift", "ledger", "runs"} <= names
    assert page.locator("table").count() == page.locator("table > caption").count()
    assert page.locator("th:not([scope])").count() == 0
    [current] = page.get_by_role("navigation", name="Period of the charts").locator("[aria-current]").all()
    assert current.inner_text() == "3 months"


def test_the_keyboard_reaches_everything_in_the_order_of_the_page(browse):
    page = browse(RIVERSIDE)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        place = page.evaluate(
            "(() => { const one = document.activeElement; if (one === document.body) return null;"
            " const box = one.getBoundingClientRect();"
            " return [one.tagName, box.top + window.scrollY, getComputedStyle(one).outlineStyle]; })()"
        )
        if place is None:
            break
        seen.append(place)
    assert {"A", "SUMMARY", "DIV"} <= {tag for tag, _, _ in seen}
    assert all(outline == "solid" for _, _, outline in seen)
    tops = [top for _, top, _ in seen]
    assert all(later > earlier - 900 for earlier, later in itertools.pairwise(tops))


def test_a_table_of_a_chart_opens_by_keyboard(browse):
    page = browse(RIVERSIDE)
    table = page.get_by_role("table", name=re.compile("Word recall of each evaluation"))
    expect(table).to_be_hidden()
    page.get_by_text("Recall by evaluation as a table").focus()
    page.keyboard.press("Enter")
    expect(table).to_be_visible()
    assert table.get_by_role("row").count() > 20


def test_it_works_without_scripts(browse):
    page = browse(SUMMARY, java_script_enabled=False)
    page.get_by_role("link", name="Riverside Health").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Riverside Health")
    page.get_by_role("link", name="3 years").click()
    expect(page.get_by_role("link", name="3 years")).to_have_attribute("aria-current", "true")
    page.get_by_label("Price of one worker for an hour").fill("0.19")
    page.get_by_role("button", name="Show cost").click()
    expect(page.get_by_role("columnheader", name="Cost of 1,000 notes")).to_be_visible()
    expect(page.get_by_role("link", name="3 years")).to_have_attribute("aria-current", "true")


def test_dark_and_light_follow_the_system(browse):
    grounds = {
        scheme: browse(SUMMARY, color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert grounds == {"light": "rgb(246, 247, 249)", "dark": "rgb(20, 23, 28)"}


def test_in_airflows_frame_a_link_leads_to_the_task_that_waits(browse):
    page = browse("/plugin/deidentification", user="admin")
    frame = page.frame_locator("iframe[title='De-identification']")
    frame.get_by_role("link", name="riverside: publish this run?").click()
    page.wait_for_url(re.compile(r"/dags/notes__riverside/runs/[^/]+/tasks/review/required_actions"))


def test_in_airflows_frame_the_page_takes_its_colours_over(browse):
    page = browse("/plugin/deidentification", user="admin", color_scheme="light")
    frame = page.frame_locator("iframe[title='De-identification']")
    root = frame.locator("html[data-theme]")
    root.wait_for(state="attached")
    page.evaluate("document.documentElement.classList.remove('light'); document.documentElement.classList.add('dark')")
    frame.locator("html[data-theme=dark]").wait_for(state="attached")
