"""From a file to a deployed model: what `compare` exports answers the rows of the file.

Whoever asks it, in whatever form the rows come, the answers are the same.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import Small, command

import river_oa3
from river_oa3 import PendingLabels, Schema, datasets
from river_oa3.auto import AutoOA3Classifier
from river_oa3.datasets.paper_rows import rows_for_paper, scaler_for_paper
from river_oa3.experiments.stream_replay import replay
from river_oa3.query import AdaptiveQuery

N = 3000
MERCHANTS = 300
WORDS = ["paid", "by", "card", "at", "night", "sent", "to", "a", "friend", "abroad", "again"]


def payments(n=N, seed=0):
    """A made-up table: ids, dates, many merchants, amounts, gaps, free text; None is a gap."""
    rng = np.random.default_rng(seed)
    start = dt.datetime(2024, 2, 28, 22, 15)
    risk = rng.random(MERCHANTS) < 0.15
    rows = []
    for i in range(n):
        merchant = int(rng.zipf(1.3)) % MERCHANTS
        opened = start + dt.timedelta(minutes=37 * i)
        at_night = opened.hour < 6
        odds = -3.2 + 2.6 * risk[merchant] + 1.6 * at_night
        is_fraud = bool(rng.random() < 1 / (1 + np.exp(-odds)))
        amount = round(float(np.exp(rng.normal(3.0 + 1.4 * is_fraud, 0.8))), 2)
        rows.append(
            {
                "payment": f"p-{i:06d}",
                "opened": opened,
                "merchant": f"m{merchant:03d}",
                "amount": amount,
                "age": None if rng.random() < 0.3 * (1 + is_fraud) else int(rng.integers(18, 90)),
                "country": None if i % 17 == 3 else str(rng.choice(["FR", "DE", "NL"])),
                "is_new": bool(rng.random() < 0.3),
                "note": " ".join(rng.choice(WORDS, size=5)),
                "status": "fraud" if is_fraud else "ok",
            }
        )
    return rows


def as_texts(row):
    return {
        name: "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in row.items()
    }


def write_csv(path, rows):
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", newline="") as file:
        delimiter = "\t" if ".tsv" in path.suffixes else ","
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(map(as_texts, rows))
    return path


def write_json(path, rows):
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows))
    return path


def write_parquet(path, rows):
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=700)
    return path


WRITERS = {
    "csv": write_csv,
    "tsv": write_csv,
    "csv.gz": write_csv,
    "jsonl": write_json,
    "parquet": write_parquet,
}


def compared(folder, path, *more, methods="AutoOA3", label="status"):
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        label_options = ("--label", label) if label else ()
        return command(
            folder,
            *("compare", path, *label_options, "--budget", "5%", "--methods", methods),
            *("--jobs", 1, "--seed", 3, "--permutations", 4, *more),
        )


def run_model(folder, *arguments):
    return subprocess.run(
        [sys.executable, "model.py", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def answers(model, rows):
    """What `model.py` prints for these rows."""
    lines = []
    for row in rows:
        probability = model.classifier.predict_proba_one(row)[True]
        label, ask = model.predict_one(row)
        lines.append(f"{label}\t{probability:.4f}\t{'ask' if ask else ''}")
    return lines


def balanced_accuracy(labels, truth):
    labels, truth = np.asarray(labels), np.asarray(truth)
    return 50.0 * (labels[truth].mean() + (~labels[~truth]).mean())


@pytest.fixture(scope="module")
def rows():
    return payments()


@pytest.fixture(scope="module")
def files(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    return {suffix: write(folder / f"payments.{suffix}", rows) for suffix, write in WRITERS.items()}


@pytest.fixture(scope="module")
def exported(files, tmp_path_factory):
    """What `compare` left of the CSV file."""
    ended = compared(tmp_path_factory.mktemp("exported"), files["csv"])
    assert (ended.code, ended.err) == (0, "")
    return ended


def loaded(ended):
    return river_oa3.load(ended.folder / "model.oa3")


# One model, whoever asks


def test_the_model_takes_raw_rows_and_is_as_good_as_was_measured(exported, rows):
    model = loaded(exported)
    labels = [model.classifier.predict_one(row) for row in rows]
    own = exported.json["model"]["while_learning"]["sum"]
    assert own > 70.0
    assert balanced_accuracy(labels, [row["status"] == "fraud" for row in rows]) > own


def test_rows_of_texts_and_typed_rows_have_the_same_answers(exported, rows):
    assert answers(loaded(exported), map(as_texts, rows)) == answers(loaded(exported), rows)


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_code_answers_every_file_as_the_model_answers_its_rows(exported, files, rows, suffix):
    done = run_model(exported.folder, files[suffix])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == answers(loaded(exported), rows)


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_file_of_one_table_gives_one_model(exported, files, tmp_path, suffix):
    other = compared(tmp_path / "out", files[suffix])
    assert other.results == exported.results
    assert (other.folder / "model.oa3").read_bytes() == (exported.folder / "model.oa3").read_bytes()


def test_the_label_of_a_row_is_no_feature(exported, rows):
    model = loaded(exported)
    for row in rows[:100]:
        turned = row | {"status": "ok" if row["status"] == "fraud" else "fraud"}
        asked = [model.classifier.predict_proba_one(each) for each in (row, turned)]
        assert asked[0] == asked[1]
        del turned["status"]
        assert model.classifier.predict_proba_one(turned) == asked[0]


def test_a_row_of_another_table_is_refused(exported):
    with pytest.raises(ValueError, match=r"none of the columns that the model knows: .*'merchant'"):
        loaded(exported).predict_one({"Kunde": 7, "Betrag": 1.5})


def test_the_exported_model_decides_as_its_replay(exported, files, rows):
    """Row by row through the schema, and the rows of the file at once through compiled code."""
    model = loaded(exported)
    schema = next(iter(model.classifier.steps.values()))
    source = datasets.sources.open_source(files["csv"])
    stream = encoded(schema, source, rows)
    one = river_oa3.ActiveLearner(schema | AutoOA3Classifier(), budget=150, seed=5)
    other = river_oa3.ActiveLearner(AutoOA3Classifier(), AdaptiveQuery(), budget=150, seed=5)
    outcome = replay(other, stream)
    right, asked = 0, []
    for row in rows:
        label, ask = one.predict_one(row)
        asked.append(ask)
        right += label == (row["status"] == "fraud")
        if ask:
            one.learn_one(row, row["status"] == "fraud")
    assert asked == outcome.asked.tolist()
    assert right == outcome.true_positives[-1] + outcome.true_negatives[-1]


def encoded(schema, source, rows):
    """The rows of a table as a stream, by the way that `compare` takes."""
    profile = datasets.preparation.profile(source, datasets.preparation.Options(label="status"))
    found = datasets.preparation.schema_of(profile, datasets.preparation.Options(label="status"))
    assert found.schema == schema
    encoder = datasets.preparation.found_schema.Encoder(schema)
    kept = datasets.chunk_writer.ChunkWriter("x", source.path.parent / "x", len(rows), 1)
    for some in found.encoded(source, encoder):
        kept.add(some, len(encoder.names))
    return kept.finish(encoder.names)


# What it is, and what it says of itself


def test_the_schema_is_the_first_step_of_the_file(exported):
    schema, classifier = loaded(exported).classifier.steps.values()
    assert isinstance(classifier, AutoOA3Classifier)
    assert {name: column.kind for name, column in schema.columns.items()} == {
        "payment": "left out",
        "opened": "date",
        "merchant": "category",
        "amount": "number",
        "age": "number",
        "country": "category",
        "is_new": "boolean",
        "note": "text",
    }
    assert isinstance(schema, Schema)


def test_show_says_how_many_labels_it_has_learned(exported, capsys):
    assert river_oa3.cli.main(["show", str(exported.folder / "model.oa3")]) == 0
    shown = capsys.readouterr().out
    assert f"labels learned     {N:,}" in shown
    assert f"events seen        {N:,}" in shown


def test_its_own_score_is_said_wherever_it_is_exported(exported):
    said = f"has learned all {N:,} labels"
    score = f"{exported.json['model']['while_learning']['sum']:.2f}"
    code = (exported.folder / "model.py").read_text()
    for text in (exported.out, code, exported.path("html").read_text()):
        flat = " ".join(text.split())
        assert said in flat
        assert score in flat[flat.index(said) :]
    assert "def prepare" not in code


def test_a_second_run_says_what_it_replaces(files, tmp_path):
    first = compared(tmp_path / "out", files["csv"])
    assert "replaced" not in first.out
    second = compared(tmp_path / "out", files["parquet"])
    (line,) = [line for line in second.out.splitlines() if line.startswith("replaced")]
    assert "model.oa3" in line
    assert "model.py" in line


# The order in which it learns


@pytest.mark.parametrize("first", ["ok", "fraud"])
def test_a_file_sorted_by_class_gives_a_model_as_good_as_was_measured(rows, tmp_path, first):
    by_class = sorted(rows, key=lambda row: row["status"] != first)
    ended = compared(tmp_path / "out", write_csv(tmp_path / "sorted.csv", by_class))
    measured = np.mean(ended.json["methods"]["AutoOA3"]["runs"]["sum"])
    own = ended.json["model"]["while_learning"]["sum"]
    model = loaded(ended)
    labels = [model.classifier.predict_one(row) for row in rows]
    assert own > measured - 2.0
    assert balanced_accuracy(labels, [row["status"] == "fraud" for row in rows]) > measured


def test_noise_gives_no_model_and_says_why(tmp_path):
    rng = np.random.default_rng(3)
    noise = [
        {"a": float(x), "b": str(rng.choice(list("uvw"))), "status": "fraud" if y else "ok"}
        for x, y in zip(rng.normal(size=800), rng.random(800) < 0.2, strict=True)
    ]
    ended = compared(tmp_path / "out", write_csv(tmp_path / "noise.csv", noise))
    assert not {"model.py", "model.oa3"} & set(ended.files)
    assert "No model is exported" in ended.out
    assert "No model is exported" in ended.path("html").read_text()


# A method of the paper


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("OA3-diag", ()),
        ("OA3-diag", ("--paper-accounting",)),
        ("OA3-diag", ("--intercept",)),
        ("SSOA3", ()),
    ],
)
def test_a_method_of_the_paper_is_exported_with_its_scaling(files, rows, tmp_path, method, options):
    path = write_csv(tmp_path / "few.csv", rows[:1500])
    ended = compared(tmp_path / "out", path, "--permutations", 1, *options, methods=method)
    assert (ended.code, ended.json["model"]["exported"]) == (0, True), ended.out
    schema, scaler, classifier = loaded(ended).classifier.steps.values()
    raw = encoded(schema, datasets.sources.open_source(path), rows[:1500])
    how = {"as_in_paper": "--paper-accounting" in options}
    replayed = rows_for_paper(raw, intercept="--intercept" in options, **how)
    for row, (expected, _) in zip(rows, replayed.events(), strict=False):
        x = scaler.transform_one(schema.transform_one(row))
        assert x == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert loaded(ended).predict_one(as_texts(rows[0]))[0] in (True, False)
    assert scaler_for_paper(raw, replayed, **how).columns == scaler.columns
    assert classifier.margin_one(x) != 0.0


# The code


def test_without_a_file_the_code_says_how_to_use_it(exported):
    done = run_model(exported.folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: python model.py [-h] [--encoding ENCODING] FILE\n")
    assert "Traceback" not in done.stderr
    asked = run_model(exported.folder, "--help")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "CSV, TSV, Parquet or JSON lines" in asked.stdout


def test_a_reader_that_has_seen_enough_ends_the_code_quietly(exported, files):
    done = subprocess.run(
        f"{sys.executable} model.py {files['csv']} | head -2",
        cwd=exported.folder, capture_output=True, text=True, check=False, shell=True, timeout=300,
    )  # fmt: skip
    assert (len(done.stdout.splitlines()), done.stderr) == (2, "")


def test_a_value_that_cannot_be_read_is_named_with_its_line_and_column(exported, rows, tmp_path):
    bad = [*rows[:3], rows[3] | {"amount": "much"}]
    path = write_csv(tmp_path / "bad.csv", bad)
    done = run_model(exported.folder, path)
    assert (done.returncode, len(done.stdout.splitlines())) == (2, 3)
    assert done.stderr == f"{path}, line 5: column 'amount' holds 'much', not a number\n"


@pytest.mark.parametrize("name", ["mispelt.csv", "mispelt.xlsx"])
def test_a_file_that_is_not_there_is_said(exported, name):
    done = run_model(exported.folder, name)
    assert (done.returncode, done.stderr) == (2, f"no such file: {name}\n")


def test_the_code_takes_a_file_in_the_encoding_that_was_compared(rows, tmp_path):
    countries = {"FR": "Frankreich", "DE": "Österreich", "NL": "Köln"}
    named = [row | {"country": countries.get(row["country"])} for row in rows[:1500]]
    utf_8 = write_csv(tmp_path / "utf-8.csv", named)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(utf_8.read_text().encode("latin-1"))
    ended = compared(tmp_path / "out", latin, "--encoding", "latin-1")
    assert (ended.code, ended.json["model"]["exported"]) == (0, True)
    refused = run_model(ended.folder, latin)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "say --encoding latin-1 if it should read" in refused.stderr
    done = run_model(ended.folder, latin, "--encoding", "latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run_model(ended.folder, utf_8).stdout
    assert done.stdout.splitlines() == answers(loaded(ended), named)


# Data sets without a table


def test_a_data_set_of_numbers_may_come_as_texts(tmp_path):
    """Every value of a CSV file is a text, and none of them a category here."""
    ended = compared(tmp_path / "out", "Phishing", "--permutations", 3, label=None)
    stream = datasets.open_stream("Phishing")
    events = list(stream.events())
    names = stream.names
    rows = [{name: x.get(name, 0.0) for name in names} | {"is_phishing": y} for x, y in events]
    path = write_csv(tmp_path / "phishing.csv", rows)
    done = run_model(ended.folder, path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == answers(loaded(ended), [x for x, _ in events])
    labels = [line.startswith("True") for line in done.stdout.splitlines()]
    assert balanced_accuracy(labels, stream.y) > 85.0


def test_numbered_features_are_read_from_the_file_that_was_compared(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    X = rng.normal(size=(400, 4)) + np.where(y, 1.5, 0.0)[:, None]
    lines = [
        " ".join([str(int(label)), *(f"{j}:{x:.4f}" for j, x in enumerate(row, 1))])
        for label, row in zip(y, X, strict=True)
    ]
    path = tmp_path / "small.libsvm"
    path.write_text("\n".join(lines) + "\n")
    ended = compared(tmp_path / "out", path, "--permutations", 3, label=None)
    done = run_model(ended.folder, path)
    assert done.stderr == ""
    labels = [line.startswith("True") for line in done.stdout.splitlines()]
    assert balanced_accuracy(labels, y) > 85.0


# Deployed


def as_json(row):
    return json.loads(json.dumps(row, default=str))


@pytest.mark.parametrize("form", [as_texts, as_json])
def test_the_service_answers_the_rows_of_the_file(exported, rows, form):
    pytest.importorskip("starlette", reason="the service needs the extra `service`")
    from serving import Running

    from river_oa3.service import Settings

    model = loaded(exported)
    events = [{"id": row["payment"], "x": form(row)} for row in rows[:400]]
    running = Running(PendingLabels(loaded(exported)), Settings())
    try:
        answered = running.post("/events", events).json()["results"]
    finally:
        running.stop()
    assert [each["label"] for each in answered] == [model.predict_one(x)[0] for x in rows[:400]]


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_spark_scores_the_rows_of_the_file(exported, files, rows, suffix):
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from river_oa3.spark import score
    from river_oa3.spark.sessions import java_problem, local_session

    if (problem := java_problem()) is not None:
        pytest.skip(problem)
    reader, path = local_session("local[2]", "1g").read, str(files[suffix])
    read = {"csv": reader.option("header", True).csv, "jsonl": reader.json}.get(suffix)
    classifier = loaded(exported).classifier
    found = score((read or reader.parquet)(path), loaded(exported), keep=["payment"]).collect()
    assert {row["payment"]: row["label"] for row in found} == {
        row["payment"]: classifier.predict_one(row) for row in rows
    }
