"""The sandbox: confined processes for model-written code, and worker processes.

Start reading at ``sandbox.py``. In the main process: ``host``, ``launch``, ``family``, ``chain``,
``session``, ``program``, ``steps``, ``sweep``, ``worker``. In the zygote and its forks: ``zygote``,
``child``, ``checkpoint``, ``runner``, ``results``, ``feedback``, ``jobs``. Between them:
``protocol`` and ``spawn``. The walls: ``confinement`` and what it imports.
"""

from cadwright.tools.sandbox.confinement import Confinement
from cadwright.tools.sandbox.limits import Limits
from cadwright.tools.sandbox.sandbox import Sandbox
from cadwright.tools.sandbox.session import Session
from cadwright.tools.sandbox.steps import ExecutionError, StepResult
from cadwright.tools.sandbox.worker import InProcessWorker, Worker

__all__ = [
    "Confinement",
    "ExecutionError",
    "InProcessWorker",
    "Limits",
    "Sandbox",
    "Session",
    "StepResult",
    "Worker",
]
