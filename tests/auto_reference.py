"""AutoOA3 written plainly, with dicts and floats: the twin of the compiled learner.

It is written for reading, one function per idea, in the order in which an event meets them: read,
scale, judge, observe, learn, ask. Constants have the names of `auto_constants.pxd`.
"""

from __future__ import annotations

import math
import typing

PRIOR, CLIP, DENSE, FAR = 3.0, 4.0, 0.5, 4.0
OUTLIER, BLOCK_START, BLOCK_SHARE = 8.0, 64, 0.75
BIN_VALUE, BIN_START = 0.7, 5
EDGES = [-1.1503493803760079, -0.6744897501960817, -0.31863936396437526, 0.0]
EDGES += [-edge for edge in reversed(EDGES[:-1])]
MISSING_BIN = 8
LARGEST, SMALLEST, ROUNDING = 1e150, 1e-280, 1e-20
SCALE_WINDOW, P_WINDOW, K_WINDOW, SCORE_WINDOW, WEIGHT_WINDOW = 4000, 100, 300, 200, 100
TEMPERATURE, ENOUGH, PSEUDO, IMPORTANCE = 100, 5, 0.5, 3.0
FORGETTING, LINE_FORGETTING, LEAST = 0.01, 0.002, 3e-12
SURPRISE, SURPRISE_SLOPE = 0.5, 1.5
EVIDENCE_LABELS, EVIDENCE_CAP, EVIDENCE_SWITCH, EVIDENCE_EVENTS = 50, 3.0, 0.2, 500
SLOW, FAST = SIDES = 0, 1
REMEMBERED, REPEATS, FIRST_REPEAT, MANY_LABELS = 100, 10, 10, 300
FIRST_RATE = 0.3
KNOTS = [i / 10 for i in range(11)]
KNOT_PRIOR, LOG_ODDS, LARGEST_WEIGHT = 3.0, 20.0, 10.0


def clip(value, limit):
    return max(-limit, min(limit, value))


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def implicit_step(ym, v, w):
    """The root of a = w sigmoid(-(ym + a v)): by halves, then polished by Newton's method."""
    low, high = 0.0, w
    for _ in range(60):
        a = (low + high) / 2
        low, high = (low, a) if a > w * sigmoid(-(ym + a * v)) else (a, high)
    for _ in range(4):
        s = sigmoid(-(ym + a * v))
        a -= (a - w * s) / (1 + w * s * (1 - s) * v)
    return a


def read(x):
    """Features of an event: categories by name and text; 0 is not there, NaN is missing."""
    event = {}
    for name, value in x.items():
        if isinstance(value, str):
            event["category", name, value] = 1.0
        elif value is None or math.isnan(value):
            event["number", name] = math.nan
        elif value != 0:
            event["number", name] = clip(float(value), LARGEST)
    return event


def logistic_loss(ym):
    return math.log1p(math.exp(-abs(ym))) + max(0.0, -ym)


class Gaussian:
    def __init__(self):
        self.mu, self.sigma = 0.0, PRIOR

    def forget(self, share):
        """Variance grows toward the prior's."""
        self.sigma += share * self.sigma * (1 - self.sigma / PRIOR)

    def forget_mean(self, share):
        """Precision, and precision times mean, decay toward the prior's."""
        known = (1 - share) * self.mu / self.sigma
        self.sigma = 1 / ((1 - share) / self.sigma + share / PRIOR)
        self.mu = known * self.sigma


class Weight:
    """What the slow and the fast learner believe of it."""

    def __init__(self):
        self.of = [Gaussian(), Gaussian()]


class Moments(typing.NamedTuple):
    """Of the values of a feature: how many there were, their mean and their variance."""

    n: float = 0.0
    mean: float = 0.0
    var: float = 0.0

    def counted(self, value):
        n, gap = self.n + 1, value - self.mean
        # Times 1 / n, as the core does: which bin a value is in may be a matter of rounding.
        mean = self.mean + gap * (1 / n)
        return Moments(n, mean, self.var + (gap * (value - mean) - self.var) * (1 / n))


class Seen(typing.NamedTuple):
    """Moments of a feature's values, those of its newest block, and how often it was missing."""

    all: Moments
    block: Moments
    gaps: float = 0.0

    def counted(self, value):
        """With one more value."""
        if math.isnan(value):
            return self._replace(gaps=self.gaps + 1)
        if value == 0:
            return self
        if self.all.n >= 2:
            value = self.drawn_in(value)
        seen = Seen(self.all.counted(value), self.block.counted(value), self.gaps)
        long_enough = min(max(BLOCK_START, BLOCK_SHARE * seen.all.n), SCALE_WINDOW)
        if seen.block.n < long_enough:
            return seen
        _, mean, var = seen.block
        return Seen(Moments(seen.all.n, mean, var), Moments(), self.gaps)

    def drawn_in(self, value):
        """A wild value counts as one that lies a few deviations away."""
        _, mean, var = self.all
        square = var if var > ROUNDING * mean**2 + SMALLEST else mean**2
        if (value - mean) ** 2 <= OUTLIER**2 * square:
            return value
        return mean + math.copysign(OUTLIER * math.sqrt(square), value - mean)


class Feature:
    """What was seen of its values; its weights."""

    def __init__(self, value):
        self.seen = Seen(Moments(1.0, value), Moments(1.0, value))
        self.weight, self.bins = Weight(), None


def rarity(n, t):
    return 1 + math.log(DENSE * t / n)


def sparse_value(n, mean, var, value, t):
    square = var + mean**2
    if square < SMALLEST:
        return 0.0
    return clip(value / math.sqrt(square), CLIP) * math.sqrt(rarity(n, t))


def dense_value(seen, value, t):
    """The standardised value, and its bin or None."""
    (n, mean, var), there = seen.all, t - seen.gaps
    share, square = n / there if there > n else 1.0, mean * mean
    is_flag = var <= ROUNDING * square + SMALLEST
    zeros_are_gaps = not is_flag and share < 1 and FAR**2 * var < square
    is_gap = math.isnan(value) or (zeros_are_gaps and value == 0)
    if not zeros_are_gaps:
        mean, var = share * mean, share * (var + square * (1 - share))
    is_constant = var <= ROUNDING * mean**2 + SMALLEST
    z = 0.0 if is_gap or is_constant else clip((value - mean) / math.sqrt(var), CLIP)
    if n < BIN_START or is_flag:
        return z, None
    return z, MISSING_BIN if is_gap else sum(z > edge for edge in EDGES)


class Calibration:
    """A line on the log odds, and what it leaves over at eleven knots."""

    def __init__(self):
        self.slope = self.shift = 0.0
        self.precision = [0.0, 0.0, 0.0]  # of slope, both, shift, beyond the prior's
        self.weight_mean, self.weight_count = 0.0, 0
        self.weights, self.residuals = [0.0] * 11, [0.0] * 11

    def line(self, log_odds):
        return sigmoid(max(0.1, 1 + self.slope) * clip(log_odds, LOG_ODDS) + self.shift)

    def levels(self):
        """The probability at each knot, neighbours that are out of order pooled."""
        pools = []
        for i, knot in enumerate(KNOTS):
            size = self.weights[i] + KNOT_PRIOR
            pools.append([knot + self.residuals[i] / size, size, 1])
            while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
                one, other = pools[-2], pools.pop()
                one[0] = (one[0] * one[1] + other[0] * other[1]) / (one[1] + other[1])
                one[1], one[2] = one[1] + other[1], one[2] + other[2]
        return [level for level, _, n in pools for _ in range(n)]

    def probability(self, log_odds):
        p, levels = self.line(log_odds), self.levels()
        knot = min(int(10 * p), 9)
        part = 10 * p - knot
        return clip((1 - part) * levels[knot] + part * levels[knot + 1] - 0.5, 0.5) + 0.5

    def learn(self, log_odds, y, w):
        self.weight_count = min(self.weight_count + 1, WEIGHT_WINDOW)
        self.weight_mean += (w - self.weight_mean) / self.weight_count
        w = min(w / self.weight_mean, LARGEST_WEIGHT)
        log_odds, p = clip(log_odds, LOG_ODDS), self.line(log_odds)
        knot = min(int(10 * p), 9)
        for i, part in ((knot, knot + 1 - 10 * p), (knot + 1, 10 * p - knot)):
            self.weights[i] += w * part
            self.residuals[i] += w * part * (y - p)
        a, b, c = ((1 - LINE_FORGETTING) * known for known in self.precision)
        det = (a + 1) * (c + 1 / 4) - b * b
        along, across = ((c + 1 / 4) * log_odds - b) / det, (a + 1 - b * log_odds) / det
        sign = 1 if y else -1
        score = (1 + self.slope) * log_odds + self.shift
        step = sign * implicit_step(sign * score, along * log_odds + across, w)
        self.slope, self.shift = self.slope + step * along, self.shift + step * across
        p = sigmoid((1 + self.slope) * log_odds + self.shift)
        h = w * p * (1 - p)
        self.precision = [a + h * log_odds**2, b + h * log_odds, c + h]


class Threshold:
    """The log odds at the boundary, from the mean probability of all events."""

    def __init__(self):
        self.p_mean, self.k_mean = [0.0, 0.0], 0.0
        self.p_count = self.k_count = 0
        self.hits = self.misses = 0.0
        self.log_odds = [0.0, 0.0]

    def note_event(self, p, leader, positive, price_fn, price_fp):
        self.p_count = min(self.p_count + 1, P_WINDOW)
        self.k_count = min(self.k_count + 1, K_WINDOW)
        for side in SIDES:
            self.p_mean[side] += (p[side] - self.p_mean[side]) / self.p_count
        self.k_mean += (positive - self.k_mean) / self.k_count
        missed = price_fn * (self.misses + PSEUDO) / (self.hits + self.misses + 2 * PSEUDO)
        alarms = price_fp * max(0.0, self.k_mean - self.p_mean[leader])
        pull = max(0.0, (alarms - missed) / (alarms + missed)) if alarms else 0.0
        for side in SIDES:
            mean = (self.p_mean[side] * self.p_count + 0.5) / (self.p_count + 1)
            self.log_odds[side] = (1 - pull) * math.log(mean / (1 - mean))

    def note_positive(self, predicted, importance):
        self.hits *= 1 - FORGETTING
        self.misses *= 1 - FORGETTING
        if predicted:
            self.hits += min(importance, IMPORTANCE)
        else:
            self.misses += min(importance, IMPORTANCE)


class Row:
    """An event in standardised form: pairs (weight, z), and what new features add to variances."""

    def __init__(self, parts, unknown=0.0):
        self.parts, self.unknown = parts, unknown

    def m(self, side):
        return math.fsum(weight.of[side].mu * z for weight, z in self.parts)

    def v(self, side):
        return self.unknown + math.fsum(weight.of[side].sigma * z * z for weight, z in self.parts)


class Auto:
    def __init__(self, price_fn=0.5, price_fp=0.5, knows_odds=False):
        self.price_fn, self.price_fp, self.knows_odds = price_fn, price_fp, knows_odds
        self.offset = clip(math.log(max(price_fp, 1e-300) / max(price_fn, 1e-300)), 600)
        self.t, self.squares = 0.0, 0.0
        self.features, self.intercept = {}, Weight()
        self.labels = {True: 0, False: 0}
        self.fast_labels, self.evidence, self.leader = 0.0, 0.0, SLOW
        self.clock = self.last_label = 0
        self.threshold, self.calibration = Threshold(), Calibration()
        self.memory, self.n_remembered, self.turn = [], 0, 0

    # Judging changes nothing.

    def scaled(self, event, is_counted):
        """Parts of the event as a row, their squared length, and how many features are new."""
        t = self.t + (not is_counted)
        parts = []
        for name, feature in self.features.items():
            value = event.get(name, 0.0)
            seen = feature.seen if is_counted else feature.seen.counted(value)
            if seen.all.n > DENSE * t:
                z, bin_ = dense_value(seen, value, t)
                parts.append((feature.weight, z))
                if bin_ is not None:
                    parts.append(((feature.bins or [Weight()] * 9)[bin_], BIN_VALUE))
            elif value and not math.isnan(value):
                parts.append((feature.weight, sparse_value(*seen.all, value, t)))
        newcomers = [
            name for name in event.keys() - self.features.keys() if not math.isnan(event[name])
        ]
        new = 0 if t == 1 else len(newcomers) * rarity(1, t)
        return parts, math.fsum(z * z for _, z in parts) + new, new

    def row(self, event, is_counted=False):
        parts, length, new = self.scaled(event, is_counted)
        t, squares = (self.t, self.squares) if is_counted else (self.t + 1, self.squares + length)
        scale = math.sqrt(t / squares) if squares else 0.0
        parts = [(self.intercept, 1.0), *((weight, scale * z) for weight, z in parts if z)]
        return Row(parts, PRIOR * new * scale**2)

    def tau(self, side):
        labels = self.fast_labels if side == FAST else sum(self.labels.values())
        return 1 + 1 / math.sqrt(1 + labels / TEMPERATURE)

    def log_odds(self, row, side):
        return self.tau(side) * row.m(side) / math.sqrt(1 + math.pi / 8 * row.v(side))

    def row_margin(self, row, side):
        if not any(self.labels.values()):
            return -1.0
        boundary = self.offset + (0.0 if self.knows_odds else self.threshold.log_odds[side])
        return (self.log_odds(row, side) - boundary) / self.tau(side)

    # Of the two learners, the leader answers, unless its lead is too old.

    def speaker(self, is_counted=False):
        is_old = self.clock + (not is_counted) - self.last_label > EVIDENCE_EVENTS
        return SLOW if is_old else self.leader

    def margin(self, x):
        return self.row_margin(self.row(read(x)), self.speaker())

    def variance(self, x):
        return self.row(read(x)).v(self.speaker())

    def worth(self, x, is_counted=False):
        """How much the label of an event is worth, observed before or not."""
        row, speaker = self.row(read(x), is_counted), self.speaker(is_counted)
        margins = self.row_margin(row, speaker), self.row_margin(row, 1 - speaker)
        return score(*margins, row.v(speaker), self.missing)

    def probability(self, x):
        return self.calibration.probability(self.log_odds(self.row(read(x)), self.speaker()))

    @property
    def weights(self):
        return {name[1:]: known.weight.of[self.leader].mu for name, known in self.features.items()}

    # Observing

    def observe(self, x):
        event = read(x)
        row, speaker = self.row(event), self.speaker()
        _, length, _ = self.scaled(event, is_counted=False)
        positive = self.row_margin(row, speaker) >= 0
        if speaker != self.leader:
            self.leader, self.evidence = speaker, 0.0
        self.clock += 1
        p = [sigmoid(self.log_odds(row, side)) for side in SIDES]
        self.t += 1
        self.squares += length
        for name, value in event.items():
            self.count(name, value)
        if all(self.labels.values()) or sum(self.labels.values()) >= ENOUGH:
            self.threshold.note_event(p, self.leader, positive, self.price_fn, self.price_fp)
        if self.t >= 2 * SCALE_WINDOW:
            self.halve()

    def count(self, name, value):
        if name not in self.features:
            if not math.isnan(value):
                self.features[name] = Feature(value)
            return
        feature = self.features[name]
        feature.seen = feature.seen.counted(value)
        if feature.bins is not None or math.isnan(value) or feature.seen.all.n <= DENSE * self.t:
            return
        if dense_value(feature.seen, value, self.t)[1] is not None:
            feature.bins = [Weight() for _ in range(9)]

    def halve(self):
        self.t, self.squares = self.t / 2, self.squares / 2
        for feature in self.features.values():
            moments, block, gaps = feature.seen
            feature.seen = Seen(moments._replace(n=moments.n / 2), block, gaps / 2)

    # Learning

    def learn(self, x, y, w=1.0, importance=1.0, is_observed=False):
        if not is_observed:
            self.observe(x)
        if not w:
            return
        row = self.row(read(x), is_counted=True)
        sign, margins = 1 if y else -1, [self.row_margin(row, side) for side in SIDES]
        surprises = [sign * self.tau(side) * margins[side] for side in SIDES]
        speaker = self.speaker(is_counted=True)
        self.calibration.learn(self.log_odds(row, speaker), y, w * importance)
        if y:
            self.threshold.note_positive(margins[speaker] >= 0, importance)
        self.labels[y] += 1
        self.last_label = self.clock
        self.fast_labels += 1
        # A label of the class with more of them says less.
        ratio = min(1.0, (self.labels[not y] + 1) / self.labels[y])
        if sum(self.labels.values()) > 1:
            self.weigh_evidence(surprises, ratio)
        if all(self.labels.values()):
            self.forget_surprised(row, surprises[FAST], ratio)
        self.step(row, FAST, sign, w)
        self.remember([row, sign, w, self.step(row, SLOW, sign, w)])
        self.go_over_again()

    def weigh_evidence(self, surprises, ratio):
        """The fast learner answers while it is ahead on the newest labels."""
        ahead = logistic_loss(surprises[SLOW]) - logistic_loss(surprises[FAST])
        self.evidence *= 1 - 1 / EVIDENCE_LABELS
        self.evidence += ratio * clip(ahead, EVIDENCE_CAP)
        if self.evidence > EVIDENCE_SWITCH:
            self.leader = FAST
        elif self.evidence < 0:
            self.leader = SLOW

    def forget_surprised(self, row, surprise, ratio):
        share = SURPRISE * math.sqrt(ratio) * (2 * sigmoid(-SURPRISE_SLOPE * surprise) - 1)
        if share > 0:
            self.fast_labels *= 1 - share
            for weight, _ in row.parts:
                weight.of[FAST].forget_mean(share)

    def step(self, row, side, sign, w):
        m, share = row.m(side), FORGETTING
        if side == SLOW:
            share = max(0.1 * share, min(share, 1 / (1 + sum(self.labels.values()))))
        for weight, _ in row.parts:
            weight.of[side].forget(share)
        v = row.v(side)
        step = implicit_step(sign * m, v, w)
        p = sigmoid(sign * m + step * v)
        for weight, z in row.parts:
            known = weight.of[side]
            known.mu += sign * step * known.sigma * z
            known.sigma = max(LEAST, known.sigma / (1 + w * p * (1 - p) * z * z * known.sigma))
        return step

    def remember(self, lesson):
        place = self.n_remembered % REMEMBERED
        self.memory[place : place + 1] = [lesson]
        self.n_remembered += 1

    def go_over_again(self):
        n = sum(self.labels.values())
        if n < FIRST_REPEAT:
            return
        for _ in range(REPEATS if n <= MANY_LABELS else REPEATS * MANY_LABELS // n):
            self.turn = (self.turn + 1) % len(self.memory)
            self.repeat(self.memory[self.turn])

    def repeat(self, lesson):
        """Set right how far a row has moved the weights, given all that was learned since."""
        row, sign, w, before = lesson
        m, v = row.m(SLOW), row.v(SLOW)
        lesson[3] = implicit_step(sign * m - before * v, v, w)
        for weight, z in row.parts:
            known = weight.of[SLOW]
            known.mu += sign * (lesson[3] - before) * known.sigma * z

    # Asking

    @property
    def missing(self):
        """The class that has not been learned: 1, -1, 2 for both, 0 for neither."""
        if not self.labels[True]:
            return 1 if self.labels[False] else 2
        return 0 if self.labels[False] else -1


def nearness(margin, v):
    q = 6 * margin / math.sqrt((1 + v) / (1 + math.pi / 8 * v))
    return (10 if margin >= 0 else 1) / (1 + q * q)


def score(margin, second_margin, v, missing):
    """How much a label is worth; the second margin is that of the learner that does not lead."""
    if missing == 2:
        return v
    if missing:
        return v * math.exp(min(20.0, 3 * missing * margin))
    return 0.5 * (nearness(margin, v) + nearness(second_margin, v))


class Adaptive:
    """The running mean of scores, and the probability of asking relative to it."""

    def __init__(self):
        self.mean, self.count = 0.0, 0

    def next_mean(self, worth):
        return self.mean + (worth - self.mean) / min(self.count + 1, SCORE_WINDOW)

    def ask(self, worth, missing, rate, floor):
        self.mean = self.next_mean(worth)
        self.count = min(self.count + 1, SCORE_WINDOW)
        return self.chance(worth, missing, rate, floor)

    def chance(self, worth, missing, rate, floor):
        if missing == 2:  # nothing to choose by before the first label
            rate = max(rate, FIRST_RATE)
        relative = worth / self.mean if self.mean > 0 else 1.0
        return min(1.0, rate * (floor + (1 - floor) * relative))
