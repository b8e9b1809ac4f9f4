"""The sketches of the plain twin agree with each other and with their definition."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from reference import SOA3, SSOA3
from streams import emerging


def column(sketch_size):
    def column(name):
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return rng.standard_normal(sketch_size)

    return column


@pytest.mark.parametrize("scale", [0.01, 1.0, 10.0, 100.0])
def test_ssoa3_is_soa3_in_other_coordinates(scale):
    parameters = {"eta": 0.1, "gamma": 0.5, "rho": 3.0, "sketch_size": 5, "column": column(5)}
    learners = SOA3(**parameters), SSOA3(**parameters)
    margins = []
    for x, y in emerging(1000, scale=scale, last=100):
        margins.append([learner.margin(x) for learner in learners])
        for learner in learners:
            learner.learn(x, y)
    soa3, ssoa3 = np.transpose(margins)
    assert np.abs(ssoa3 - soa3).max() < 1e-9 * np.abs(soa3).max()


@pytest.mark.parametrize("learner_class", [SOA3, SSOA3])
@pytest.mark.parametrize("sketch_size", [1, 3, 6])
def test_basis_is_gram_schmidt_of_the_raw_product(learner_class, sketch_size):
    gamma = 0.7
    learner = learner_class(
        eta=0.1, gamma=gamma, rho=1.0, sketch_size=sketch_size, column=column(sketch_size)
    )
    stream = emerging(20, first=1, last=9)
    for x, y in stream:
        learner.learn(x, y)
    U = np.column_stack([column(sketch_size)(name) for name in learner.names])
    for t, (x, _) in enumerate(stream, start=1):
        xh = learner.dense(x) / np.sqrt(gamma)
        U = U @ (np.eye(len(xh)) + np.outer(xh, xh) / t)
    Q, R = np.linalg.qr(U.T)
    np.testing.assert_allclose(learner.V, (Q * np.sign(R.diagonal())).T, rtol=0, atol=1e-10)
