"""The jobs of a judge whose exact boolean dies, loaded by a confined worker in tests.

The name of the part says how it dies: ``crash``, ``hang`` or, by any other name, not at all. With
``always-`` in front, all measuring dies and not only the boolean.
"""

import ctypes
import time

from cadwright.rewards import jobs, similarity

HANG_S = 600.0


def crash(*_):
    ctypes.string_at(0)  # a worker may not send signals, not even to itself


def hang(*_):
    time.sleep(HANG_S)


DEATHS = {"crash": crash, "hang": hang}
_real_overlap = similarity.exact_overlap


def score_job(header, blobs):
    name = header["part"]["name"]
    if name.startswith("always-"):
        DEATHS[name.removeprefix("always-")]()
    similarity.exact_overlap = DEATHS.get(name, _real_overlap)
    return jobs.score_job(header, blobs)


JOBS = {**jobs.JOBS, "score": score_job}
