"""The paper's algorithms 1 to 11, and its rivals, written plainly in NumPy over dense vectors.

It is the twin that the compiled core is tested against, and it is written for reading. Algorithm
and equation numbers are those of "Online Adaptive Asymmetric Active Learning with Limited Budgets"
(Zhang et al., TKDE 2019), the supplement's algorithms counted on. What the paper leaves open is
said where it is settled: features come as they come, and are numbered in the order first learned.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np

Event = Mapping[Hashable, float]
Column = Callable[[Hashable], np.ndarray]


class Learner:
    """What all share: the feature numbering, the loss and the confidence.

    A subclass has `mu` and `covariance()` over the known features and says in `update` what a
    label does. Outside the known features mu is 0 and Sigma the identity.
    """

    def __init__(self, eta: float, gamma: float, rho: float) -> None:
        self.eta = eta
        self.gamma = gamma
        self.rho = rho
        self.names: list[Hashable] = []

    @property
    def weights(self) -> dict[Hashable, float]:
        return dict(zip(self.names, self.mu.tolist(), strict=True))

    def dense(self, x: Event) -> np.ndarray:
        return np.array([float(x.get(name, 0.0)) for name in self.names])

    def margin(self, x: Event) -> float:
        return float(self.mu @ self.dense(x))

    def variance(self, x: Event) -> float:
        known = self.dense(x)
        unseen = sum(value**2 for name, value in x.items() if name not in self.names)
        return max(0.0, float(known @ self.covariance() @ known + unseen))

    def confidence(self, x: Event) -> float:
        """Equation 10, in the form without a division by v."""
        v = self.variance(x)
        return -0.5 * self.eta * max(1.0, self.rho) * v * self.gamma / (v + self.gamma)

    def learn(self, x: Event, y: bool, w: float = 1.0) -> None:
        x = {name: value for name, value in x.items() if value != 0}
        if not x or w == 0:
            return
        self.update(x, self.step(x, y, w))

    def step(self, x: Event, y: bool, w: float) -> float:
        """How far along `x` the label moves mu before Sigma: 0 where there is no loss."""
        sign, rho_t = (1.0, self.rho) if y else (-1.0, 1.0)
        has_loss = sign * self.margin(x) < 1  # equation 4
        return self.eta * w * rho_t * sign if has_loss else 0.0

    def enter(self, x: Event) -> list[Hashable]:
        """Number the features of `x` met for the first time, and return them."""
        new = [name for name in x if name not in self.names]
        self.names += new
        return new

    def covariance(self) -> np.ndarray:
        raise NotImplementedError

    def update(self, x: Event, step: float) -> None:
        """Learn from `x`, where `-eta g = step * x`: `step` is 0 where there is no loss."""
        raise NotImplementedError


class OA3(Learner):
    """Algorithm 2, Update."""

    def __init__(self, eta: float, gamma: float, rho: float) -> None:
        super().__init__(eta, gamma, rho)
        self.mu = np.zeros(0)
        self.Sigma = np.zeros((0, 0))

    def covariance(self) -> np.ndarray:
        return self.Sigma

    def enter(self, x: Event) -> list[Hashable]:
        known = len(self.names)
        new = super().enter(x)
        self.mu = np.append(self.mu, np.zeros(len(new)))
        Sigma = np.eye(len(self.names))
        Sigma[:known, :known] = self.Sigma
        self.Sigma = Sigma
        return new

    def update(self, x: Event, step: float) -> None:
        if step == 0:
            return
        self.enter(x)
        x = self.dense(x)
        Sigma_x = self.Sigma @ x
        self.Sigma = self.Sigma - np.outer(Sigma_x, Sigma_x) / (self.gamma + x @ Sigma_x)  # eq. 8
        self.mu = self.mu + step * self.Sigma @ x  # eq. 9


class OA3Diagonal(Learner):
    """Algorithm 8, DiagUpdate."""

    def __init__(self, eta: float, gamma: float, rho: float) -> None:
        super().__init__(eta, gamma, rho)
        self.mu = np.zeros(0)
        self.sigma = np.zeros(0)

    def covariance(self) -> np.ndarray:
        return np.diag(self.sigma)

    def enter(self, x: Event) -> list[Hashable]:
        new = super().enter(x)
        self.mu = np.append(self.mu, np.zeros(len(new)))
        self.sigma = np.append(self.sigma, np.ones(len(new)))
        return new

    def update(self, x: Event, step: float) -> None:
        if step == 0:
            return
        self.enter(x)
        x = self.dense(x)
        self.sigma = self.sigma - (self.sigma * x) ** 2 / (self.gamma + x * self.sigma * x)
        self.mu = self.mu + step * self.sigma * x


def gram_schmidt(rows: np.ndarray, A: np.ndarray) -> None:
    """Orthonormalise `rows` in order and in place; `A` takes part in every row operation.

    Rows of Gaussian origin are independent as long as there are no more of them than columns, so
    that those beyond are zero. They keep their row of A, and with it what they have to say about
    features yet to come.
    """
    d = rows.shape[1]
    for i in range(len(rows)):
        for _ in range(2):  # once leaves rounding errors, twice is enough
            along = rows[:i] @ rows[i]
            rows[i] -= along @ rows[:i]
            A[i] -= along @ A[:i]
        if i < d:
            length = np.linalg.norm(rows[i])
            rows[i] /= length
            A[i] /= length
        else:
            rows[i] = 0.0


class Sketched(Learner):
    """What the two sketches share: Sigma = I - V' diag(t Lambda / (1 + t Lambda)) V.

    By definition V is the Gram-Schmidt of G prod(I + xh xh' / t) in the columns of the features
    known so far, where G is infinitely wide and `column(name)` is a feature's column of it. That
    product overflows. So the rows kept are A times it, A being lower triangular, which Gram-Schmidt
    does not notice; and A times its column of G is how a feature enters.
    """

    def __init__(
        self, eta: float, gamma: float, rho: float, sketch_size: int, column: Column
    ) -> None:
        super().__init__(eta, gamma, rho)
        self.column = column
        self.t = 0
        self.Lambda = np.zeros(sketch_size)
        self.A = np.eye(sketch_size)

    def shrinkage(self) -> np.ndarray:
        """The diagonal of t Lambda H (equation 17)."""
        return self.t * self.Lambda / (1 + self.t * self.Lambda)

    def covariance(self) -> np.ndarray:
        """Equation 13."""
        return np.eye(len(self.names)) - self.V.T @ np.diag(self.shrinkage()) @ self.V

    def columns(self, names: Iterable[Hashable]) -> np.ndarray:
        return self.A @ np.column_stack([self.column(name) for name in names])


class SOA3(Sketched):
    """Algorithms 4 and 5."""

    def __init__(
        self, eta: float, gamma: float, rho: float, sketch_size: int, column: Column
    ) -> None:
        super().__init__(eta, gamma, rho, sketch_size, column)
        self.mu = np.zeros(0)
        self.V = np.zeros((sketch_size, 0))

    def enter(self, x: Event) -> list[Hashable]:
        new = super().enter(x)
        if new:
            self.mu = np.append(self.mu, np.zeros(len(new)))
            self.V = np.hstack([self.V, self.columns(new)])
            gram_schmidt(self.V, self.A)
        return new

    def update(self, x: Event, step: float) -> None:
        self.enter(x)
        x = self.dense(x)
        self.sketch(x / np.sqrt(self.gamma))
        Vx = self.V @ x
        self.mu = self.mu + step * (x - self.V.T @ (self.shrinkage() * Vx))  # eq. 14

    def sketch(self, xh: np.ndarray) -> None:
        """SketchUpdate, also where there is no loss."""
        self.t += 1
        Vx = self.V @ xh
        self.Lambda = (1 - 1 / self.t) * self.Lambda + (1 / self.t) * Vx**2  # eq. 15
        self.V = self.V + (1 / self.t) * np.outer(Vx, xh)  # eq. 16
        gram_schmidt(self.V, self.A)


def decompose(F: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Algorithm 11: Q, the Gram-Schmidt of F's rows in the inner product a'Kb.

    The paper deletes a row of no length. Here it stays as it is: it is zero in V = Q U all the
    same, and a later feature may give it a length.
    """
    Q = np.zeros_like(F)
    for i, f in enumerate(F):
        beta = f - Q.T @ (Q @ K @ f)
        c = np.sqrt(beta @ K @ beta)
        Q[i] = beta / c if c != 0 else f
    return Q


class SSOA3(Sketched):
    """Algorithms 7 and 10: SOA3 with V = F U and mu = mu_bar + U'b."""

    def __init__(
        self, eta: float, gamma: float, rho: float, sketch_size: int, column: Column
    ) -> None:
        super().__init__(eta, gamma, rho, sketch_size, column)
        self.mu_bar = np.zeros(0)
        self.b = np.zeros(sketch_size)
        self.U = np.zeros((sketch_size, 0))
        self.F = np.eye(sketch_size)
        self.K = np.zeros((sketch_size, sketch_size))
        self.anchors = 0

    @property
    def V(self) -> np.ndarray:
        return self.F @ self.U

    @property
    def mu(self) -> np.ndarray:
        return self.mu_bar + self.U.T @ self.b

    def enter(self, x: Event) -> list[Hashable]:
        rank_grows = len(self.names) < len(self.U)
        new = super().enter(x)
        if not new:
            return new
        if rank_grows:
            self.anchor(self.mu)
        u = self.columns(new)
        self.U = np.hstack([self.U, u])
        self.mu_bar = np.append(self.mu_bar, -u.T @ self.b)  # so that the new weights are 0
        self.K = self.K + u @ u.T
        if rank_grows:
            self.anchor(self.mu)
        else:
            self.F = decompose(self.F, self.K)
        return new

    def update(self, x: Event, step: float) -> None:
        self.enter(x)
        x = self.dense(x)
        xh = x / np.sqrt(self.gamma)
        mu = self.mu
        delta = self.sparse_sketch(xh)
        if self.is_ill_conditioned():
            self.anchor(mu)
        else:
            # The paper moves mu_bar only where there is a loss; U has moved, so mu needs it always.
            self.mu_bar = self.mu_bar - xh * (delta @ self.b)
            self.F = decompose(self.F, self.K)
        FUx = self.F @ (self.U @ x)
        self.mu_bar = self.mu_bar + step * x
        self.b = self.b - step * self.F.T @ (self.shrinkage() * FUx)

    def sparse_sketch(self, xh: np.ndarray) -> np.ndarray:
        """SparseSketchUpdate but for F; the steps are all 1/t, so delta needs no inverse of F."""
        self.t += 1
        Ux = self.U @ xh
        self.Lambda = (1 - 1 / self.t) * self.Lambda + (1 / self.t) * (self.F @ Ux) ** 2
        delta = Ux / self.t
        self.K = (
            self.K + np.outer(Ux, delta) + np.outer(delta, Ux) + (xh @ xh) * np.outer(delta, delta)
        )
        self.U = self.U + np.outer(delta, xh)
        return delta

    def is_ill_conditioned(self) -> bool:
        """Whether F or the split of mu is about to lose its digits; U would overflow much later.

        K times |F|^2 shows how far apart the rows of U have grown, which is what F suffers from.
        K alone shows how far they have grown together, which is what mu_bar + U'b suffers from.
        """
        return bool(self.K.diagonal().max() * max(1.0, np.abs(self.F).max() ** 2) > 1e3)

    def anchor(self, mu: np.ndarray) -> None:
        """Start again from U = V and b = 0."""
        self.anchors += 1
        self.mu_bar = mu
        self.b = np.zeros_like(self.b)
        self.U, self.A = self.F @ self.U, self.F @ self.A
        gram_schmidt(self.U, self.A)
        self.K = self.U @ self.U.T
        self.F = decompose(np.eye(len(self.U)), self.K)


class FirstOrder(Learner):
    """What the first-order rivals share: mu, and no opinion of how sure it is."""

    def __init__(self, eta: float, rho: float = 1.0) -> None:
        super().__init__(eta, gamma=1.0, rho=rho)
        self.mu = np.zeros(0)

    def confidence(self, x: Event) -> float:
        return 0.0

    def enter(self, x: Event) -> list[Hashable]:
        new = super().enter(x)
        self.mu = np.append(self.mu, np.zeros(len(new)))
        return new

    def update(self, x: Event, step: float) -> None:
        if step == 0:
            return
        self.enter(x)
        self.mu = self.mu + step * self.dense(x)


class PassiveAggressive(FirstOrder):
    """PAA's update: PA, PA-I and PA-II of "Online Passive-Aggressive Algorithms", figure 1.

    C is the price of a loss, so that the weight of an event multiplies it. PA's is infinite.
    """

    def __init__(self, C: float, mode: int) -> None:
        super().__init__(eta=C)
        self.mode = mode

    def step(self, x: Event, y: bool, w: float) -> float:
        sign = 1.0 if y else -1.0
        C = self.eta * w
        loss = max(0.0, 1 - sign * self.margin(x))
        squares = sum(value**2 for value in x.values())
        if self.mode == 0:
            return sign * loss / squares
        if self.mode == 1:
            return sign * min(C, loss / squares)
        return sign * loss / (squares + 1 / (2 * C))


class Perceptron(FirstOrder):
    """OAAL's update. A margin of 0 is on the positive side."""

    def step(self, x: Event, y: bool, w: float) -> float:
        sign = 1.0 if y else -1.0
        is_mistake = y != (self.margin(x) >= 0)
        return self.eta * w * sign if is_mistake else 0.0


class CostSensitive(FirstOrder):
    """CSOAL's update: the gradient of rho_t max(0, 1 - y p), or of max(0, rho_t - y p)."""

    def __init__(self, eta: float, rho: float, loss: str) -> None:
        super().__init__(eta, rho)
        self.loss = loss

    def step(self, x: Event, y: bool, w: float) -> float:
        sign, rho_t = (1.0, self.rho) if y else (-1.0, 1.0)
        slope, wanted = {"slope": (rho_t, 1.0), "margin": (1.0, rho_t)}[self.loss]
        has_loss = sign * self.margin(x) < wanted
        return self.eta * w * slope * sign if has_loss else 0.0


def ask_probability(margin: float, confidence: float, delta_pos: float, delta_neg: float) -> float:
    """Algorithms 3, 6 and 9: the probability with which the label is asked."""
    q = max(0.0, abs(margin) + confidence)  # eq. 11
    delta = delta_pos if margin >= 0 else delta_neg
    return delta / (delta + q)


def active_loop(
    learner: Learner,
    events: Iterable[tuple[Event, bool]],
    uniforms: Sequence[float],
    delta_pos: float,
    delta_neg: float,
    budget: int,
) -> tuple[list[float], list[bool], int]:
    """Algorithm 1: every margin, every decision, and how many uniforms were used.

    A uniform is used only where chance decides. An event without a value is never asked.
    """

    def chance(x: Event, margin: float) -> float | None:
        confidence = learner.confidence(x)
        if abs(margin) + confidence <= 0:
            return None
        return ask_probability(margin, confidence, delta_pos, delta_neg)

    return _loop(learner, events, uniforms, chance, budget)


def fixed_loop(
    learner: Learner,
    events: Iterable[tuple[Event, bool]],
    uniforms: Sequence[float],
    probability: float,
    budget: int,
) -> tuple[list[float], list[bool], int]:
    """Algorithm 1 with the rules of OA3-R, and of OA3-F at a probability of 1."""
    chance = None if probability == 1 else probability
    return _loop(learner, events, uniforms, lambda x, margin: chance, budget)


def _loop(
    learner: Learner,
    events: Iterable[tuple[Event, bool]],
    uniforms: Sequence[float],
    chance: Callable[[Event, float], float | None],
    budget: int,
) -> tuple[list[float], list[bool], int]:
    """`chance` gives the probability of asking, or None where nothing is left to chance."""
    margins, decisions, used, spent = [], [], 0, 0
    for x, y in events:
        margin = learner.margin(x)
        ask = spent < budget and any(x.values())
        if ask:
            probability = chance(x, margin)
            if probability is not None:
                ask = uniforms[used] <= probability
                used += 1
        if ask:
            spent += 1
            learner.learn(x, y)
        margins.append(margin)
        decisions.append(ask)
    return margins, decisions, used
