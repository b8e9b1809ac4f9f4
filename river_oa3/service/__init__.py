"""The learner behind an address, and a page for the person who answers.

Needs the extra `service`: `pip install 'river-oa3[service]'`.
"""

from river_oa3.service.app import create_app
from river_oa3.service.settings import Limits, Settings

__all__ = ["Limits", "Settings", "create_app"]
