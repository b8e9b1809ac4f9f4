"""Damage of any kind is named, and what loads all the same is a model that works."""

from __future__ import annotations

import hashlib
import json
import re
import struct

import pytest
from model_files import KINDS, trained
from mutations import attack, parts_of

from river_oa3 import files
from river_oa3.files.archive import write_archive
from river_oa3.files.arrays import array_bytes, array_from_bytes

STORED = files.to_bytes(trained("OA3Diag"))


def refused(content, match):
    with pytest.raises(files.FileError, match=match):
        files.from_bytes(content)


def with_model(text):
    return write_archive({**parts_of(STORED), "model.json": text})


def with_checksum(body):
    return body + b"river_oa3 sha256 " + hashlib.sha256(body).hexdigest().encode()


def edited(name="OA3Diag", **changes):
    """A file of this kind with other fields, and checksums that fit."""
    entries = parts_of(files.to_bytes(trained(name)))
    model = json.loads(entries["model.json"])
    return write_archive({**entries, "model.json": json.dumps(model | changes).encode()})


# What the checksum shows


def test_every_bit_that_flips_is_noticed():
    for place in range(0, len(STORED), 3):
        content = bytearray(STORED)
        content[place] ^= 1 << (place % 8)
        refused(bytes(content), "changed or damaged|no .oa3 file|does not end in its checksum")


def test_every_cut_is_noticed():
    for end in range(0, len(STORED), 7):
        refused(STORED[:end], "empty|no .oa3 file|cut off|does not fit")


@pytest.mark.parametrize("more", [b"\0", b"PK", STORED], ids=["byte", "zip", "file"])
def test_what_is_added_is_noticed(more):
    refused(STORED + more, "cut off, or was added to|changed or damaged")


def test_damaged_file_is_not_said_to_be_another_kind_of_file():
    content = bytearray(STORED)
    content[len(content) // 2] ^= 1
    refused(bytes(content), "changed or damaged: its checksum does not fit")


# What somebody has made up


def test_format_of_a_later_version_says_to_upgrade():
    manifest = json.dumps({"format": 2, "versions": {}}).encode()
    refused(
        write_archive({"manifest.json": manifest, "model.json": b"{}"}),
        r"format 2, and .* reads formats up to 1: upgrade",
    )


def test_kind_that_is_not_known_is_refused_by_name():
    refused(edited(kind="os.system"), "of the kind 'os.system'")


def test_array_of_python_objects_is_refused():
    entries = parts_of(STORED)
    entries["mu.npy"] = entries["mu.npy"].replace(b"<f8", b"|O8")
    refused(write_archive(entries), "model.state.arrays.mu is damaged: its header")


def test_shape_that_is_not_there_takes_no_memory():
    entries = parts_of(STORED)
    entries["mu.npy"] = re.sub(rb"\(\d+,\)( *)", b"(999999999999999,)", entries["mu.npy"], count=1)
    refused(write_archive(entries), "model.state.arrays.mu is damaged")


def test_entry_that_another_program_compressed_is_refused():
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts_of(STORED).items():
            archive.writestr(name, content)
    refused(buffer.getvalue(), "does not end in its checksum")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"kind":"OA3DiagClassifier","kind":"x"}', "the key 'kind' is there twice"),
        (b'{"kind":NaN}', "NaN is not a number"),
        (b'{"kind":' + b"[" * 100_000, "recursion"),
        (b'{"kind":' + b"1" * 5000 + b"}", "5000 digits"),
        (b"[]", "not an object"),
        (b'{"kind":"\xc3\xa9"}', "ascii"),
        (b"", "cannot be read"),
    ],
    ids=["twice", "nan", "deep", "digits", "list", "utf8", "nothing"],
)
def test_json_that_is_none_of_ours_is_refused(text, said):
    refused(with_model(text), said)


def test_parts_in_parts_in_parts_are_refused():
    part = {"kind": "Pipeline", "steps": []}
    for _ in range(50):
        part = {"kind": "Pipeline", "steps": [{"name": "a", "step": part}]}
    refused(with_model(json.dumps(part).encode()), "nested more than 20 deep")


def test_names_of_one_hash_are_refused_in_no_time():
    names = [{"$int": hex(k * (2**61 - 1))} for k in range(1, 50_000)]
    model = json.loads(parts_of(STORED)["model.json"])
    model["state"]["names"] = names
    refused(with_model(json.dumps(model).encode()), "names: 49999 of them share 1 hashes")


def test_array_that_two_parts_share_is_refused():
    model = json.loads(parts_of(STORED)["model.json"])
    model["state"]["arrays"]["sigma"] = "mu"
    refused(with_model(json.dumps(model).encode()), "used elsewhere")


def test_array_that_belongs_to_nothing_is_refused():
    entries = parts_of(STORED)
    refused(write_archive({**entries, "x.npy": entries["mu.npy"]}), "belong to nothing: .'x'")


def test_entry_that_is_no_array_is_refused():
    refused(write_archive({**parts_of(STORED), "run.py": b"1"}), "'run.py' is not an array")


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        ("OA3Diag", {"eta": -1.0}, "eta must be"),
        ("OA3Diag", {"eta": {"$float": "nan"}}, "model.eta is nan, not a finite number"),
        ("OA3Diag", {"more": 1}, "fields that nothing is known of: .'more'"),
        ("SSOA3", {"sketch_size": 60_000}, "sketch_size is 60000, and 'A' is not"),
        ("Auto", {"max_features": 0}, "max_features is 0"),
        ("asymmetric", {"n_seen": -1}, "n_seen is -1"),
        ("asymmetric", {"n_seen": 2.0**60}, "n_seen is 1.15"),
        ("asymmetric", {"budget": {"kind": "Normalizer", "order": 2}}, "cannot be a Normalizer"),
        ("asymmetric", {"last_query": {"probability": 2.0}}, "probability is 2.0"),
        ("pending", {"capacity": 0}, "capacity must be 1 or more"),
        ("pending", {"asks": [{}]}, r"asks\[0\].event_id is missing"),
    ],
)
def test_field_out_of_its_limits_is_refused_by_name(kind, changes, said):
    refused(edited(kind, **changes), said)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.5, 7.0])
def test_variance_that_cannot_be_is_refused_by_name(bad):
    entries = parts_of(STORED)
    sigma = array_from_bytes(memoryview(entries["sigma.npy"]))
    sigma[1] = bad
    refused(write_archive({**entries, "sigma.npy": array_bytes(sigma)}), "'sigma' holds numbers")


def test_covariance_that_is_none_is_refused():
    model = KINDS["OA3"][0]()
    model.learn_one({"a": 1.0, "b": 1.0, "c": 1.0}, True)
    entries = parts_of(files.to_bytes(model))
    square = array_from_bytes(memoryview(entries["square.npy"]))
    square[:] = -0.9
    square[[0, 1, 2], [0, 1, 2]] = 1.0
    entries["square.npy"] = array_bytes(square)
    entries["diagonal.npy"] = array_bytes(square.diagonal().copy())
    entries["waiting.npy"] = array_bytes(square[:0])
    refused(write_archive(entries), "holds what is not a covariance")


def test_generator_that_is_stuck_is_refused():
    entries = parts_of(files.to_bytes(trained("asymmetric")))
    words = array_from_bytes(memoryview(entries["random.npy"])) * 0
    refused(write_archive({**entries, "random.npy": array_bytes(words)}), "624 numbers")


def test_header_that_hides_an_entry_is_refused():
    """A reader that trusts the directory would see another file than one that reads on."""
    hidden = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 20, 8, 0, 0, 33, 0, 0, 0, 1, 0) + b"x"
    start, end = STORED.index(b"PK\x01\x02"), STORED.rindex(b"river_oa3 sha256 ")
    body = STORED[:start] + hidden + STORED[start:end]
    refused(with_checksum(body), "directory is not that of its entries|not written by this package")


def test_thousands_of_mutated_files_crash_nothing():
    counts, wrong, longest = attack(2000, seed=7)
    assert [what for what, _ in wrong] == []
    results = [result for _, result, _ in counts]
    assert {"refused", "loaded"} <= set(results)
    assert longest < 5.0


def test_entry_whose_name_is_no_text_is_named_in_ascii():
    body = STORED[: STORED.rindex(b"river_oa3 sha256 ")].replace(b"sigma.npy", b"sigm\xff.npy")
    with pytest.raises(files.FileError, match="has no name to speak of") as refusal:
        files.from_bytes(with_checksum(body))
    assert str(refusal.value).isascii()
