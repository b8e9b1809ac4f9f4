"""What is told to those who watch: health, numbers for Prometheus, what the routes take."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest

SAMPLE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\S+)')


def read_metrics(text):
    """Types and samples, read as strictly as the form is written down."""
    types, samples = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types
            assert kind in ("counter", "gauge", "histogram")
            types[name] = kind
        elif not line.startswith("# HELP "):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            base = re.sub("_(bucket|sum|count)$", "", name)
            assert name in types or types[base] == "histogram"
            samples[name, labels] = float(value)
    return types, samples


def test_metrics_count_events_asks_and_labels(stored):
    stored.post("/events", [{"id": i, "x": {"v": i}} for i in range(5)])
    stored.post("/labels", [{"id": 0, "label": True}, {"id": "unknown", "label": True}])
    answer = stored.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    types, samples = read_metrics(answer.text)
    assert samples["river_oa3_events_total", None] == 5
    assert samples["river_oa3_asks_open", None] == 4
    assert samples["river_oa3_labels_learned_total", None] == 1
    assert samples["river_oa3_labels_refused_total", None] == 1
    assert samples["river_oa3_store_up", None] == 1
    assert samples["river_oa3_http_requests_total", 'path="/events",status="200"'] == 1
    for name, kind in types.items():
        assert name.endswith("_total") == (kind == "counter")


def test_times_are_counted_up_to_all(service):
    for _ in range(3):
        service.get("/progress")
    _, samples = read_metrics(service.get("/metrics").text)
    of = 'path="/progress"'
    counts = [
        value
        for (name, labels), value in samples.items()
        if name == "river_oa3_http_request_seconds_bucket" and labels.startswith(of)
    ]
    assert counts == sorted(counts)
    assert counts[-1] == samples["river_oa3_http_request_seconds_count", of] == 3


def test_paths_that_anybody_makes_up_are_counted_as_one(service):
    for path in ("/a", "/b", "/c"):
        service.get(path)
    _, samples = read_metrics(service.get("/metrics").text)
    assert samples["river_oa3_http_requests_total", 'path="other",status="404"'] == 3


def test_every_path_is_counted_by_its_name(service):
    """But for the files of the page, of which there are many."""
    paths = {route.path for route in service.app.routes} - {"/page/{name}"}
    for path in paths:
        service.get(path)
    _, samples = read_metrics(service.get("/metrics").text)
    counted = {
        re.search('path="([^"]+)"', labels)[1]
        for name, labels in samples
        if name == "river_oa3_http_requests_total"
    }
    assert counted == paths


def test_a_healthy_service_says_so(stored):
    answer = stored.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"live": True, "ready": True, "store": "ok", "backlog": 0}


def test_quality_counts_what_was_learned(stored):
    stored.event("a")
    stored.post("/labels", {"id": "a", "label": True})
    assert stored.get("/quality").json()["n_labels"] == 1


def test_every_route_is_described_with_what_it_takes(service):
    described = service.get("/openapi.json").json()
    routes = {(path, method) for path, each in described["paths"].items() for method in each}
    assert routes == {
        *((path, "post") for path in ("/events", "/labels", "/labels/withdraw")),
        *((path, "post") for path in ("/asks/lease", "/asks/release")),
        *((path, "get") for path in ("/asks", "/quality", "/progress", "/metrics", "/health")),
    }
    pages = {"/", "/docs", "/openapi.json", "/page/{name}", "/health/live"}
    assert routes == {
        (route.path, method.lower())
        for route in service.app.routes
        for method in route.methods - {"HEAD"}
        if route.path not in pages
    }
    for path, method in routes:
        assert ("requestBody" in described["paths"][path][method]) == (method == "post")


def test_the_description_refers_to_nothing_that_is_missing(service):
    text = service.get("/openapi.json").text
    schemas = json.loads(text)["components"]["schemas"]
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert referred
    assert referred <= set(schemas)


def test_what_the_description_gives_as_examples_is_taken(service):
    schemas = service.get("/openapi.json").json()["components"]["schemas"]
    properties = schemas["Event"]["properties"]
    event = {name: each["examples"][0] for name, each in properties.items()}
    assert service.post("/events", event).status_code == 200
    person = {"who": schemas["Person"]["properties"]["who"]["examples"][0]}
    assert service.post("/asks/lease", person).json()["ask"]["id"] == event["id"]
    assert service.post("/labels", {"id": event["id"], "label": True}).status_code == 200


def test_an_answer_has_the_fields_that_are_described(stored):
    stored.event("a")
    schemas = stored.get("/openapi.json").json()["components"]["schemas"]
    asks = stored.get("/asks").json()
    assert set(asks) == set(schemas["Asks"]["properties"])
    assert set(asks["asks"][0]) == set(schemas["Ask"]["properties"])


@pytest.mark.parametrize(
    "name", sorted(each.name for each in (resources.files("river_oa3.service") / "page").iterdir())
)
def test_a_file_of_the_page_comes_from_here_and_needs_nothing_from_elsewhere(service, name):
    answer = service.get(f"/page/{name}")
    assert answer.status_code == 200
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", answer.text))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "innerHTML" not in answer.text
