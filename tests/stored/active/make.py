"""Store active learners with their budgets and pending labels, and what they decide from there on.

Run it as `python tests/stored/active/make.py` when what they store changes, after a new number has
been put in `FORMAT`, and keep the older files: they are what a user still has. Format 1 is 0.1's.
"""

import json
import pickle
import sys
from pathlib import Path

HERE = Path(__file__).parent
FORMAT = 1
N_BEFORE, N_AFTER = 60, 90


def main():
    sys.path.insert(0, str(HERE.parents[1]))
    from services import SERVICES, story

    for name, make in SERVICES.items():
        service = make()
        story(service, name, range(N_BEFORE))
        stem = f"format{FORMAT}_{name}"
        (HERE / f"{stem}.pickle").write_bytes(pickle.dumps(service, protocol=4))
        told = story(service, name, range(N_BEFORE, N_BEFORE + N_AFTER))
        (HERE / f"{stem}.json").write_text(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
