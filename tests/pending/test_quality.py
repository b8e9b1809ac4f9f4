"""What labels told about the quality is kept with the model, and not read again."""

from __future__ import annotations

import pytest
from durable_services import EVENTS, abandoned, change, durable, make_format_1, restarted, rows
from river import metrics as river_metrics

from river_oa3 import ActiveLearner, budget, metrics, query
from river_oa3.pending import tables
from river_oa3.pending.batches import PendingBatches


def serve(service, start, end, mistaken=False):
    """Predict and label events one by one; the labels may turn out to be all wrong."""
    for i in range(start, end):
        x, y = EVENTS[i]
        if service.predict_one(i, x)[1]:
            service.learn_one(i, (not y) if mistaken else y)


def told(quality):
    """All that a monitor knows, but for what it is asked about."""
    return {name: value for name, value in quality.__getstate__().items() if name != "metric"}


def curious():
    """Asks about some events, each with a probability of its own."""
    return {"rule": query.AsymmetricQuery(0.5, 0.5)}


@pytest.mark.parametrize("snapshot_every", [7, 60, 1000])
def test_it_is_that_of_a_full_reading(url, snapshot_every):
    service = durable(url, snapshot_every=snapshot_every, **curious())
    serve(service, 0, 200)
    serve(service, 200, 300, mistaken=True)
    expected = told(service.quality)
    with restarted(service, url, **curious()) as again:
        assert told(again.quality) == expected
    change(url, tables.qualities.delete())
    with restarted(service, url, **curious()) as full:
        assert told(full.quality) == expected
        assert 30 < full.quality.n_labels < 300


def test_it_goes_on_as_if_nothing_had_been(tmp_path):
    urls = [f"sqlite:///{tmp_path}/{name}.db" for name in ("whole", "parts")]
    whole, parts = (durable(url, snapshot_every=50) for url in urls)
    serve(whole, 0, 300)
    serve(parts, 0, 120)
    with restarted(parts, urls[1]) as again:
        serve(again, 120, 300)
        assert told(again.quality) == told(whole.quality)
        assert again.quality.to_dict() == whole.quality.to_dict()


def test_a_start_reads_no_label_from_before_the_snapshot(url):
    service = durable(url)
    serve(service, 0, 60)
    service.snapshot()
    serve(service, 60, 70)
    expected = told(service.quality)
    # Were one of these read, it would be counted as another kind of event.
    old = tables.asks.c.learned <= rows(url, tables.qualities)[-1]["step"]
    change(url, tables.asks.update().where(old).values(answer=tables.asks.c.label))
    with restarted(service, url) as again:
        assert told(again.quality) == expected


def test_a_store_from_before_there_was_a_table_for_it_is_opened(url):
    service = durable(url, snapshot_every=20)
    serve(service, 0, 50)
    abandoned(service)
    make_format_1(url, tables.qualities)
    again = durable(url, snapshot_every=20)
    assert told(again.quality) == told(service.quality)
    serve(again, 50, 100)
    with restarted(again, url) as last:
        assert told(last.quality) == told(again.quality)
        assert len(rows(url, tables.qualities)) == 2


@pytest.mark.parametrize("content", [b"", b"PK", b"nothing that was ever stored"])
def test_what_is_damaged_is_read_again_from_the_labels(url, content):
    service = durable(url, snapshot_every=20)
    serve(service, 0, 70)
    change(url, tables.qualities.update().values(quality=content))
    with restarted(service, url) as again:
        assert told(again.quality) == told(service.quality)


def test_only_the_newest_are_kept_beside_the_first(url):
    service = durable(url, snapshot_every=10)
    serve(service, 0, 95)
    kept = [row["number"] for row in rows(url, tables.qualities)]
    assert sorted(kept) == sorted(row["number"] for row in rows(url, tables.snapshots))
    assert len(kept) == 3


@pytest.mark.parametrize(
    "metric", [metrics.WeightedCost(5, 1), metrics.Sensitivity(), river_metrics.Precision()]
)
def test_another_metric_may_be_asked_for_at_the_next_start(url, metric):
    service = durable(url, snapshot_every=50)
    serve(service, 0, 150)
    with restarted(service, url, metric=metric) as again:
        assert again.quality.metric is metric
        assert told(again.quality) == told(service.quality)
        assert again.quality.get() != service.quality.get()


def test_it_goes_on_after_batches_too(url):
    def opened():
        model = ActiveLearner(query=query.FirstComeQuery(), budget=budget.TotalBudget(500), seed=5)
        return PendingBatches(model, store=url)

    batches = opened()
    for number in range(4):
        ids = range(40 * number, 40 * number + 40)
        batch = batches.begin("stream", number)
        batch.learn({i: EVENTS[i][1] for i in ids})
        batch.one_by_one((i, EVENTS[i][0]) for i in ids)
        batch.finish()
    batches.close()
    again = opened()
    assert told(again.pending.quality) == told(batches.pending.quality)
    assert again.pending.quality.n_labels == 160
