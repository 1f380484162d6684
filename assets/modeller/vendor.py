"""For maintainers: fetch the vendored files again and write their manifest (needs npm).

python assets/modeller/vendor.py

The files are copied as they are in their npm packages. `vendor/MANIFEST.json` says where each
comes from and what its SHA-256 is; a test compares the folder with it.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

VENDOR = Path(__file__).parent / "vendor"
# By package: its licence, and our name of each file with its place in the package.
PACKAGES: dict[str, tuple[str, dict[str, str]]] = {
    "three@0.187.0": (
        "MIT",
        {
            "three.module.js": "build/three.module.js",
            "three.core.js": "build/three.core.js",
            "three.LICENSE": "LICENSE",
        },
    ),
    "manifold-3d@3.5.4": (
        "Apache-2.0",
        {
            "manifold.js": "manifold.js",
            "manifold.wasm": "manifold.wasm",
            "manifold-3d.LICENSE": "LICENSE",
        },
    ),
    "@fontsource-variable/inter@5.3.0": (
        "OFL-1.1",
        {"inter.woff2": "files/inter-latin-wght-normal.woff2", "inter.LICENSE": "LICENSE"},
    ),
}


def main() -> None:
    """Fetch, copy, describe."""
    manifest = {}
    with tempfile.TemporaryDirectory() as scratch:
        for package, (licence, wanted) in PACKAGES.items():
            archive = fetch(package, Path(scratch))
            for name, member in wanted.items():
                data = read(archive, f"package/{member}")
                (VENDOR / name).write_bytes(data)
                manifest[name] = {
                    "package": package,
                    "path": member,
                    "licence": licence,
                    "sha256": hashlib.sha256(data).hexdigest(),
                }
    text = json.dumps(dict(sorted(manifest.items())), indent=1)
    (VENDOR / "MANIFEST.json").write_text(text + "\n", encoding="utf-8")


def fetch(package: str, folder: Path) -> Path:
    """Download a package and return its archive."""
    command = ["npm", "pack", "--silent", "--pack-destination", str(folder), package]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return folder / done.stdout.strip().splitlines()[-1]


def read(archive: Path, member: str) -> bytes:
    """Return one file of an archive."""
    with tarfile.open(archive) as packed:
        found = packed.extractfile(member)
        if found is None:
            raise SystemExit(f"{archive.name} has no {member}")
        return found.read()


if __name__ == "__main__":
    main()
