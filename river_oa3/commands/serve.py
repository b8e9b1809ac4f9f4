"""`river-oa3 serve`: a model behind an address, with a page for whoever answers."""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import gc
import logging
import os
import re
import sys
from pathlib import Path

from river_oa3.commands.options import at_least
from river_oa3.datasets import DataError
from river_oa3.files import load
from river_oa3.pending import PendingLabels, StoreError

__all__ = ["add_arguments", "run"]

log = logging.getLogger("river_oa3.service")

TOKEN = "RIVER_OA3_TOKEN"
STORE = "RIVER_OA3_STORE"
MIN_TOKEN_LENGTH = 16
# Seconds until the interpreter switches between the thread that answers and the learner's: Python's
# five milliseconds are long to wait.
SWITCH_INTERVAL_S = 0.001
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Predict events that other programs send, ask for the labels that are worth it, and learn "
        "them: over HTTP, with a page for the person who answers. What the store holds goes on "
        "where it stands: no label is lost or paid twice, whatever happens to the process."
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", help="an ActiveLearner in a file of river_oa3.save")
    parser.add_argument(
        "--store",
        help="a file for the asks, or the URL of a PostgreSQL database (default: "
        f"{STORE} in the environment, or MODEL.asks.db)",
    )
    parser.add_argument(
        "--answers-only",
        action="store_true",
        help="show the asks of another process that learns from the store, another service or "
        "Spark, and take answers for it; predict and learn nothing",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="0 takes any that is free (8000)")
    parser.add_argument(
        "--token",
        help="what requests have to show, needed on any address but this machine's own; others on "
        f"this machine can read it here, so rather set {TOKEN} in the environment",
    )
    parser.add_argument(
        "--question", default="Is this event positive?", help="what the page asks about each event"
    )
    parser.add_argument(
        "--undo",
        type=float,
        default=10.0,
        help="seconds for which an answer of the page can be taken back (10)",
    )
    parser.add_argument(
        "--lease", type=float, default=300.0, help="seconds that an ask is kept for a person (300)"
    )
    parser.add_argument(
        "--time-to-live",
        help="how long an ask waits for its label: a number of events, or a time as 12h or 7d "
        "(default: for ever)",
    )
    parser.add_argument(
        "--refund", action="store_true", help="give the label of an expired ask back to the budget"
    )
    parser.add_argument(
        "--capacity",
        type=int,
        default=100_000,
        help="how many asks may be open; beyond it the oldest expires for each new one (100000)",
    )
    parser.add_argument(
        "--snapshot-every",
        type=int,
        default=10_000,
        help="events after which the whole model is stored: of as many that nobody was asked "
        "about, what they taught may be lost if the machine dies (10000)",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    _log_with_times()
    log.info("reading the model from %s", options.model)
    try:
        from river_oa3.service import Settings, create_app
        from river_oa3.service.guard import is_this_machine
        from river_oa3.service.server import listen, serve
    except ImportError as error:
        raise DataError(
            f"the service needs its extra ({error}): pip install 'river-oa3[service]'"
        ) from None
    token = _token(options)
    if token is None and not is_this_machine(options.host):
        raise DataError(
            f"others can reach {options.host}: set a token in the environment as {TOKEN}, or "
            "listen on 127.0.0.1"
        )
    if not is_this_machine(options.host):
        print(
            "river-oa3: the token and all events cross the network in the clear: put a proxy with "
            "TLS in front",
            file=sys.stderr,
        )
    if not 0 <= options.port < 2**16:
        raise DataError(f"--port must be from 0 to {2**16 - 1}, not {options.port}")
    for name in ("undo", "lease"):
        if not 0.0 <= getattr(options, name) <= 1e6:
            raise DataError(f"--{name} must be from 0 to a million seconds")
    settings = Settings(token, options.question, options.undo, options.lease)
    try:
        listening = listen(options.host, options.port)
    except OSError as error:
        raise DataError(f"cannot listen on {options.host}:{options.port}: {error}") from None
    with listening:
        app = create_app(_pending(options), settings)
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        _take_over_process()
        print(f"river-oa3: answering on http://{shown}:{port}/", flush=True)
        return 0 if serve(app, listening) else 1


def _log_with_times() -> None:
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    logging.captureWarnings(True)
    log.setLevel(logging.INFO)


def _take_over_process() -> None:
    """Set what holds for a whole process, and is good for one that does nothing but serve."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    # Each connection is a file.
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    # What is there by now stays: going through it again and again would hold up answers.
    gc.collect()
    gc.freeze()


def _token(options: argparse.Namespace) -> str | None:
    if options.token is not None:
        print(
            f"river-oa3: others on this machine can see --token; set {TOKEN} instead",
            file=sys.stderr,
        )
    token: str | None = options.token or os.environ.get(TOKEN) or None
    if token is None:
        return None
    if len(token) < MIN_TOKEN_LENGTH or not re.fullmatch(r"[!-~]+", token):
        raise DataError(
            f"a token has {MIN_TOKEN_LENGTH} or more letters, digits or signs and no space; for a "
            'good one: python -c "import secrets; print(secrets.token_urlsafe())"'
        )
    return token


def _pending(options: argparse.Namespace) -> PendingLabels:
    try:
        model = load(options.model)
    except OSError as error:
        raise DataError(f"cannot read {options.model}: {error.strerror}") from None
    if isinstance(model, PendingLabels):
        raise DataError(
            f"{options.model} holds a PendingLabels, whose asks would be lost: save its model, "
            "save(pending.model, ...)"
        )
    store, given = _store(options), getattr(model, "classifier", None)
    try:
        pending = PendingLabels(
            model,
            time_to_live=_time_to_live(options.time_to_live),
            capacity=at_least("capacity", options.capacity, 1),
            refund=options.refund,
            store=store,
            snapshot_every=at_least("snapshot-every", options.snapshot_every, 1),
            learns=not options.answers_only,
        )
    except StoreError as error:
        raise DataError(str(error)) from None
    if pending.model.classifier is not given:
        log.info(
            "going on with the model that is in the store, after %d labels, and not with the one "
            "in %s: to begin with that one, stop, and give it a store of its own with --store. "
            "Another service that learns from this store, if there is one, learns no more",
            pending.model.n_learned,
            options.model,
        )
    return pending


def _store(options: argparse.Namespace) -> str:
    store = (
        options.store or os.environ.get(STORE) or f"{Path(options.model).with_suffix('')}.asks.db"
    )
    return store if "://" in store else f"sqlite:///{store}"


def _time_to_live(text: str | None) -> int | dt.timedelta | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,9})([smhd]?)", text)
    if found is None or int(found[1]) == 0:
        raise DataError(f"--time-to-live takes events as 5000 or a time as 12h or 7d, not {text!r}")
    if not found[2]:
        return int(found[1])
    return dt.timedelta(**{UNITS[found[2]]: int(found[1])})
