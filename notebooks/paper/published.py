"""The figures that the paper prints, to hold a run against.

The tables stand here as they stand there. Every number is the printed one, also where the
paper contradicts itself: protein's classes are 1:1.17 by its own costs, not 1:1.7.

Examples
--------
>>> from . import published
>>> published.PUBLISHED["w8a"]["sum"]["OA3"].score
Figure(mean=83.313, deviation=0.951)
>>> published.BUDGETS["fixed"]["w8a"]
32000

"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BUDGETS", "PUBLISHED", "RATIOS", "SPEEDUPS", "Figure", "Row"]


class Figure(NamedTuple):
    """A mean over the permutations of a data set, and its standard deviation."""

    mean: float
    deviation: float


class Row(NamedTuple):
    """What one method reached: the sum in percent or the cost, and what it is made of."""

    score: Figure
    sensitivity: Figure
    specificity: Figure
    seconds: float


# The n of 1:n, positives to negatives, in table 1 and the table of supplement C.6. The sizes that
# these tables print too are in `river_oa3.datasets.paper`, which holds files against them.
RATIOS: dict[str, float] = {
    "protein": 1.7,
    "Sensorless": 10,
    "w8a": 32.5,
    "KDDCUP08": 163.19,
    "IAD": 4.9,
    "CIFAR-10": 9.0,
}

# By experiment, then by data set, from the captions of the figures.
BUDGETS: dict[str, dict[str, int]] = {
    # Figures 1 and 2, and the figure of supplement C.6.
    "fixed": {
        "protein": 8500,
        "Sensorless": 29000,
        "w8a": 32000,
        "KDDCUP08": 50000,
        "IAD": 1205,
        "CIFAR-10": 5000,
    },
    # Figure 5, the only one that gives KDDCUP08 twice the budget.
    "biases sum": {"protein": 8500, "Sensorless": 29000, "w8a": 32000, "KDDCUP08": 100000},
    # Supplement C.1.
    "biases cost": {"protein": 8500, "Sensorless": 29000, "w8a": 32000, "KDDCUP08": 50000},
    # Figure 6, and supplement C.2.
    "cost weights": {"protein": 8500, "Sensorless": 29000, "w8a": 32000, "KDDCUP08": 50000},
    # Figure 7, and supplement C.3.
    "learning rates": {"protein": 8500, "Sensorless": 29000, "w8a": 32000, "KDDCUP08": 50000},
    # Supplement C.4, both figures.
    "gamma": {"protein": 8500, "Sensorless": 29000, "w8a": 32000, "KDDCUP08": 50000},
    # Supplement C.5.
    "strategies sum": {"protein": 1200, "Sensorless": 10000, "w8a": 8000, "KDDCUP08": 10000},
    "strategies cost": {"protein": 1200, "Sensorless": 12000, "w8a": 6500, "KDDCUP08": 10000},
}

# Seconds by data set and method, from the table of speed-ups in supplement C.6.
SPEEDUPS: dict[str, dict[str, float]] = {
    "Sensorless": {"OA3": 0.966, "SOA3": 0.862, "SSOA3": 0.920},
    "KDDCUP08": {"OA3": 7.066, "SOA3": 3.779, "SSOA3": 3.376},
    "w8a": {"OA3": 14.118, "SOA3": 4.556, "SSOA3": 3.398},
    "protein": {"OA3": 12.511, "SOA3": 1.395, "SSOA3": 1.004},
    "IAD": {"OA3": 44.674, "SOA3": 4.084, "SSOA3": 3.215},
    "CIFAR-10": {"OA3": 1948.292, "SOA3": 66.739, "SSOA3": 52.126},
}

# In all three: the score, the sensitivity, the specificity and the seconds.
_TABLE_2 = """
sum on protein
PAA         66.263 ±   0.553   61.455 ±  4.455   71.072 ±  3.732      0.274
OAAL        65.930 ±   0.574   68.953 ±  3.442   62.907 ±  3.664      0.275
CSOAL       71.073 ±   0.304   69.565 ±  3.144   72.582 ±  2.714      0.258
SOAL        70.863 ±   0.734   62.576 ±  5.437   79.150 ±  4.177     12.411
SOAL-CS     70.920 ±   0.734   63.115 ±  5.490   78.725 ±  4.268     12.616
OA3         71.673 ±   0.348   72.608 ±  4.700   70.738 ±  4.838     12.511
OA3-diag    71.531 ±   0.334   72.114 ±  1.270   70.949 ±  1.393      7.008
SOA3        71.028 ±   0.247   70.658 ±  2.766   71.398 ±  2.485      1.395
SSOA3       70.907 ±   0.304   70.197 ±  3.102   71.616 ±  2.967      1.004

cost on protein
PAA       3092.285 ± 248.215   61.882 ±  3.777   70.754 ±  3.357      0.274
OAAL      2657.710 ± 210.120   67.306 ±  3.142   74.343 ±  2.305      0.277
CSOAL     1309.025 ±  75.994   89.110 ±  1.285   47.167 ±  2.204      0.263
SOAL      2959.845 ± 356.434   62.586 ±  5.356   79.163 ±  4.104     13.095
SOAL-CS   2876.015 ± 370.944   63.853 ±  5.600   78.152 ±  4.478     13.736
OA3        949.855 ±   5.615   99.691 ±  0.099    3.106 ±  0.963      8.870
OA3-diag   938.795 ±   9.116   99.144 ±  0.188    8.480 ±  1.864      5.318
SOA3      1117.690 ±  38.451   95.041 ±  0.912   21.421 ±  3.461      1.360
SSOA3     1137.265 ±  45.136   94.474 ±  0.971   23.749 ±  3.238      0.944

sum on Sensorless
PAA         50.411 ±   0.487    8.049 ±  9.730   92.772 ±  8.926      0.426
OAAL        51.661 ±   0.377   39.208 ±  0.790   64.114 ±  0.683      0.441
CSOAL       50.582 ±   0.279    9.172 ±  8.983   91.993 ±  8.670      0.405
SOAL        69.381 ±   1.524   40.079 ±  3.141   98.683 ±  0.179      0.826
SOAL-CS     73.426 ±   1.118   49.253 ±  2.339   97.598 ±  0.338      0.874
OA3         87.944 ±   0.516   89.649 ±  0.973   86.238 ±  1.148      0.966
OA3-diag    86.268 ±   0.744   87.469 ±  2.042   85.067 ±  1.374      0.792
SOA3        94.067 ±   0.238   95.860 ±  0.318   92.274 ±  0.578      0.862
SSOA3       94.011 ±   0.349   95.870 ±  0.394   92.151 ±  0.747      0.920

cost on Sensorless
PAA       4789.080 ±  85.260   11.395 ± 14.573   89.707 ± 14.189      0.432
OAAL      4809.425 ±  40.441   38.309 ±  0.874   65.102 ±  0.578      0.445
CSOAL     4774.760 ±  30.883    7.069 ±  2.585   93.870 ±  1.949      0.409
SOAL      2904.685 ± 145.436   40.854 ±  3.215   98.621 ±  0.298      0.824
SOAL-CS   2555.670 ± 113.284   49.267 ±  2.570   97.612 ±  0.362      0.871
OA3       1219.940 ±  57.251   89.113 ±  0.948   86.863 ±  0.844      0.985
OA3-diag  1364.925 ±  63.246   87.365 ±  1.190   85.710 ±  1.682      0.761
SOA3       607.540 ±  34.277   95.458 ±  0.484   92.666 ±  0.823      0.863
SSOA3      605.860 ±  29.903   95.441 ±  0.472   92.713 ±  0.707      0.913

sum on w8a
PAA         74.121 ±   1.196   57.716 ±  2.564   90.526 ±  0.213      0.990
OAAL        73.919 ±   0.848   57.850 ±  1.798   89.987 ±  0.163      1.022
CSOAL       78.929 ±   0.586   68.078 ±  1.307   89.780 ±  0.159      0.976
SOAL        75.688 ±   0.531   60.476 ±  1.071   90.899 ±  0.042      3.340
SOAL-CS     80.076 ±   0.380   69.912 ±  0.781   90.241 ±  0.050      3.763
OA3         83.313 ±   0.951   84.369 ±  0.565   82.257 ±  2.365     14.118
OA3-diag    84.129 ±   0.260   83.101 ±  0.435   85.157 ±  0.742      6.691
SOA3        81.759 ±   0.455   80.864 ±  0.760   82.655 ±  1.303      4.556
SSOA3       81.803 ±   0.265   80.365 ±  0.788   83.241 ±  0.816      3.398

cost on w8a
PAA       1334.555 ±  29.329   57.512 ±  2.309   90.514 ±  0.270      0.982
OAAL      1327.965 ±  16.675   56.945 ±  1.033   90.776 ±  0.040      1.034
CSOAL     1193.555 ±  11.979   66.699 ±  0.967   90.214 ±  0.110      0.979
SOAL      1262.290 ±  17.663   60.212 ±  1.031   90.917 ±  0.028      3.458
SOAL-CS   1137.000 ±  14.635   69.268 ±  0.944   90.403 ±  0.053      3.752
OA3       1042.260 ±   7.455   79.240 ±  0.679   89.149 ±  0.194      9.002
OA3-diag  1048.075 ±   7.826   79.020 ±  0.477   89.117 ±  0.126      5.398
SOA3      1150.620 ±  10.609   76.234 ±  0.974   88.256 ±  0.266      4.364
SSOA3     1149.620 ±   8.379   76.079 ±  0.946   88.315 ±  0.273      3.332

sum on KDDCUP08
PAA         53.433 ±   4.439   48.475 ±  8.820   58.391 ±  2.286      1.065
OAAL        56.054 ±   1.589   27.006 ±  2.978   85.101 ±  1.273      1.034
CSOAL       55.891 ±   3.842   25.257 ±  8.550   86.526 ±  1.625      0.938
SOAL        53.768 ±   2.346   26.942 ±  5.182   80.594 ±  1.574      3.292
SOAL-CS     54.775 ±   2.515   28.363 ±  5.433   81.188 ±  1.693      3.468
OA3         73.189 ±   2.510   90.859 ±  2.354   55.520 ±  3.729      7.066
OA3-diag    73.598 ±   2.144   87.844 ±  1.286   59.353 ±  3.817      2.699
SOA3        74.200 ±   1.088   88.965 ±  1.810   59.434 ±  3.124      3.779
SSOA3       75.642 ±   1.560   90.971 ±  1.329   60.313 ±  3.234      3.376

cost on KDDCUP08
PAA       1863.705 ± 155.865   23.900 ±  2.803   85.866 ±  1.624      1.082
OAAL      1567.705 ±  72.265   21.701 ±  3.897   88.899 ±  0.845      1.045
CSOAL     1206.975 ±  27.689   13.756 ±  1.855   92.885 ±  0.275      0.974
SOAL      1126.580 ±  37.343    9.222 ±  0.525   93.926 ±  0.390      5.879
SOAL-CS   1129.770 ±  36.692    9.342 ±  0.543   93.888 ±  0.383      5.935
OA3        931.645 ±  60.664   35.947 ±  1.946   94.369 ±  0.507      4.467
OA3-diag   977.920 ±  13.775   38.644 ±  1.276   93.765 ±  0.119      2.708
SOA3      1063.260 ±  13.663   25.939 ±  3.965   93.627 ±  0.285      3.928
SSOA3     1056.040 ±  16.917   25.778 ±  2.852   93.706 ±  0.296      3.970
"""

_TABLE_3 = """
sum on CIFAR-10
PAA         54.271 ±   2.255   18.060 ± 15.303   90.482 ± 15.269      0.513
OAAL        63.510 ±   0.525   60.149 ±  1.977   66.872 ±  1.363      0.475
CSOAL       56.331 ±   3.485   21.552 ± 14.413   91.110 ±  8.913      0.466
SOAL        56.161 ±   0.765   18.229 ±  2.197   94.092 ±  0.863    529.586
SOAL-CS     60.133 ±   0.839   27.582 ±  1.993   92.685 ±  0.532    584.077
OA3         72.858 ±   0.561   79.393 ±  3.627   66.322 ±  3.994   1948.292
OA3-diag    64.992 ±   1.830   64.448 ±  8.104   65.535 ±  6.215    152.623
SOA3        67.959 ±   2.945   69.463 ±  8.768   66.456 ± 10.743     66.739
SSOA3       68.678 ±   2.049   70.308 ±  6.538   67.047 ±  8.636     52.126

sum on IAD
PAA         52.570 ±   3.171   14.216 ± 12.900   90.924 ±  6.777      0.064
OAAL        58.965 ±   1.420   55.123 ±  1.865   62.807 ±  2.379      0.061
CSOAL       55.783 ±   5.938   19.338 ± 13.048   92.228 ±  1.235      0.059
SOAL        74.496 ±   5.005   52.892 ± 10.550   96.099 ±  0.984     21.655
SOAL-CS     78.259 ±   0.830   63.235 ±  2.127   93.282 ±  1.162     28.633
OA3         80.398 ±   0.624   76.201 ±  3.238   84.595 ±  2.594     44.674
OA3-diag    81.359 ±   0.514   79.926 ±  2.227   82.792 ±  2.307     10.355
SOA3        81.484 ±   2.133   85.515 ±  6.608   77.453 ±  7.641      4.084
SSOA3       82.101 ±   7.677   91.005 ±  5.876   73.197 ± 19.614      3.215
"""

_SUPPLEMENT_C6 = """
cost on CIFAR-10
PAA        830.720 ±  34.970   17.313 ± 15.064   90.793 ± 15.308      0.516
OAAL       664.890 ±  15.590   58.766 ±  1.571   67.545 ±  0.997      0.472
CSOAL      778.650 ±  58.513   21.124 ±  9.960   92.749 ±  3.781      0.463
SOAL       790.440 ±  12.342   18.478 ±  1.908   94.100 ±  0.786    505.121
SOAL-CS    719.380 ±  18.485   27.920 ±  2.729   92.505 ±  0.861    556.762
OA3        489.540 ±   9.696   79.791 ±  3.050   65.898 ±  3.636   1859.225
OA3-diag   607.460 ±  39.401   62.169 ± 10.385   70.508 ±  6.869    105.221
SOA3       576.430 ±  27.359   71.433 ±  8.647   64.643 ±  8.730     66.108
SSOA3      582.720 ±  49.878   72.328 ±  8.699   63.043 ± 10.479     50.397

cost on IAD
PAA        325.320 ±  39.882   19.289 ± 19.460   85.539 ± 16.220      0.064
OAAL       241.620 ±   7.927   53.333 ±  2.513   64.905 ±  1.858      0.062
CSOAL      301.160 ±  48.723   23.088 ± 14.965   90.639 ±  5.080      0.058
SOAL       178.790 ±  38.081   53.554 ± 10.719   95.884 ±  1.130     21.788
SOAL-CS    138.270 ±   6.059   68.235 ±  1.835   89.196 ±  1.654     28.812
OA3        114.680 ±   8.430   85.270 ±  3.898   69.735 ±  5.624     45.005
OA3-diag   111.580 ±   8.055   84.118 ±  3.506   73.397 ±  5.555      6.609
SOA3       125.480 ±   8.543   97.745 ±  1.032   41.459 ±  4.996      4.409
SSOA3      125.160 ±  19.941   93.627 ±  6.757   49.171 ± 20.764      3.177
"""


def _read(*tables: str) -> dict[str, dict[str, dict[str, Row]]]:
    published: dict[str, dict[str, dict[str, Row]]] = {}
    for block in "\n".join(tables).strip().split("\n\n"):
        heading, *lines = block.strip().splitlines()
        metric, data_set = heading.split(" on ")
        rows = published.setdefault(data_set, {})[metric] = {}
        for line in lines:
            method, *cells = line.replace("±", "").split()
            *figures, seconds = map(float, cells)
            score, sensitivity, specificity = map(Figure, figures[::2], figures[1::2])
            rows[method] = Row(score, sensitivity, specificity, seconds)
    return published


# By data set, then by metric, "sum" or "cost", then by method.
PUBLISHED = _read(_TABLE_2, _TABLE_3, _SUPPLEMENT_C6)
