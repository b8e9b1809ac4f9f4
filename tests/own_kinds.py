"""A budget and a rule as somebody may make them, registered for model files and stores."""

from __future__ import annotations

from river_oa3 import budget, files, query


@files.register
class Wallet(budget.Budget):
    """So many coins; a label costs more from ask to ask, and coins come with the events."""

    def __init__(self, coins, rise=0.0):
        self.coins = coins
        self.rise = rise
        self._paid = 0.0
        self._prices = []

    @property
    def left(self):
        return max(0, int((self.coins - self._paid) / self._price))

    @property
    def _price(self):
        return 1.0 + self.rise * len(self._prices)

    def tick(self):
        self._paid -= 0.01

    def _spend(self):
        price = self._price
        self._prices.append(price)
        self._paid += price

    def refund(self, refund_token=None):
        if self._prices:
            self._paid -= self._prices.pop()

    def state(self):
        return {"paid": self._paid, "prices": self._prices}

    def restore(self, state):
        self._paid, self._prices = state["paid"], list(state["prices"])


@files.register
class Curious(query.Query):
    """Asks near a boundary that its owner moves."""

    def __init__(self, width):
        self.width = width
        self._moved = 0.0

    def move(self, by):
        self._moved += by

    def probability(self, margin, confidence):
        return 0.9 if abs(margin - self._moved) < self.width else 0.3

    def state(self):
        return {"moved": self._moved}

    def restore(self, state):
        self._moved = state["moved"]
