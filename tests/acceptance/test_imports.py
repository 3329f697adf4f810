"""Start-up is a feature: what a command must not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FORBIDDEN_FOR_PLAN = {
    "sqlalchemy", "alembic", "numpy", "starlette", "pydantic", "yaml", "rich", "iris_router",
    "iris_agents", "importlib.metadata", "icalendar", "dateutil.tz",
}  # fmt: skip


def test_planning_the_demo_day_loads_no_heavy_part(tmp_path: Path) -> None:
    program = (
        "import sys; from iris_harness.surfaces.cli import main; code = main(['plan', '--demo']); "
        f"print(sorted({FORBIDDEN_FOR_PLAN} & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr.strip() == "[]"
