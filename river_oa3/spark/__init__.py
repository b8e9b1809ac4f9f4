"""The same model, budget and promises on Apache Spark.

Executors score with a model that is sent to them; the driver alone decides, pays and learns, in
order. It needs the extra `spark`, and Java 17 or newer.
"""

from river_oa3.spark.scoring import score
from river_oa3.spark.sessions import local_session
from river_oa3.spark.stream import ActiveStream

__all__ = ["ActiveStream", "local_session", "score"]
