"""Every fault of an endpoint, under every command: no attempt is used up, no score is made of an error, and the same
command goes on. ``make fault-table`` prints the rows.
"""

from __future__ import annotations

import pytest
from endpoint_faults import FAULTS, INFRASTRUCTURE, KEY, impatient, row
from faulty_endpoint import Endpoint
from run_contents import rows


@pytest.fixture(scope="module")
def endpoint():
    server = Endpoint()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_endpoint(name, endpoint, run, double, tmp_path):
    run(tmp_path / "judged", sample=1, judge="")
    with impatient():
        found = row(name, endpoint, tmp_path, "double")
    for one in (found.pasb, found.sovereignpa):
        if found.kind in INFRASTRUCTURE and one.code != 0:
            assert one.used == 0, "a failed endpoint uses up no attempt"
            assert found.kind in one.said, "the reason is in the last line"
    if found.kind in INFRASTRUCTURE:
        assert found.doctor.code != 0, "doctor says what the run will say"
        assert (found.pasb.again, found.sovereignpa.again, found.judge.again) == (0, 0, 0), "the same command goes on"
    if found.kind == "":
        assert [one.code for one in (found.doctor, found.pasb, found.sovereignpa, found.judge)] == [0] * 4
    turns = [turn for stored in rows(tmp_path / "judged", "judgments") for turn in stored["turns"]]
    assert all(turn["syc"] in (None, 1) for turn in turns), "no score is made of an error"
    kept = "".join(path.read_text(errors="ignore") for path in tmp_path.rglob("*.json*"))
    assert KEY not in kept


def test_the_table_holds_every_fault_that_it_names():
    assert len(FAULTS) == 26
