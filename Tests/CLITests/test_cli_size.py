"""What the programs carry along."""

import pytest

from cli_daemon import BIN


@pytest.mark.parametrize("program", ["trestle", "trestled"])
def test_no_data_of_foundation(program):
    """Foundation brings 34 MB of ICU's data. One call of it is enough, such as `contains` of a text in a
    text, which looks like the standard library's: `firstRange(of:)` is."""
    assert b"icudt" not in (BIN / program).read_bytes()
