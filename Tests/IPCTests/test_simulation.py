"""The simulation, as `make simulate` runs it with many more seeds: compiled as the programs are."""

import subprocess

import pytest

from harness import BIN, full


def simulate(*arguments):
    return subprocess.run([BIN / "simulate", *arguments], capture_output=True, text=True)


@pytest.mark.bound(120, 1800)
@pytest.mark.parametrize("journal", [[], ["--late"]], ids=["prompt", "late"])
def test_every_seed_keeps_the_laws(journal):
    ran = simulate(*journal, str(full(5_000, 300)))
    assert ran.returncode == 0, ran.stdout


@pytest.mark.bound(120, 120)
def test_every_planted_bug_is_found():
    ran = simulate("--planted", "1000")
    assert ran.returncode == 0, ran.stdout
    assert len(ran.stdout.splitlines()) > 30


@pytest.mark.bound(300, 3_600)
def test_several_daemons_over_a_modelled_etcd():
    """`make simulate-cluster` runs 10,000 of them."""
    ran = simulate("--service", str(full(10_000, 100)))
    assert ran.returncode == 0, ran.stdout
    ran = simulate("--service", "--planted", "1000")
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.count(": seed ") >= 18
