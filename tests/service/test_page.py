"""The page for the person who answers, in a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import pytest
from serving import wait_until
from windows import needs_browser, open_browser, set_theme, set_width

pytestmark = needs_browser

# Long enough for a new ask to take keys.
SETTLED = 0.4


@pytest.fixture(scope="module")
def driver():
    with open_browser() as driver:
        yield driver


class Page:
    """A window of the page, as a person sees it."""

    def __init__(self, driver, url):
        self._driver = driver
        driver.switch_to.new_window("window")
        self._window = driver.current_window_handle
        set_width(driver, 1280, 900)
        driver.get(url)

    def look(self):
        self._driver.switch_to.window(self._window)
        return self._driver

    def run(self, script, *arguments):
        return self.look().execute_script(script, *arguments)

    def text(self, place):
        """What is shown at a place; nothing where it is hidden."""
        return self.run("const e = document.querySelector(arguments[0]); return e.innerText", place)

    def sees(self, place, text=""):
        wait_until(lambda: text in self.shown(place), 10)

    def shown(self, place):
        return self.run(
            "const e = document.querySelector(arguments[0]);"
            "const seen = e && e.checkVisibility({contentVisibilityAuto: true});"
            "return seen ? 'shown: ' + e.innerText : ''",
            place,
        )

    def hides(self, place):
        wait_until(lambda: not self.shown(place), 10)

    def ask(self, other_than=None):
        """The id of the ask that is shown, once it takes keys."""
        wait_until(lambda: self.shown("#ask") and self.text("#ask-id") not in ("", other_than), 10)
        time.sleep(SETTLED)
        return self.text("#ask-id")

    def press(self, key):
        self.look().switch_to.active_element.send_keys(key)

    def click(self, place):
        found = self.look().find_element("css selector", place)
        self.run("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()


@pytest.fixture
def open_page(driver):
    """Open windows in a browser that has forgotten everything."""
    pages = []
    first = driver.window_handles[0]

    def open_one(running, path="/"):
        pages.append(Page(driver, running.url + path))
        return pages[-1]

    yield open_one
    for page in pages:
        page.run("localStorage.clear(); sessionStorage.clear()")
        driver.close()
    driver.switch_to.window(first)


def fill(running, n):
    running.post("/events", [{"id": f"e{i}", "x": {"amount": i + 0.5}} for i in range(n)])
    return running


def answers(running, state="answered"):
    asks = running.get("/asks", params={"state": state}).json()["asks"]
    return {ask["id"]: ask["answer"] for ask in asks}


def test_ten_asks_are_answered_by_keys_and_buttons(serve, open_page):
    running = fill(serve(store=True, undo=0.3), 10)
    page = open_page(running)
    for i in range(10):
        assert page.ask(other_than=f"e{i - 1}") == f"e{i}"
        said = i % 3 == 0
        if i % 2:
            page.press("y" if said else "n")
        else:
            page.click("#yes" if said else "#no")
    page.sees("#empty", "Nothing to answer right now")
    wait_until(lambda: running.get("/progress").json()["learned"] == 10)
    assert answers(running, "learned") == {f"e{i}": i % 3 == 0 for i in range(10)}


def test_hostile_names_and_values_are_shown_as_text(serve, open_page):
    name, value = "<img src=x onerror='window.ran=1'>", "</td><script>window.ran=1</script>"
    running = serve(question="<b onclick='window.ran=1'>Is it?</b>")
    running.post("/events", {"id": name, "x": {name: value, "__proto__": 1.0, "a\u202eb": "\x00"}})
    page = open_page(running)
    assert page.ask() == name
    assert page.text("#question") == "<b onclick='window.ran=1'>Is it?</b>"
    page.press("m")
    shown = page.run("return [...document.querySelectorAll('#features td')].map(e => e.innerText)")
    assert shown == [value, "1", "\u2400"]
    assert page.text("#features th bdi") == name
    page.press("y")
    page.sees("#last", name)
    assert page.run("return window.ran") is None
    assert page.run("return document.querySelectorAll('main img, main script, main b').length") == 0


def test_a_dead_server_is_shown_and_recovered_from_and_no_answer_is_lost(serve, open_page):
    first = fill(serve(store=True, undo=1e5), 3)
    page = open_page(first)
    assert page.ask() == "e0"
    first.stop()
    page.press("y")
    page.sees("#trouble", "The server does not answer. Your answer is kept here")
    page.sees("#empty", "Your answer is kept")
    page.sees("#connection", "No connection")
    second = serve(store=True, undo=1e5, port=first.port)
    page.click("#try-now")
    page.hides("#trouble")
    assert page.ask() == "e1"
    assert answers(second) == {"e0": True}
    page.sees("#connection", "Connected")


def test_a_reload_loses_nothing(serve, open_page):
    running = fill(serve(store=True, undo=1e5), 3)
    page = open_page(running)
    page.ask()
    page.press("n")
    before = page.ask(other_than="e0")
    page.look().refresh()
    assert page.ask() == before == "e1"
    page.sees("#last", "e0")
    page.press("u")
    assert page.ask(other_than="e1") == "e0"
    assert answers(running) == {}


def test_an_answer_that_was_not_sent_is_sent_after_a_reload(serve, open_page):
    running = fill(serve(store=True, undo=1e5), 2)
    page = open_page(running)
    page.ask()
    page.run("window.fetch = () => Promise.reject(new TypeError('no network'))")
    page.press("y")
    page.sees("#trouble", "kept here")
    page.look().refresh()
    assert page.ask() == "e1"
    assert answers(running) == {"e0": True}


def test_two_windows_get_different_asks(serve, open_page):
    running = fill(serve(store=True, undo=1e5), 4)
    one, other = open_page(running), open_page(running)
    assert {one.ask(), other.ask()} == {"e0", "e1"}
    one.press("y")
    other.press("n")
    assert {one.ask(other_than="e0"), other.ask(other_than="e1")} == {"e2", "e3"}
    assert answers(running) == {"e0": True, "e1": False}


def test_an_answer_can_be_taken_back_until_it_is_learned(serve, open_page):
    running = fill(serve(store=True, undo=3), 2)
    page = open_page(running)
    page.ask()
    page.press("y")
    page.sees("#last", "Undo · 3 s")
    page.ask(other_than="e0")
    page.press("u")
    assert page.ask(other_than="e1") == "e0"
    page.press("n")
    page.sees("#last", "Learned")
    assert answers(running, "learned") == {"e0": False}


def test_a_skipped_ask_makes_way(serve, open_page):
    page = open_page(fill(serve(), 2))
    assert page.ask() == "e0"
    page.press("s")
    assert page.ask(other_than="e0") == "e1"


def test_what_is_undone_is_what_was_done_last_a_skip_too(serve, open_page):
    running = fill(serve(store=True, undo=1e5), 4)
    page = open_page(running)
    page.ask()
    page.press("y")
    assert page.ask(other_than="e0") == "e1"
    page.press("s")
    page.sees("#last", "Skipped")
    assert page.ask(other_than="e1") == "e2"
    page.press("u")
    assert page.ask(other_than="e2") == "e1"
    assert answers(running) == {"e0": True}
    page.press("n")
    assert page.ask(other_than="e1") == "e2"
    assert answers(running) == {"e0": True, "e1": False}
    for last, before in (("e1", "e2"), ("e0", "e1")):
        page.press("u")
        assert page.ask(other_than=before) == last
    assert answers(running) == {}


def test_a_key_pressed_twice_does_not_answer_what_nobody_has_read(serve, open_page):
    running = fill(serve(store=True, undo=1e5), 3)
    page = open_page(running)
    page.ask()
    page.run(
        "const press = () => document.body.dispatchEvent("
        "  new KeyboardEvent('keydown', {key: 'y', bubbles: true}));"
        "for (const wait of [0, 50, 100, 150, 200]) setTimeout(press, wait)"
    )
    assert page.ask(other_than="e0") == "e1"
    assert answers(running) == {"e0": True}
    page.sees("#notice", "Too quick: that press did not count")
    page.press("y")
    page.ask(other_than="e1")
    page.hides("#notice")


def test_what_the_model_thinks_is_folded_away_for_each_ask(serve, open_page):
    page = open_page(fill(serve(), 2))
    page.ask()
    page.hides("#opinion-body")
    page.press("m")
    page.sees("#opinion-body", "It says")
    page.press("y")
    page.ask(other_than="e0")
    page.hides("#opinion-body")


def test_an_empty_queue_says_so_and_the_next_ask_comes_by_itself(serve, open_page):
    running = serve()
    page = open_page(running)
    page.sees("#empty", "Nothing to answer right now")
    running.event("late")
    assert page.ask() == "late"


def test_an_ask_that_somebody_else_answered_makes_way_with_a_word(serve, open_page):
    running = fill(serve(lease=1.5), 2)
    page = open_page(running)
    assert page.ask() == "e0"
    running.post("/labels", {"id": "e0", "label": True})
    page.sees("#notice", "Your time for e0 ran out")
    assert page.ask() == "e1"


def test_the_page_asks_for_the_token_and_says_if_it_is_wrong(serve, open_page):
    running = serve(token="a-token-of-some-length")
    page = open_page(running)
    page.sees("#token", "This service needs a token")
    for shown, seen in (("wrong", "#token-error"), ("a-token-of-some-length", "#empty")):
        page.press(shown + "\n")
        page.sees(seen, "not the right one" if shown == "wrong" else "Nothing to answer")


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_shows_everything_without_scrolling_sideways(serve, open_page, width):
    running = serve(labels=50)
    long = {f"feature_{'x' * 60}_{i}": "y" * 90 if i % 2 else 1e300 for i in range(40)}
    running.post("/events", [{"id": f"{'i' * 150}{i}", "x": long} for i in range(3)])
    page = open_page(running)
    set_width(page.look(), width)
    page.ask()
    page.press("m")
    page.press("y")
    page.ask(other_than="i" * 150 + "0")
    page.click("#show-all")
    widths = page.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert widths == [width, width]
    assert page.run("return document.querySelectorAll('#features tbody tr').length") == 40
    visible = page.run(
        "return document.querySelector('#yes').getBoundingClientRect().bottom <= innerHeight"
    )
    assert visible


def test_the_keyboard_alone_reaches_everything(serve, open_page):
    page = open_page(fill(serve(undo=1e5), 3))
    page.ask()
    reached = []
    for _ in range(8):
        page.press("\ue004")  # Tab
        reached.append(
            page.run("return document.activeElement.id || document.activeElement.tagName")
        )
    assert {"SUMMARY", "yes", "no", "skip", "keys"} <= set(reached)
    page.run("document.querySelector('#no').focus()")
    page.press("\ue007")  # Enter
    page.ask(other_than="e0")
    assert page.run("return document.activeElement.id") == "no"


def test_single_keys_can_be_turned_off(serve, open_page):
    page = open_page(fill(serve(), 2))
    page.ask()
    page.click("#keys")
    page.press("y")
    time.sleep(0.3)
    assert page.text("#ask-id") == "e0"


def test_a_screen_reader_hears_names_roles_and_the_next_ask(serve, open_page):
    running = fill(serve(labels=10), 2)
    page = open_page(running)
    page.ask()
    find = page.look().find_element
    names = {
        name: find("id", name) for name in ("yes", "budget-bar", "features", "ask", "announce")
    }
    assert (names["yes"].aria_role, names["yes"].accessible_name[:3]) == ("button", "Yes")
    assert names["budget-bar"].aria_role == "meter"
    assert names["budget-bar"].get_attribute("aria-valuetext") == "2 of 10 labels spent"
    assert names["features"].accessible_name == "What is known about this event"
    assert names["ask"].accessible_name == "Is this event positive?"
    assert names["announce"].get_attribute("aria-live") == "polite"
    page.press("y")
    page.ask(other_than="e0")
    heard = page.run("return document.querySelector('#announce').textContent")
    assert "e1" in heard


CONTRAST = """
const paint = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const light = (name) => {
  paint.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
  paint.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map((each) => each / 255)
    .map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const [one, other] = arguments.length ? [light(arguments[0]), light(arguments[1])] : [];
return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(service, open_page, theme):
    page = open_page(service)
    set_theme(page.look(), theme)
    pairs = [
        *(("--ink", behind) for behind in ("--page", "--card", "--fill")),
        *(("--soft", behind) for behind in ("--page", "--card")),
        *(("--accent", behind) for behind in ("--page", "--card")),
        *(("--on-accent", behind) for behind in ("--accent", "--for", "--against")),
        *(("--bad", "--bad-fill"), ("--bad", "--card")),
        ("--notice-ink", "--notice-fill"),
    ]
    low = {pair: page.run(CONTRAST, *pair) for pair in pairs}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}


def test_the_description_of_the_service_is_a_page_of_its_own(service, open_page):
    page = open_page(service, "/docs")
    page.sees("#routes", "POST /events")
    assert "maxItems" not in page.text("#routes")
    page.click("#routes details summary")
    assert "maxItems" in page.text("#routes")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("token", [None, "a-token-of-some-length"])
def test_the_examples_of_the_description_are_taken_as_they_are(serve, open_page, token):
    running = serve(labels=5, token=token)
    page = open_page(running)
    if token:
        page.sees("#token", "This service needs a token")
        page.press(f"{token}\n")
        page.sees("#empty")
    page.look().get(f"{running.url}/docs")
    page.sees("#routes", "POST /events")
    examples = page.run("return [...document.querySelectorAll('.example')].map(e => e.innerText)")
    assert examples[0].startswith(f"curl '{running.url}/events'")
    shell = {**os.environ, "RIVER_OA3_TOKEN": token or ""}
    for example in examples:
        words = f"{example} -sS -o /dev/null -w '%{{http_code}}'"
        done = subprocess.run(
            words, shell=True, env=shell, capture_output=True, text=True, check=True
        )
        # What has been learned is not taken back.
        assert done.stdout in ("200", "404" if "/withdraw" in example else ""), example


QUEUED = "return [...document.querySelectorAll('#queue-list bdi')].map((e) => e.innerText)"


def test_the_queue_is_listed_in_parts_without_what_was_answered_meanwhile(serve, open_page):
    running = fill(serve(store=True), 45)
    page = open_page(running)
    page.ask()
    page.click("#queue summary")
    wait_until(lambda: page.run(QUEUED) == [f"e{i}" for i in range(20)], 10)
    for i in (3, 30):
        running.post("/labels", {"id": f"e{i}", "label": True})
    page.press("y")  # which is for e0
    page.ask(other_than="e0")
    page.click("#queue-more")
    listed = [i for i in range(1, 41) if i != 30]
    wait_until(lambda: page.run(QUEUED) == [f"e{i}" for i in listed], 10)
    page.click("#queue-more")
    wait_until(lambda: page.run(QUEUED)[-1] == "e44", 10)
    page.hides("#queue-more")


def test_the_queue_shows_ids_as_text_and_whole_numbers_exactly(serve, open_page):
    running = serve()
    hostile = "<img src=x onerror='window.ran=1'>"
    for event_id in (hostile, 2**62 + 1):
        running.event(event_id)
    page = open_page(running)
    page.ask()
    page.click("#queue summary")
    wait_until(lambda: page.run(QUEUED) == [hostile, str(2**62 + 1)], 10)
    assert page.run("return window.ran") is None
