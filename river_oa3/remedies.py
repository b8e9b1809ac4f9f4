"""What river has against values that the core refuses, in the core's messages."""

from river_oa3._core import checks

checks.REMEDIES.update(
    {
        "text": (
            "encode it first, with preprocessing.OneHotEncoder for categories or "
            "feature_extraction.TFIDF for text"
        ),
        "missing": "fill it first, with preprocessing.StatImputer, or leave it out of the event",
        "collection": (
            "count it first, with feature_extraction.BagOfWords or preprocessing.OneHotEncoder"
        ),
        "other": (
            "turn it into a number first, with compose.FuncTransformer, or leave it out, with "
            "compose.Discard"
        ),
        # StatImputer fills None alone: it would let a NaN pass.
        "nan": (
            "leave it out of the event, or make it None first and fill that with "
            "preprocessing.StatImputer"
        ),
        "size": (
            "scale the features first, with preprocessing.StandardScaler or "
            "preprocessing.Normalizer"
        ),
    }
)
