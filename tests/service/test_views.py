"""Asks as JSON has them, whatever a program in the same process has put in."""

from __future__ import annotations

from decimal import Decimal

import pytest
from serving import curious

from river_oa3 import PendingLabels

PRICE = Decimal("12.50")


@pytest.fixture(params=["memory", "sqlite"])
def priced(request, serve, tmp_path):
    """A service with an ask whose event holds a Decimal."""
    url = None if request.param == "memory" else f"sqlite:///{tmp_path}/asks.db"
    pending = PendingLabels(curious(), store=url)
    for event_id, price in (("a", PRICE), ("b", Decimal("0.1"))):
        pending.predict_one(event_id, {"price": price})
        pending.learn_one(event_id, event_id == "a")
    pending.predict_one("c", {"price": PRICE, "rate": Decimal("1E-7")})
    return serve(pending)


def test_a_decimal_is_listed_with_all_its_digits(priced):
    (ask,) = priced.get("/asks").json()["asks"]
    assert ask["x"] == {"price": "12.50", "rate": "1E-7"}


def test_a_decimal_is_shown_to_a_person_with_all_its_digits(priced):
    ask = priced.lease("ada")
    assert ask["features"] == [["price", "12.50"], ["rate", "1E-7"]]
    because = {each["name"]: each["value"] for each in ask["opinion"]["because"]}
    assert because["price"] == "12.50"
