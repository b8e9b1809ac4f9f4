"""The page: all that was found, and nothing of the data but text."""

from __future__ import annotations

import html.parser
import itertools
import json
import re

import pytest
from browser import CHROMIUM, seen_by_a_browser
from made_findings import CLEAR, LOST, made

from river_oa3.experiments.output import plots
from river_oa3.experiments.output.export import ExportedModel
from river_oa3.experiments.output.page import page

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
VOID = {"meta", "img"}
HOSTILE = (
    "</td><script>ran = top.ran = true</script>",
    "\"><img src=x onerror='ran = top.ran = true'>",
    "' onmouseover='ran = true' x='",
    "&lt;b&gt; & <b>",
    "</style></pre></title><!--",
    "\x00\x1b[2J\r\n\u2028",
    "\u202eevil\u2066",
    "a\udc80",
    "{style} {0} %s $x_",
    "{{ 7 * 7 }} {% if %} {# no",
    "long" * 80,
)


class Read(html.parser.HTMLParser):
    """The tags with their attributes, the texts, and whether every tag was closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.texts))

    @property
    def shape(self):
        """The tags with the names of their attributes."""
        return [(tag, tuple(attributes)) for tag, attributes in self.tags]

    def of(self, *names):
        return [attributes for tag, attributes in self.tags if tag in names]


def whole(word="plain", pictures=None, **more):
    """A page in which everything that can come from data is this word."""
    return page(
        made(name=word, ceiling=99.0, curve={10: 60.0, 20: 61.0}, **more),
        command=f"river-oa3 compare {word}",
        profile=[["column", word], [word, word], [word, word]],
        notes=[word],
        warnings=[word],
        exported=ExportedModel(word, f"from model import {word}", f"x = {word}", (word,)),
        pictures=pictures or {word: b"<svg/>"},
    )


@pytest.fixture(scope="module")
def plain():
    return Read(whole())


def test_every_tag_is_closed(plain):
    assert plain.open == []


@pytest.mark.parametrize("word", HOSTILE)
def test_no_tag_and_no_attribute_comes_from_data(word, plain):
    assert Read(whole(word)).shape == plain.shape


@pytest.mark.parametrize("word", HOSTILE)
def test_what_comes_from_data_is_in_no_attribute_but_those_that_are_read_aloud(word, plain):
    for found, wanted in zip(Read(whole(word)).tags, plain.tags, strict=True):
        changed = {key for key in found[1] if found[1][key] != wanted[1][key]}
        assert changed <= {"alt", "aria-label"}


@pytest.mark.parametrize("word", HOSTILE)
def test_a_page_has_no_character_that_steers(word):
    assert all(each.isprintable() or each == "\n" for each in whole(word))


def test_a_name_is_read_as_it_is():
    assert (
        '</td><script>x = "1" & 2</script>' in Read(whole('</td><script>x = "1" & 2</script>')).text
    )


def test_a_name_that_turns_the_reading_round_is_made_visible():
    assert "\\u202eevil" in Read(whole("\u202eevil")).text


def test_code_keeps_its_lines():
    model = ExportedModel("OA3", "a\nb", "if x:\n\ty = 1\n", ())
    text = page(made(), command="", exported=model)
    assert "if x:\n\ty = 1\n</code></pre>" in text


def test_a_page_needs_no_script_and_nothing_from_outside(plain):
    assert {"http-equiv": "Content-Security-Policy", "content": POLICY} in plain.of("meta")
    assert not plain.of("script", "link", "iframe", "object", "form", "base")
    assert all(each["src"].startswith("data:image/") for each in plain.of("img"))
    assert all(each["href"].startswith("#") for each in plain.of("a"))
    assert "url(" not in whole()


def test_every_link_leads_to_a_section(plain):
    sections = ["results", "pictures", "labels", "file", "warnings", "use", "settings"]
    assert [each["id"] for each in plain.of("section")] == sections
    assert [each["href"] for each in plain.of("a")] == [f"#{name}" for name in sections]


def test_headings_go_down_step_by_step(plain):
    levels = [int(tag[1]) for tag, _ in plain.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_tables_have_captions_and_heads_of_columns_and_rows(plain):
    tags = [tag for tag, _ in plain.tags]
    assert tags.count("caption") == tags.count("table") == 6
    assert {each.get("scope") for each in plain.of("th")} == {"col", "row"}


def test_pictures_are_inside_the_page_and_say_what_they_show():
    read = Read(whole(pictures={"a": b"\x89PNG\r\n", "b": b"<svg/>"}))
    assert [each["alt"] for each in read.of("img")] == ["a", "b"]
    starts = [each["src"].partition(";")[0] for each in read.of("img")]
    assert starts == ["data:image/png", "data:image/svg+xml"]


def test_what_to_do_comes_first():
    read = Read(whole())
    assert read.text.index("Use OA3: it is better") < read.text.index("Results")


def test_the_number_of_warnings_is_seen_at_the_top(plain):
    assert "Warnings (1)" in plain.text.partition("Results 3")[0]


def test_the_method_to_use_is_set_off_and_the_best_figures_are_strong(plain):
    assert len([each for each in plain.of("tr") if each.get("class") == "chosen"]) >= 1
    assert len(plain.of("strong")) == 7


def test_the_number_of_labels_that_is_enough_is_set_off_in_its_table():
    curve = {10: 60.0, 20: 80.0, 40: 80.1, 80: 80.2}
    text = page(made(ceiling=99.0, curve=curve), command="x")
    (row,) = re.findall(r'<tr class="chosen">.*', text.partition("How many labels</h2>")[2])
    assert re.search(r"<th[^>]*>(<bdi>)?20<", row)


def test_a_warning_of_the_verdict_is_set_off():
    read = Read(page(made(LOST), command="x"))
    assert {"class": "warnings"} in read.of("p")
    assert "WARNING: always giving the same answer" in read.text


def test_without_pictures_the_page_says_what_to_install():
    assert "pip install 'river-oa3[plots]'" in Read(page(made(), command="x")).text


def test_sections_without_content_are_left_out():
    read = Read(page(made(), command="x"))
    assert [each["id"] for each in read.of("section")] == ["results", "pictures", "settings"]


@pytest.mark.parametrize("metric", ["sum", "cost"])
def test_a_page_of_one_order_has_no_differences(metric):
    sums = {name: values[:1] for name, values in CLEAR.items()}
    read = Read(page(made(sums, metric), command="x"))
    assert "One run shows no difference" in read.text
    assert "How far the others are behind" not in read.text
    assert "inf" not in read.text.partition("Settings")[0]


# In a browser

needs_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def hostile():
    """A page in which every hostile word is everywhere, with real pictures."""
    findings = made(name=HOSTILE[0], ceiling=99.0, curve={10: 60.0, 20: 61.0})
    columns = ["column", "kind", "gaps", "distinct", "range or values", "what was done"]
    return page(
        findings,
        command=" ".join(HOSTILE),
        profile=[columns, *([word] * 6 for word in HOSTILE)],
        notes=HOSTILE,
        warnings=HOSTILE,
        exported=ExportedModel("OA3", "\n".join(HOSTILE), "\n".join(HOSTILE), HOSTILE),
        pictures={f"{HOSTILE[1]} {each}": svg for each, svg in drawn(findings).items()},
    )


def drawn(findings):
    pytest.importorskip("matplotlib")
    return plots.pictures(findings)


@needs_a_browser
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways(hostile, width, tmp_path):
    seen = json.loads(seen_by_a_browser(hostile, width, tmp_path))
    assert seen["width"] == width
    assert seen["needed"] <= width


@needs_a_browser
@pytest.mark.parametrize("width", [320, 390])
def test_all_of_the_profile_is_seen_on_a_phone(hostile, width, tmp_path):
    assert json.loads(seen_by_a_browser(hostile, width, tmp_path))["profile_hidden"] == 0
    wide = hostile.replace(".profile { min-width: 0; }", "")
    assert wide != hostile
    assert json.loads(seen_by_a_browser(wide, width, tmp_path))["profile_hidden"] > 0


@needs_a_browser
def test_a_page_that_is_too_wide_would_be_seen(hostile, tmp_path):
    wide = hostile.replace("<main>", '<main><div style="width: 500px">wide</div>')
    assert json.loads(seen_by_a_browser(wide, 390, tmp_path))["needed"] > 390


@needs_a_browser
def test_nothing_of_the_data_runs_even_without_the_policy(hostile, tmp_path):
    unguarded = hostile.replace(POLICY, "")
    assert unguarded != hostile
    assert not json.loads(seen_by_a_browser(unguarded, 390, tmp_path))["ran"]


@needs_a_browser
@pytest.mark.parametrize("guarded", [True, False])
def test_the_policy_alone_keeps_a_script_from_running(hostile, tmp_path, guarded):
    infected = hostile.replace("<main>", f"<main>{HOSTILE[0]}")
    found = infected if guarded else infected.replace(POLICY, "")
    assert json.loads(seen_by_a_browser(found, 390, tmp_path))["ran"] == (not guarded)


@needs_a_browser
def test_every_picture_is_shown(hostile, tmp_path):
    seen = json.loads(seen_by_a_browser(hostile, 390, tmp_path))
    assert seen["shown"] == seen["images"] == 3
