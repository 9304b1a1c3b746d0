"""A short form of `make serve-fuzz`."""

import pytest

import serve_fuzz
from serve_harness import full


@pytest.mark.bound(90, 900)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_hostile_client(seed):
    serve_fuzz.run(full(120, 6), seed)
