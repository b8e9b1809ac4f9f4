"""`python -m river_oa3` is `river-oa3`."""

import sys

from river_oa3.cli import main

if __name__ == "__main__":
    sys.exit(main())
