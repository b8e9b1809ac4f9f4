"""Store a file of each kind of model, with what it says from there on.

Run it as `python tests/stored/files/make.py` when the format number grows, or a kind is added. It
leaves older files alone: they are what a user still has.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
N_STORED, N_TOLD = 40, 30


def story(model, name):
    """What a model says of the events that follow, in JSON's words."""
    from model_files import examples, told

    return json.loads(json.dumps(told(model, examples(name, N_STORED + N_TOLD)[N_STORED:])))


def main():
    sys.path.insert(0, str(HERE.parents[1]))
    from model_files import KINDS, trained

    from river_oa3 import save
    from river_oa3.files.container import FORMAT

    for name in KINDS:
        path = HERE / f"format{FORMAT}_{name.replace(' ', '_')}.oa3"
        if path.exists():
            continue
        model = trained(name, N_STORED)
        save(model, path)
        path.with_suffix(".json").write_text(json.dumps(story(model, name)) + "\n")


if __name__ == "__main__":
    main()
