"""A lower layer never imports a higher one."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_layers_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    env = {**os.environ, "PYTHONPATH": "tests/links"}  # grimp walks folders: the links are the map
    done = subprocess.run([linter], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
