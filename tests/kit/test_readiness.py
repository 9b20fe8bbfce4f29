"""A process says which of its parts are ready, and what the others wait for."""

from __future__ import annotations

from callsheet.kit.readiness import Part, Readiness


def test_parts_become_ready_one_by_one_in_their_order() -> None:
    readiness = Readiness(("database", "crew"))
    assert readiness.parts() == (
        Part("database", ready=False, detail="starting"),
        Part("crew", ready=False, detail="starting"),
    )
    readiness.set("crew", ready=True)
    readiness.set("database", ready=True)
    assert readiness.parts() == (Part("database", ready=True), Part("crew", ready=True))


def test_a_part_that_fails_again_says_why() -> None:
    readiness = Readiness(("database",))
    readiness.set("database", ready=True)
    readiness.set("database", ready=False, detail="away")
    assert readiness.parts() == (Part("database", ready=False, detail="away"),)
