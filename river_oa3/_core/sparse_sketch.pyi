from river_oa3._core.sketch import Sketch

class SparseSketch(Sketch):
    anchors: int
