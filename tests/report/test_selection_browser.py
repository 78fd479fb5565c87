"""The page in a real browser: what a reader can do with it. Skips without Chromium."""

from __future__ import annotations

import json
import os

import pytest

from featsieve.report import selection_card, selection_page
from report import example_summary as example
from report.browser import Page, find_browser

BROWSER = find_browser()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
ROW = 58  # as in page.css and ledger.js
READY = "document.documentElement.dataset.ready === 'true'"


@pytest.fixture(scope="module")
def browser():
    try:
        page = Page(BROWSER)
    except (RuntimeError, OSError) as error:
        if "FEATSIEVE_CHROMIUM" in os.environ:  # asked for by name: no excuse
            raise
        pytest.skip(f"Chromium does not start: {error}")
    yield page
    page.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "customers": example.customers(),
        "hostile": example.hostile(),
        "houses": example.houses(),
        "nothing": example.nothing_selected(),
        "smallest": example.smallest(),
        "many": example.many(10_000),
    }
    pages = {name: folder / f"{name}.html" for name in made}
    for name, summary in made.items():
        pages[name].write_text(selection_page(summary), encoding="utf-8")
    return pages


@pytest.fixture
def show(browser, files):
    """Return a function that opens a page and gives the browser that shows it."""

    def opened(name, **size):
        browser.set_scheme("light")
        browser.open(files[name], **size)
        browser.wait_for(READY)
        return browser

    yield opened
    assert browser.errors == []
    assert browser.dialogs == 0
    assert all(url.startswith(("file:", "data:", "about:")) for url in browser.requests)


def texts(page, selector):
    code = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return page.run(f"{code}.map(e => e.innerText.trim())")


def names(page):
    return texts(page, "#ledger-table tbody .feature .name")


def focused(page):
    return page.run("document.activeElement.getAttribute('aria-label') ?? ''")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize(
    "name", ["customers", "hostile", "houses", "nothing", "smallest", "many"]
)
def test_loads_without_a_word_on_the_console(show, name, width):
    page = show(name, width=width)
    assert page.run("document.documentElement.scrollWidth") == width
    assert len(page.requests) == 1  # the file itself, and nothing else


def test_rows_of_the_script_are_those_of_the_page(show, files):
    page = show("customers")
    code = """[...document.querySelectorAll('#ledger-table tbody tr')].map(row => [
        row.innerText,
        row.getAttribute('aria-rowindex'),
        [...row.querySelectorAll('*')].map(e => [e.localName, e.getAttribute('class')]),
        [...row.querySelectorAll('[title]')].map(e => e.title),
        row.querySelector('.name').dataset.feature,
        row.querySelector('svg').style.getPropertyValue('--mark').trim(),
        ['x', 'width', 'x1', 'x2', 'y1', 'y2', 'y', 'height', 'rx'].map(name =>
            [...row.querySelectorAll(`[${name}]`)].map(
                e => parseFloat(e.getAttribute(name)))),
    ])"""
    built = page.run(code)
    html = json.dumps(files["customers"].read_text(encoding="utf-8"))
    page.run(
        f"document.getElementById('ledger-table').tBodies[0].replaceWith("
        f"new DOMParser().parseFromString({html}, 'text/html')"
        f".getElementById('ledger-table').tBodies[0])"
    )
    written = page.run(code)
    assert len(written) == 30
    assert built == written


def test_headings_sort(show):
    page = show("customers")
    start = names(page)
    assert start[:3] == ["tenure_months", "contract", "support_calls"]
    page.click("th[data-sort=name] button")
    assert names(page) == sorted(start)
    assert (
        page.run("document.querySelector('th[data-sort=name]').ariaSort") == "ascending"
    )
    assert page.run("document.querySelectorAll('th[aria-sort]').length") == 1
    page.press("Enter")  # the heading has the focus
    assert names(page) == sorted(start, reverse=True)
    page.click("th[data-sort=score] button")
    scores = {row["feature"]: row["score"] for row in example.customers()["ledger"]}
    shown = [scores[name] for name in names(page)]
    assert shown[-2:] == [None, None]
    assert shown[:-2] == sorted(shown[:-2], reverse=True)
    page.click("th[data-sort=score] button")
    shown = [scores[name] for name in names(page)]
    assert shown[-2:] == [None, None]  # unknown ones stay last
    assert shown[:-2] == sorted(shown[:-2])


def test_search_finds_names_reasons_and_partners(show):
    page = show("customers")
    page.run("document.getElementById('search').focus()")
    page.type("ROUTER")
    assert names(page) == [
        "line_type",
        "router_model",
    ]  # the first names it in its note
    assert texts(page, "#shown") == ["2 of 30 features match."]
    page.type(" nowhere")
    assert names(page) == []
    assert "No feature matches." in texts(page, "#ledger-table tbody")[0]


def test_filters_by_verdict(show):
    page = show("customers")
    page.click("[data-filter=redundant]")
    assert names(page) == ["total_paid", "fee_with_tax", "dialling_code"]
    assert page.run("document.querySelectorAll('[aria-pressed=true]').length") == 1
    page.click("[data-filter=kept]")
    assert names(page) == example.customers()["features"]
    page.click("[data-show=unusable]")
    assert sorted(names(page)) == ["country", "customer_id"]
    assert page.run("document.activeElement.id") == "scroller"


def test_tooltips_for_pointer_and_keyboard(show):
    page = show("customers")
    tip = "document.getElementById('tip')"
    assert page.run(f"{tip}.hidden")
    page.point_at(".points li:nth-child(3) circle")
    words = (
        "contract: strongly relevant, 0.187 bits, interval 0.166 to 0.208, p < 0.001; "
        "its probes reach 0.00610"
    )
    assert page.run(f"[{tip}.hidden, {tip}.textContent]") == [False, words]
    page.press("Escape")
    assert page.run(f"{tip}.hidden")
    page.point_at(".graph #edge-0-1 path, .graph [id^=edge] path")
    assert "bits" in page.run(f"{tip}.textContent")
    assert not page.run(f"{tip}.hidden")
    page.point_at(".matrix .pair")
    assert "told by both" in page.run(f"{tip}.textContent")
    page.point_at(".rug")
    assert "probe" in page.run(f"{tip}.textContent")
    page.run("document.querySelector('.points .name').focus()")
    page.press("Tab")
    assert focused(page).startswith("strongly relevant, 0.214 bits")
    assert page.run(f"{tip}.textContent").startswith("tenure_months: strongly")
    page.press("ArrowDown")
    assert focused(page).startswith("redundant, 0.201 bits")
    assert page.run(f"{tip}.textContent").startswith("total_paid: redundant")
    page.press("End")
    assert page.run(f"{tip}.textContent").startswith("survey_")


def test_heat_map_tells_its_cells(show):
    page = show("customers")
    page.point_at("#heat")
    told = page.run("document.getElementById('tip').textContent")
    assert told == "contract tells 0.0682 bits where tenure_months is near 37.5"
    page.run("document.querySelector('.heat-names li:last-child .name').focus()")
    page.press("Tab")
    page.press("ArrowRight")
    told = page.run("document.getElementById('told').textContent")
    local = example.customers()["local_relevance"]
    assert page.run("document.activeElement.id") == "heat"
    assert told.split(" tells ")[0] in local["features"]


def test_a_feature_opens_with_all_about_it(show):
    page = show("customers")
    page.click("#ledger-table tbody tr:nth-child(4) .name")
    told = texts(page, "#feature")[0]
    assert told.startswith("line_type")
    for words in ("0.138 bits", "0.122 to 0.154", "< 0.001", "0.00610", "nominal"):
        assert words in told
    page.click("#feature dd .name")  # its partner
    assert texts(page, "#feature-name") == ["router_model"]
    page.press("Escape")
    assert not page.run("document.getElementById('feature').open")


def test_theme_follows_the_system_and_the_button(show):
    page = show("customers")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.run(colour)
    page.set_scheme("dark")
    dark = page.run(colour)
    assert light != dark
    page.click("#theme")
    assert page.run(colour) == light
    page.run("localStorage.clear()")


def test_copying(show):
    page = show("customers")
    page.run(
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    page.click("[data-copy=code]")
    page.wait_for("window.copied !== undefined")
    assert page.run("window.copied") == example.CODE
    page.click("[data-copy=kept-names]")
    page.wait_for("window.copied.startsWith('[')")
    assert page.run("window.copied") == repr(example.customers()["features"])


def test_hostile_names_stay_names(show):
    page = show("hostile")
    page.click("th[data-sort=name] button")
    shown = names(page)
    assert len(shown) == len(example.HOSTILE_NAMES)
    assert "<img src=x onerror=window.hacked=1>" in shown
    page.run("document.getElementById('search').focus()")
    page.type("<img")
    assert "<img src=x onerror=window.hacked=1>" in names(page)
    for k in range(20):
        page.run(f"showFeature({k})")
    page.press("Escape")
    for selector in (".strip circle", ".graph path", ".matrix .pair", "#heat"):
        page.point_at(selector)
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('img').length") == 0
    assert page.run("document.querySelectorAll('script').length") == 3


@pytest.mark.parametrize("width", [1280, 360])
def test_only_rows_in_sight_of_ten_thousand_are_built(show, width):
    page = show("many", width=width)
    count = "document.querySelectorAll('#ledger-table tbody tr').length"
    assert page.run(count) < 60
    assert page.run("document.getElementById('scroller').scrollHeight") > 10_000 * ROW
    page.run("document.getElementById('scroller').scrollTop = 300000")
    page.wait_for("document.querySelector('tbody tr .rank')?.textContent > 5000")
    assert page.run(count) < 60
    gaps = page.run(
        "[...document.querySelectorAll('#ledger-table tbody tr:not(.spacer)')]"
        ".map(row => row.getBoundingClientRect().height)"
    )
    assert set(gaps) == {ROW}
    name = "document.querySelector('#ledger-table tbody .feature').clientWidth"
    assert page.run(name) > 90
    page.run("document.getElementById('search').focus()")
    page.type("expression_09999")
    assert names(page) == ["expression_09999"]
    order = page.run("view.order.length")
    assert order == 1


@pytest.mark.parametrize("scroll_comes", [True, False], ids=["scrolled", "too fast"])
def test_focus_survives_the_building_of_rows(show, scroll_comes):
    page = show("many")
    if not scroll_comes:  # keys can be faster than what tells of scrolling
        stop = "event => event.stopImmediatePropagation()"
        page.run(f"addEventListener('scroll', {stop}, true)")
    page.run("document.querySelector('#ledger-table tbody .name').focus()")
    for _ in range(40):
        page.press("Tab")
    rank = page.run(
        "document.activeElement.closest('tr')?.querySelector('.rank').innerText"
    )
    assert rank == "41"


ROWS = "document.querySelectorAll('#ledger-table tbody tr').length"


def test_prints_all_rows(show, tmp_path):
    page = show("customers")
    page.run(f"addEventListener('beforeprint', () => {{ window.printed = {ROWS} }})")
    page.print(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert page.run("window.printed") == 30


def test_prints_a_thousand_rows_of_ten_thousand(show):
    page = show("many")
    before = page.run(ROWS)
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run(ROWS) == 1001
    last = texts(page, "#ledger-table tbody tr:last-child")
    assert last == ["The first 1,000 of 10,000 are printed."]
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run(ROWS) == before


def test_cards_beside_each_other(browser, tmp_path):
    cards = [selection_card(make()) for make in (example.customers, example.hostile)]
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><p>text</p>{''.join(cards)}")
    browser.open(path, width=400)
    assert browser.errors == []
    assert browser.run("window.hacked") is None
    assert browser.run("document.documentElement.scrollWidth") == 400
    assert browser.run("getComputedStyle(document.querySelector('p')).color") == (
        "rgb(0, 0, 0)"
    )
