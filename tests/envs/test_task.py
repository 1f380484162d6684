import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadwright.envs.sources import GeometrySource, ImageSource
from cadwright.envs.task import EpisodeLimits, Task
from cadwright.envs.task_record import FieldError, task_from_json
from cadwright.tools.errors import TaskError
from cadwright.tools.tool import ToolCall

SECRET = "result = cq.Workplane().box(1, 2, 3)"


def record(**fields):
    return {"id": "t", "brief": "a 10 mm cube", **fields}


def full_task() -> Task:
    return Task(
        id="a/b",
        brief="Ø12 – 槽",
        domain="cad.edit.text.plate",
        images=(ImageSource(b"png", caption="front"), ImageSource(view="iso")),
        start=GeometrySource(Path("/parts/start.stp")),
        reference=GeometrySource(SECRET),
        constraints=({"kind": "bodies", "count": 1},),
        tools=("execute", "submit"),
        limits=EpisodeLimits(turns=3, wall_s=9.5),
        scoring={"protocol": "cadprompt"},
        difficulty=2,
        seed=7,
        meta={"gold": "reference", "tags": ["x"]},
    )


def test_a_task_survives_json():
    task = full_task()
    assert task_from_json(json.loads(json.dumps(task.to_json()))) == task


def test_the_public_half_holds_nothing_hidden():
    public = full_task().public()
    for name in ("reference", "constraints", "scoring", "meta", "seed", "gold"):
        assert not hasattr(public, name)


def test_the_repr_of_a_task_does_not_give_the_reference_away():
    task = full_task()
    assert "box" not in repr(task)
    assert "cadprompt" not in repr(task)
    assert "parts" not in repr(task.public())


def test_gold_may_be_the_reference():
    gold = full_task().gold
    assert gold is not None
    assert (gold.kind, gold.source) == ("program", GeometrySource(SECRET))


def test_gold_may_be_a_part_file():
    task = task_from_json(record(meta={"gold": "right.step"}), base=Path("/suite"))
    assert task.gold is not None
    assert task.gold.kind == "part"
    assert task.gold.source == GeometrySource(Path("/suite/right.step"))


def test_gold_may_be_calls():
    calls = [{"name": "execute", "arguments": {"code": "x"}}, {"name": "submit"}]
    task = task_from_json(record(meta={"gold": {"calls": calls}}))
    assert task.gold is not None
    assert task.gold.calls == (ToolCall("execute", {"code": "x"}), ToolCall("submit", {}))


def test_a_task_without_gold_has_none():
    assert Task(id="t", brief="x").gold is None


def test_a_demo_is_the_calls_of_its_turns_in_order():
    turns = [{"text": "look", "calls": [{"name": "measure"}]}, {"calls": [{"name": "submit"}]}]
    task = task_from_json(record(meta={"demo": turns}))
    assert [call.name for call in task.demo] == ["measure", "submit"]


def test_a_number_as_id_becomes_text():
    assert task_from_json({"id": 7, "prompt": "x"}).id == "7"


def test_prompt_is_read_as_brief():
    assert task_from_json({"id": "t", "prompt": "10 mm cube"}).brief == "10 mm cube"


def test_null_stands_for_the_default():
    task = task_from_json(record(limits=None, tools=None, meta=None, seed=None))
    assert task == Task(id="t", brief="a 10 mm cube")


def test_a_bare_text_is_short_for_a_file():
    task = task_from_json(record(reference="part.STL"), base=Path("/suite"))
    assert task.reference == GeometrySource(Path("/suite/part.STL"))
    assert task.reference.format == "stl"


def test_scoring_by_name_is_short_for_a_protocol():
    assert task_from_json(record(scoring="cadprompt")).scoring == {"protocol": "cadprompt"}


@pytest.mark.parametrize(
    ("fields", "where", "message"),
    [
        ({"breif": "x"}, ("breif",), "did you mean 'brief'"),
        ({"prompt": "x"}, ("prompt",), "the same field"),
        ({"limits": {"turn": 3}}, ("limits", "turn"), "did you mean 'turns'"),
        ({"limits": {"turns": 0}}, ("limits", "turns"), "from 1 to"),
        ({"limits": {"turns": True}}, ("limits", "turns"), "limits.turns is True"),
        ({"limits": {"wall_s": float("nan")}}, ("limits", "wall_s"), "nan"),
        ({"limits": {"wall_s": "60"}}, ("limits", "wall_s"), "'60'"),
        ({"difficulty": 6}, ("difficulty",), "from 1 to 5"),
        ({"seed": -1}, ("seed",), "seed is -1"),
        ({"domain": "CAD create"}, ("domain",), "lower-case words"),
        ({"env": "cda"}, ("env",), "did you mean 'cad'"),
        ({"tools": "execute"}, ("tools",), "a list"),
        ({"tools": ["execute", 3]}, ("tools", 1), "tools.1 is 3"),
        ({"reference": "part.dwg"}, ("reference",), "unknown format '.dwg'"),
        ({"reference": {"file": "a.stl", "program": "x"}}, ("reference",), "file"),
        ({"reference": {"files": "a.stl"}}, ("reference", "files"), "did you mean 'file'"),
        ({"start": {"data": "%%%", "format": "stl"}}, ("start",), "not base64"),
        ({"images": [{"view": "tpo"}], "reference": "a.stl"}, ("images", 0), "'top'"),
        ({"images": [{"view": "top"}]}, ("images",), "needs a reference"),
        ({"constraints": [3]}, ("constraints", 0), "mapping"),
        ({"scoring": "cadpromt"}, ("scoring",), "cadprompt"),
        ({"scoring": {"num_point": 3}}, ("scoring",), "num_points"),
        ({"meta": {"weight": float("inf")}}, ("meta", "weight"), "finite"),
        ({"meta": {"when": {1, 2}}}, ("meta", "when"), "allowed: text"),
        (
            {"meta": {"gold": {"calls": [{"nam": "x"}]}}},
            ("meta", "gold", "calls", 0, "nam"),
            "name",
        ),
        ({"meta": {"demo": [{"txt": "x"}]}}, ("meta", "demo", 0, "txt"), "text"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_fault_names_its_field(fields, where, message):
    with pytest.raises(FieldError, match=message) as caught:
        task_from_json(record(**fields))
    assert caught.value.where == where


@pytest.mark.parametrize("missing", ["id", "brief"])
def test_id_and_brief_are_needed(missing):
    fields = record()
    del fields[missing]
    with pytest.raises(FieldError, match=f"'{missing}' is missing"):
        task_from_json(fields)


@pytest.mark.parametrize("bad", ["", "  ", "a\nb", "\x1b[31m", "\ud800", 1.5, True, ["a"]])
def test_an_id_that_no_terminal_can_show_is_refused(bad):
    with pytest.raises(FieldError, match="id is"):
        task_from_json({"id": bad, "brief": "x"})


@pytest.mark.parametrize("bad", [None, [], "text", 3, {1: 2}], ids=repr)
def test_what_is_no_mapping_is_no_task(bad):
    with pytest.raises(FieldError):
        task_from_json(bad)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
field_names = st.sampled_from(sorted(Task.__dataclass_fields__))


@given(st.dictionaries(field_names, json_values, max_size=5))
def test_any_record_is_a_task_or_a_named_fault(fields):
    try:
        task = task_from_json({"id": "t", "brief": "x", **fields})
    except FieldError:
        return
    assert task_from_json(json.loads(json.dumps(task.to_json()))) == task


def test_the_digest_of_a_source_follows_its_content_not_its_place(tmp_path):
    one, two = tmp_path / "one.stl", tmp_path / "two.STL"
    one.write_bytes(b"solid")
    two.write_bytes(b"solid")
    digests = {GeometrySource(s, "stl").digest for s in (one, two, b"solid")}
    assert len(digests) == 1


def test_the_same_bytes_in_another_format_are_another_source():
    assert GeometrySource(b"x", "stl").digest != GeometrySource(b"x", "obj").digest


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TaskError, match=r"nowhere\.stl: no such file"):
        GeometrySource(tmp_path / "nowhere.stl").read()


def test_a_program_may_not_claim_to_be_a_part_file():
    with pytest.raises(TaskError, match="allowed: py"):
        GeometrySource("result = 1", "stl")


def test_bytes_need_a_format():
    with pytest.raises(TaskError, match="unknown format ''"):
        GeometrySource(b"solid")


def test_a_program_file_that_is_not_utf8_says_so(tmp_path):
    file = tmp_path / "p.py"
    file.write_bytes(b"# caf\xe9")
    with pytest.raises(TaskError, match=r"p\.py: not UTF-8 text at byte 5"):
        GeometrySource(file).text()


def test_a_byte_order_mark_is_not_part_of_a_program(tmp_path):
    file = tmp_path / "p.py"
    file.write_bytes(b"\xef\xbb\xbfresult = 1")
    assert GeometrySource(file).text() == "result = 1"
