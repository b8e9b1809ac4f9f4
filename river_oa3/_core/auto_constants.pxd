"""The numbers of AutoOA3, found by measurement on many streams; none of them is a parameter."""

cdef extern from *:
    """
    /* Variance of a weight of which nothing is known; rows have a mean squared length of 1. */
    #define OA3_PRIOR 3.0
    /* Standardised values are clipped here. */
    #define OA3_CLIP 4.0
    /* A feature that is present in more than this share of the events is centred and binned. */
    #define OA3_DENSE 0.5
    /* The value of the indicator of a bin, and how often a feature is seen before it has bins. */
    #define OA3_BIN_VALUE 0.7
    #define OA3_BIN_START 5.0
    /* A value enters the mean and the variance as at most so many deviations from the mean:
       wild values, up to one in 64, cannot take the scale along. */
    #define OA3_OUTLIER 8.0
    /* The moments begin anew from a block of at least so many values, that is at least this share
       of all or a window of the scaling long. */
    #define OA3_BLOCK_START 64.0
    #define OA3_BLOCK_SHARE 0.75
    /* A dense feature whose values lie so many deviations from 0 takes 0 as missing. */
    #define OA3_FAR 4.0
    /* Values are clipped here before they are squared; smaller squares have lost their digits. */
    #define OA3_LARGEST 1e150
    #define OA3_SMALLEST 1e-280
    /* Squared deviations relative to the squared mean that are rounding. */
    #define OA3_ROUNDING 1e-20
    /* Events that count in the scaling: between one and two windows. */
    #define OA3_SCALE_WINDOW 4000.0
    /* What is left of the count of a feature that has not been seen for very long. */
    #define OA3_LEAST_COUNT 1e-6
    /* The temperature of a probability falls from 2 to 1 over about so many labels. */
    #define OA3_TEMPERATURE 100.0
    /* Labels after which the threshold is trusted while one class only has been seen. */
    #define OA3_ENOUGH 5
    /* Events in the running means of the probability and of the predicted positives. */
    #define OA3_P_WINDOW 100.0
    #define OA3_K_WINDOW 300.0
    /* Pseudo-count and largest importance weight of the asked positives. */
    #define OA3_PSEUDO 0.5
    #define OA3_IMPORTANCE 3.0
    /* What every label takes from what was known of its features. */
    #define OA3_FORGETTING 0.01
    /* The fast learner: the largest share that one label makes it forget, and how sharply that
       rises with the surprise. */
    #define OA3_SURPRISE 0.5
    #define OA3_SURPRISE_SLOPE 1.5
    /* Which learner answers: labels remembered, largest difference of one label, how far the fast
       one has to be ahead before it takes over, and after how many events without a label it gives
       back. */
    #define OA3_EVIDENCE_LABELS 50.0
    #define OA3_EVIDENCE_CAP 3.0
    #define OA3_EVIDENCE_SWITCH 0.2
    #define OA3_EVIDENCE_EVENTS 500.0
    /* No variance falls below this share of the prior's. */
    #define OA3_LEAST_SHARE 1e-12
    /* No label that is learned makes a longer step, and no row is scaled up further: only a stored
       model that was made up comes near. */
    #define OA3_LARGEST_STEP 1e20
    #define OA3_LARGEST_SCALE 1e12
    """
    const double PRIOR "OA3_PRIOR"
    const double CLIP "OA3_CLIP"
    const double DENSE "OA3_DENSE"
    const double BIN_VALUE "OA3_BIN_VALUE"
    const double BIN_START "OA3_BIN_START"
    const double OUTLIER "OA3_OUTLIER"
    const double BLOCK_START "OA3_BLOCK_START"
    const double BLOCK_SHARE "OA3_BLOCK_SHARE"
    const double FAR "OA3_FAR"
    const double LARGEST "OA3_LARGEST"
    const double SMALLEST "OA3_SMALLEST"
    const double ROUNDING "OA3_ROUNDING"
    const double SCALE_WINDOW "OA3_SCALE_WINDOW"
    const double LEAST_COUNT "OA3_LEAST_COUNT"
    const double TEMPERATURE "OA3_TEMPERATURE"
    const int ENOUGH "OA3_ENOUGH"
    const double P_WINDOW "OA3_P_WINDOW"
    const double K_WINDOW "OA3_K_WINDOW"
    const double PSEUDO "OA3_PSEUDO"
    const double IMPORTANCE "OA3_IMPORTANCE"
    const double FORGETTING "OA3_FORGETTING"
    const double SURPRISE "OA3_SURPRISE"
    const double SURPRISE_SLOPE "OA3_SURPRISE_SLOPE"
    const double EVIDENCE_LABELS "OA3_EVIDENCE_LABELS"
    const double EVIDENCE_CAP "OA3_EVIDENCE_CAP"
    const double EVIDENCE_SWITCH "OA3_EVIDENCE_SWITCH"
    const double EVIDENCE_EVENTS "OA3_EVIDENCE_EVENTS"
    const double LEAST_SHARE "OA3_LEAST_SHARE"
    const double LARGEST_STEP "OA3_LARGEST_STEP"
    const double LARGEST_SCALE "OA3_LARGEST_SCALE"

cdef enum:
    # Bins of a dense feature at the octiles of a Gaussian, and one for events that leave it out.
    OCTILES = 8
    MISSING_BIN = 8
    BINS = 9
