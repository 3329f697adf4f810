from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iris_harness.clock import FixedClock
from iris_harness.storage.records import PlanOrigin, PlanSummary, StoredPlan, StoredTurn
from iris_harness.storage.store import IrisStore

NOW = dt.datetime(2025, 3, 10, 8, 30, tzinfo=dt.UTC)
TODAY = NOW.date()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "iris"


@pytest.fixture
def store(folder: Path, clock: FixedClock) -> Iterator[IrisStore]:
    with IrisStore.open(folder, clock) as opened:
        yield opened


@pytest.fixture
def make_plan() -> Callable[..., StoredPlan]:
    def make(
        seed: str = "a",
        *,
        plan_id: str = "",
        day: dt.date = TODAY,
        origin: PlanOrigin = PlanOrigin.CONFIGURED,
        made_at: dt.datetime = NOW,
        session: str = "",
        marker: str = "",
    ) -> StoredPlan:
        return StoredPlan(
            summary=PlanSummary(
                plan_id=plan_id or hashlib.sha256(seed.encode()).hexdigest(),
                date=day,
                timezone="Europe/Berlin",
                origin=origin,
                made_at=made_at,
                session=session,
            ),
            payload=b'{"seed":"' + seed.encode() + b'","marker":"' + marker.encode() + b'"}',
            public_json='{"date": "2025-03-10",\n "marker": "' + marker + '"}\n',
            text=f"Plan {seed} \N{BULLET} {marker}\r\n",
        )

    return make


@pytest.fixture
def make_turn() -> Callable[..., StoredTurn]:
    def make(
        trace_id: str = "t1",
        *,
        session: str = "s1",
        asked_at: dt.datetime = NOW,
        utterance: str = "plan my day",
    ) -> StoredTurn:
        return StoredTurn(
            trace_id=trace_id,
            session=session,
            asked_at=asked_at,
            utterance=utterance,
            trace='{"steps": [{"took": 0.25}]}',
            reply="Your day is clear.",
        )

    return make
