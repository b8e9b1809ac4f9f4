"""Files that were damaged, or made up by somebody who knows the format.

`python tests/mutations.py 20000 1` tries so many of them with this seed, and counts what was said.
"""

from __future__ import annotations

import copy
import json
import random
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from model_files import KINDS, examples, told, trained

from river_oa3 import files
from river_oa3.files.archive import read_entries, write_archive
from river_oa3.files.arrays import array_bytes, array_from_bytes

# A model that was made up may be refused further events, in words; it may not do anything else.
REFUSALS = (ValueError, TypeError, OverflowError, LookupError, ZeroDivisionError)
SECONDS = 5.0

NUMBERS = [
    *(0, 1, -1, 2, 7, 625, 2**31, 2**53, -(2**53), 10**19, -(10**19), 0.5, -0.5, 1e-300, 5e-324),
    *(1e15, 1e60, 1e150, 1e290, 1e305, 1e308, -1e308, 1e-9, 3.0, 100.0, 0.0, -0.0, 1.0, 1e9),
]
VALUES = [
    *NUMBERS,
    *(None, True, False, "", "x", "kind", "PA", "\x1b[2J", "\ud800", [], {}, [[]], {"a": 1}),
    *({"$float": "nan"}, {"$float": "inf"}, {"$float": "-inf"}, {"$float": 1}, {"$what": 1}),
    *({"$int": hex(2**70)}, {"$int": "0x1"}, {"$int": "0x" + "f" * 5000}, {"$int": hex(-(2**70))}),
    *({"$decimal": "1.5"}, {"$decimal": "1E+999999999"}, {"$decimal": "sNaN"}),
    *({"$tuple": [1, "a"]}, {"$tuple": 1}, {"$dict": [[1, 2], [1, 3]]}, {"$dict": [[[], 1]]}),
    *({"$category": ["a", "b"]}, {"$category": [{"$tuple": []}, 1]}),
    *({"kind": "FirstComeQuery"}, {"kind": "TotalBudget", "labels": 9, "spent": 3}),
    *({"kind": "os.system"}, {"kind": "Normalizer", "order": 2}, {"kind": ["Normalizer"]}),
]
# Integers of one and the same hash.
COLLIDING = [{"$int": hex(k * (2**61 - 1))} for k in range(1, 3000)]


def parts_of(content):
    """The JSON texts and the arrays of a file."""
    entries = {name: bytes(entry) for name, entry in read_entries(memoryview(content)).items()}
    return entries


def places(content, path=()):
    """The paths to all values of JSON."""
    yield path
    if isinstance(content, dict):
        for key, value in content.items():
            yield from places(value, (*path, key))
    elif isinstance(content, list):
        for key, value in enumerate(content[:50]):
            yield from places(value, (*path, key))


def replaced(content, path, value):
    if not path:
        return value
    content = copy.copy(content)
    content[path[0]] = replaced(content[path[0]], path[1:], value)
    return content


def found(content, path):
    for key in path:
        content = content[key]
    return content


# Damage that the checksum shows


def flip_bits(rng, data, other):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def cut(rng, data, other):
    return data[: rng.randrange(len(data))] if rng.random() < 0.7 else data[rng.randrange(99) + 1 :]


def splice(rng, data, other):
    return data[: rng.randrange(len(data))] + other[rng.randrange(len(other)) :]


def overwrite(rng, data, other):
    start, length = rng.randrange(len(data)), rng.randrange(1, 400)
    filler = rng.choice([bytes(length), b"\xff" * length, rng.randbytes(length), other[:length]])
    return data[:start] + filler + data[start + length * (rng.random() < 0.7) :]


# Damage with the checksums made right again


def swap_entries(rng, data, other):
    entries = parts_of(data)
    one, two = rng.sample(list(entries), 2)
    entries[one], entries[two] = entries[two], entries[one]
    return write_archive(entries)


def take_entries_of_another(rng, data, other):
    entries, others = parts_of(data), parts_of(other)
    for name in rng.sample(list(others), rng.randint(1, min(3, len(others)))):
        entries[name] = others[name]
    return write_archive(entries)


def shuffle_entries(rng, data, other):
    entries = list(parts_of(data).items())
    return write_archive(dict(rng.sample(entries, len(entries))))


def rename_entries(rng, data, other):
    entries = parts_of(data)
    name = rng.choice(list(entries))
    new = rng.choice(["x.npy", "../x.npy", "model.pickle", "MODEL.JSON", " ", "a" * 9999, None])
    moved = {new if key == name else key: value for key, value in entries.items()}
    moved.pop(None, None)
    return write_archive(moved)


def edit_json(rng, data, other):
    entries = parts_of(data)
    name = "model.json" if rng.random() < 0.9 else "manifest.json"
    content = json.loads(entries[name])
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        content = edited(rng, content)
        if not isinstance(content, dict):
            break
    entries[name] = json.dumps(content).encode()
    return write_archive(entries)


def edited(rng, content):
    paths = list(places(content))
    if rng.random() < 0.6:
        paths = [path for path in paths if type(found(content, path)) in (int, float)] or paths
    path = rng.choice(paths)
    old, way = found(content, path), rng.randrange(8)
    if way == 0 and isinstance(old, dict):
        return replaced(content, path, {k: v for k, v in old.items() if rng.random() < 0.8})
    if way == 1 and isinstance(old, dict):
        return replaced(content, path, {**old, rng.choice(["x", "kind", "n"]): rng.choice(VALUES)})
    if way == 2 and isinstance(old, list):
        return replaced(content, path, rng.choice([old * 2, old[1:], old[::-1], COLLIDING]))
    if way == 3:
        return replaced(content, path, found(content, rng.choice(paths)))
    if way in (4, 5) and type(old) in (int, float):
        near = [old + 1, old - 1, -old, old * 2, old * 1e9, float(old), int(old), not old]
        return replaced(content, path, rng.choice([*near, *NUMBERS]))
    return replaced(content, path, rng.choice(VALUES))


def edit_text(rng, data, other):
    entries = parts_of(data)
    text = entries["model.json"]
    deep = rng.choice([60, 900, 200_000])
    old, new = rng.choice(
        [
            (rb'"(\w+)":', rb'"\1":0,"\1":'),
            (rb'"(\w+)":', rb'"\1":NaN,"other":'),
            (rb":(-?\d+)", b":" + b"9" * 5000),
            (rb":(-?[\d.]+)", b":1e999"),
            (rb":\[", b":" + b"[" * deep),
            (rb":\[", b":" + b'{"$tuple":[' * deep),
            (rb"\]", b"]" * deep),
            (rb'"', b'"\xc3\xa9'),
            (rb'"', rb'"\\u0000'),
            (rb",", b",,"),
            (rb"\}", b"}}"),
        ]
    )
    hits = list(re.finditer(old, text))
    if hits:
        hit = rng.choice(hits)
        text = text[: hit.start()] + hit.expand(new) + text[hit.end() :]
    entries["model.json"] = text
    return write_archive(entries)


def edit_array(rng, data, other):
    entries = parts_of(data)
    names = [name for name in entries if name.endswith(".npy")]
    for name in rng.sample(names, min(len(names), rng.choice([1, 1, 2, 9]))):
        entries[name] = edited_array(rng, entries[name])
    return write_archive(entries)


def edited_array(rng, content):
    array = array_from_bytes(memoryview(content))
    way = rng.randrange(16)
    if way == 0:
        return array_bytes(array[:-1])
    if way == 1:
        return array_bytes(array.reshape(-1)[: rng.randrange(4)])
    if way == 2:
        header = rng.choice([b"99999999999", b"4294967296", b"0", b"1, 1, 1"])
        return re.sub(rb"\(\d+", b"(" + header, content, count=1)
    if way == 3:
        return content.replace(b"<f8", rng.choice([b"|O8", b"<i8", b">f8", b"<f4"]), 1)
    if way == 4:
        return content.replace(b"False", b"True ", 1)
    if array.size:
        for _ in range(rng.choice([1, 1, 3, 20])):
            place = rng.randrange(array.size)
            if array.dtype == np.int64:
                array.flat[place] = rng.choice([0, -1, 1, 2, 2**62, -(2**62), 2**32])
            else:
                value = float(array.flat[place])
                near = [-value, value + 1, value * 2, value * 1e9, value / 1e9, np.nan, np.inf]
                array.flat[place] = rng.choice([*near, *map(float, NUMBERS)])
    return array_bytes(array)


def edit_all(rng, data, other):
    """Several kinds of damage at once."""
    for _ in range(rng.randint(2, 4)):
        data = rng.choice([edit_json, edit_array])(rng, data, other)
    return data


def strain(rng, data, other):
    """Numbers at the limits of what is let pass, one after another."""
    for _ in range(rng.randint(2, 8)):
        changed = rng.choice([edit_json, edit_array, edit_array])(rng, data, other)
        try:
            files.from_bytes(changed)
        except files.FileError:
            continue
        data = changed
    return data


DAMAGES = [flip_bits, cut, splice, overwrite]
FORGERIES = [
    *(
        swap_entries,
        take_entries_of_another,
        shuffle_entries,
        rename_entries,
        edit_text,
        edit_all,
        strain,
    ),
    *(edit_json, edit_json, edit_json, edit_array, edit_array, edit_array, strain),
]


def originals():
    """The kinds of models, and a file of each."""
    return [(name, files.to_bytes(trained(name))) for name in KINDS]


def mutated(rng, stored):
    """A damaged file: the kind it was, what was done to it, and its content."""
    (name, data), (_, other) = rng.choice(stored), rng.choice(stored)
    for _ in range(20):
        change = rng.choice(DAMAGES if rng.random() < 0.2 else FORGERIES)
        try:
            content = change(rng, data, other)
        except (files.FileError, KeyError, ValueError, AttributeError, TypeError, OverflowError):
            continue  # damage upon damage, which cannot be written
        if content != data:
            return name, change.__name__, content
    raise AssertionError("nothing could be changed")


def is_readable(text):
    """Whether this is a line that a terminal can show."""
    return text.isprintable() and text.isascii() and len(text) < 500


def outcome(name, content):
    """What comes of a damaged file; anything but a `FileError` or a working model is raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = files.from_bytes(content)
    except files.FileError as error:
        return "refused" if is_readable(str(error)) else "WRONG", str(error)
    said = "used"
    for _ in range(3):
        for event in examples(name, 30):
            try:
                told(model, [event])
            except REFUSALS as error:
                said = f"refuses events: {type(error).__name__}: {error}"
            except AttributeError:
                return "loaded", "another kind"  # a part on its own, which takes no events
        model = files.from_bytes(files.to_bytes(model))
    return "loaded", said


class Hang(Exception):
    """A file that takes longer than any should."""


def attack(n, seed):
    """Try n damaged files: how often what was said, what went wrong, and the longest time."""
    rng, stored, counts = random.Random(seed), originals(), Counter()
    wrong, longest = [], 0.0
    signal.signal(signal.SIGALRM, _hang)
    for number in range(n):
        name, change, content = mutated(rng, stored)
        started = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            result, said = outcome(name, content)
        except Exception as error:
            result, said = "WRONG", f"{type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if result == "WRONG":
            wrong.append((f"number {number}: {name}, {change}: {said}", content))
        longest = max(longest, time.perf_counter() - started)
        counts[change, result, re.sub(r"[\d.'\[\]]+", "", said)[:60]] += 1
    return counts, wrong, longest


def _hang(*_):
    raise Hang(f"more than {SECONDS} seconds")


def main(n, seed):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counts, wrong, longest = attack(n, seed)
    for (change, result, said), count in counts.most_common(60):
        print(f"{count:6} {change:24} {result:8} {said}")
    results = Counter()
    for (_, result, _), count in counts.items():
        results[result] += count
    for number, (what, content) in enumerate(wrong[:20]):
        print(what)
        Path(tempfile.gettempdir(), f"wrong-{seed}-{number}.oa3").write_bytes(content)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    print(dict(results), f"longest {longest:.2f} s, memory grew by {grown} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
