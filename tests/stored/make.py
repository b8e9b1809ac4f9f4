"""Store one model of each learner, with the margins it gives from there on.

Run it as `python tests/stored/make.py` when the format number grows, or a learner is added. It
leaves older files alone: they are what a user still has.
"""

import json
import pickle
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARAMS = {"eta": 0.3, "gamma": 2.0, "rho": 4.0}
SKETCH = {"sketch_size": 3, "seed": 11}
N_LEARNED, N_MARGINS = 60, 60


def main():
    sys.path.insert(0, str(HERE.parent))
    from learners import (
        LEARNERS,
        SKETCHES,
        arithmetic_events,
        learned,
        margins_while_learning,
    )

    from river_oa3 import AutoOA3Classifier

    events = list(arithmetic_events(N_LEARNED + N_MARGINS))
    models = [learner(**PARAMS, **(SKETCH if learner in SKETCHES else {})) for learner in LEARNERS]
    for model in [*models, AutoOA3Classifier()]:
        learned(model, events[:N_LEARNED])
        (_, (_, _, state)) = model._core.__reduce__()
        stem = f"format{state['format']}_{type(model).__name__}"
        if (HERE / f"{stem}.pickle").exists():
            continue
        (HERE / f"{stem}.pickle").write_bytes(pickle.dumps(model, protocol=4))
        story = {
            "n_learned": N_LEARNED,
            "margins": [model.margin_one(x) for x, _ in events[N_LEARNED:]],
            "margins_while_learning": margins_while_learning(model, events[N_LEARNED:]),
        }
        (HERE / f"{stem}.json").write_text(json.dumps(story, indent=1) + "\n")


if __name__ == "__main__":
    main()
