"""Files that the modeller writes and reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from modeller_driver import PLATE, Modeller, feature

from cadwright.tools.geometry.client import GeometryClient
from cadwright.tools.sandbox import InProcessWorker

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def judge() -> GeometryClient:
    return GeometryClient(InProcessWorker("cadwright.tools.geometry.jobs"))


@pytest.mark.parametrize("kind", ["stl", "3mf"])
def test_the_judge_measures_the_exported_file_alike(
    modeller: Modeller, judge: GeometryClient, tmp_path: Path, kind: str
) -> None:
    modeller.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20, diameter=12))
    with modeller.page.expect_download() as waiting:
        modeller.press(f"export-{kind}")
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    measures = judge.inspect(judge.read(file)).measures
    assert measures.volume_mm3 == pytest.approx(modeller.volume(), rel=1e-5)
    assert measures.is_watertight


def test_the_same_part_is_the_same_file(modeller: Modeller) -> None:
    hole = feature("hole", 2, plane="f1:top", x=30, y=20)
    modeller.reset(PLATE, hole)
    first = modeller.stl()
    modeller.reset(feature("sphere", 1))
    modeller.reset(PLATE, hole)
    assert modeller.stl() == first


def test_an_exported_file_is_imported_again(modeller: Modeller, tmp_path: Path) -> None:
    modeller.reset(PLATE, feature("hole", 2, plane="f1:top", x=30, y=20))
    volume = modeller.volume()
    file = tmp_path / "plate.stl"
    file.write_bytes(modeller.stl())
    modeller.reset()
    with modeller.page.expect_file_chooser() as waiting:
        modeller.press("import")
    waiting.value.set_files(file)
    modeller.page.wait_for_selector("#feature-f1")
    assert modeller.volume() == pytest.approx(volume, rel=1e-5)


def test_a_file_that_is_no_mesh_is_refused(modeller: Modeller, tmp_path: Path) -> None:
    file = tmp_path / "notes.stl"
    file.write_text("not a mesh")
    with modeller.page.expect_file_chooser() as waiting:
        modeller.press("import")
    waiting.value.set_files(file)
    modeller.page.wait_for_selector("#error:not(:empty)")
    assert "not an STL mesh" in modeller.error()


def test_a_saved_document_opens_again(modeller: Modeller, tmp_path: Path) -> None:
    modeller.reset(PLATE)
    with modeller.page.expect_download() as waiting:
        modeller.press("save")
    file = tmp_path / "part.json"
    waiting.value.save_as(file)
    saved = modeller.state()["hash"]
    modeller.reset()
    with modeller.page.expect_file_chooser() as choosing:
        modeller.press("open")
    choosing.value.set_files(file)
    modeller.page.wait_for_selector("#feature-f1")
    assert modeller.state()["hash"] == saved
    assert json.loads(file.read_text())["features"][0]["params"]["width"] == 60
