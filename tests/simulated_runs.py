"""Runs of methods whose true quality is known, over a finite set of events."""

from __future__ import annotations

import numpy as np

from river_oa3.experiments import Counts

CHECKPOINTS = 100
LEARNING = 2.0
POSITIVES, NEGATIVES, BLOCKS = 100, 900, 4


def steady(sums):
    """Counts of runs in which sensitivity and specificity are this in each block of events."""
    share = np.asarray(sums)[:, None] / 100.0 * np.arange(1, BLOCKS + 1) / BLOCKS
    seen = np.arange(1, BLOCKS + 1) / BLOCKS
    right = POSITIVES * share, NEGATIVES * share
    return Counts(right[0], NEGATIVES * seen - right[1], right[1], POSITIVES * seen - right[0], 0)


def simulated(rng, skills, runs=5, events=500, luck=0.5, in_time=False):
    """The counts of methods A, B, ... in the same runs.

    An event is right with a logit of the method's skill, less what is not learned yet, the ease of
    the event for all methods and for this one, and the luck of the run. Shuffled runs share their
    events; in time, so do they, and neighbours in time are alike.
    """
    y = rng.random(events) < 0.3
    place = np.arange(events) / events
    orders = np.argsort(rng.random((runs, events)), axis=1)
    if in_time:
        orders = np.tile(np.arange(events), (runs, 1))
    for_all = ease(rng, events, in_time)
    ends = np.linspace(events / CHECKPOINTS, events, CHECKPOINTS).round().astype(int) - 1
    found = {}
    for number, skill in enumerate(skills):
        for_it = for_all + ease(rng, events, in_time)
        of_run = rng.normal(scale=luck, size=(2, runs, 1))
        positive = y[orders]
        logit = skill + for_it[orders] + np.where(positive, *of_run)
        logit -= LEARNING * np.exp(-5.0 * place)
        right = rng.random((runs, events)) < 1.0 / (1.0 + np.exp(-logit))
        cells = right & positive, ~right & ~positive, right & ~positive, ~right & positive
        counts = (np.cumsum(cell, axis=1)[:, ends] for cell in cells)
        found[chr(ord("A") + number)] = Counts(*counts, labels=0)
    return found


def ease(rng, events, in_time, burst=10):
    """How easy events are: one by one, or burst by burst."""
    if not in_time:
        return rng.normal(size=events)
    return np.repeat(rng.normal(size=-(-events // burst)), burst)[:events]
