"""A table as a stranger has it: ids, dates, categories, texts, gaps, codes, and labels as words."""

from __future__ import annotations

import csv
import datetime as dt
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from river_oa3 import ActiveLearner, AutoOA3Classifier, Schema, budget

ROWS = 400

# What the columns of the table are; neither its ids nor the label is told to a model.
KINDS = {
    "when": "date",
    "amount": "number",
    "age": "number",
    "country": "category",
    "is_new": "boolean",
    "note": "text",
    "version": "category",
}


def messy_rows(n=ROWS, seed=0):
    """Rows as dicts of typed values; None is a gap."""
    rng = np.random.default_rng(seed)
    start = dt.datetime(2024, 2, 28, 22, 15)
    rows = []
    for i in range(n):
        is_fraud = bool(rng.random() < 0.15)
        amount = round(float(np.exp(rng.normal(3.0 + 1.5 * is_fraud, 1.0))), 2)
        country = str(
            rng.choice(["FR", "DE", "XX"], p=[0.2, 0.2, 0.6] if is_fraud else [0.5, 0.4, 0.1])
        )
        rows.append(
            {
                "payment": f"p-{i:06d}",
                "when": start + dt.timedelta(hours=5 * i),
                "amount": amount,
                "age": None if rng.random() < 0.2 else int(rng.integers(18, 90)),
                "country": None if i % 17 == 3 else country,
                "is_new": bool(rng.random() < 0.3),
                "note": str(
                    rng.choice(
                        ["paid by card at night", "paid in the shop", "sent by a friend of mine"]
                    )
                ),
                "version": 7,
                "fate": "fraud" if is_fraud else "ok",
            }
        )
    return rows


def messy_model(rows):
    """A model that takes these rows as they are, and has learned what it asked for."""
    limit = budget.RateBudget(0.5, 100)
    model = ActiveLearner(Schema(KINDS) | AutoOA3Classifier(), budget=limit, seed=1)
    for row in rows:
        _, ask = model.predict_one(row)
        if ask:
            model.learn_one(row, row["fate"] == "fraud")
    return model


def scores_of(model, row):
    """What the model itself says of a row, by the names that `score` gives its columns."""
    classifier = model.classifier
    event = classifier["Schema"].transform_one(row)
    return {
        "label": classifier.predict_one(row),
        "probability": classifier.predict_proba_one(row)[True],
        "margin": classifier["AutoOA3Classifier"].margin_one(event),
        "variance": classifier["AutoOA3Classifier"].variance_one(event),
        "query_probability": model.query_probability(row),
    }


def write_csv_rows(path, rows, delimiter=","):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)
    return path


def write_parquet_rows(path, rows):
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def write_json_rows(path, rows):
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    return path


WRITERS = {".csv": write_csv_rows, ".parquet": write_parquet_rows, ".jsonl": write_json_rows}
