"""What the modeller brings along is what its packages hold, and its policy lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

MODELLER = Path(__file__).parents[2] / "assets" / "modeller"
VENDOR = MODELLER / "vendor"
MANIFEST = json.loads((VENDOR / "MANIFEST.json").read_text(encoding="utf-8"))
PAGE = (MODELLER / "index.html").read_text(encoding="utf-8")
SOURCES = sorted((MODELLER / "js").rglob("*.js"))


@pytest.mark.parametrize("name", MANIFEST)
def test_vendored_files_are_as_their_packages_have_them(name: str) -> None:
    found = hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()
    assert found == MANIFEST[name]["sha256"]


def test_the_manifest_names_every_vendored_file() -> None:
    assert {file.name for file in VENDOR.iterdir()} == {*MANIFEST, "MANIFEST.json"}


def test_every_vendored_package_has_its_licence() -> None:
    packages = {entry["package"] for entry in MANIFEST.values()}
    licensed = {entry["package"] for name, entry in MANIFEST.items() if name.endswith("LICENSE")}
    assert packages == licensed


def test_the_policy_allows_the_import_map_and_no_other_inline_script() -> None:
    (text,) = re.findall(r'<script type="importmap">(.*?)</script>', PAGE, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', PAGE)
    assert f"'sha256-{digest}'" in policy
    assert "unsafe-inline" not in policy
    assert "'unsafe-eval'" not in policy
    assert policy.startswith("default-src 'none'")


def test_every_import_is_a_file_of_the_page_or_in_the_import_map() -> None:
    mapped = set(json.loads(re.findall(r'importmap">(.*?)</script>', PAGE)[0])["imports"])
    for source in SOURCES:
        for target in re.findall(r'(?:from|import\()\s*"([^"]+)"', source.read_text("utf-8")):
            assert target in mapped or (source.parent / target).is_file(), (source, target)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_nothing_depends_on_the_clock_or_on_chance(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    assert not re.search(r"Date\b|Math\.random|performance\.now|setInterval|localStorage", text)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_sources_stay_small(source: Path) -> None:
    assert len(source.read_text(encoding="utf-8").splitlines()) <= 400
