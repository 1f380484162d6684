"""Draw the picture of docs/mesh.md: python docs/images/make_mesh.py."""

from pathlib import Path

import numpy as np
from PIL import Image

from cadwright.envs.domains.registry import generate
from cadwright.envs.mesh import MeshWorkspace
from cadwright.envs.runtime import Runtime
from cadwright.tools.tool import ImageBlock

HERE = Path(__file__).parent
DOMAIN, SEED, DIFFICULTY = "mesh.repair.start.bracket", 3, 5


def main() -> None:
    """Draw the start beside the result."""
    task = generate(DOMAIN, SEED, DIFFICULTY)
    assert task.gold is not None
    with Runtime.open() as runtime:
        workspace = MeshWorkspace(runtime, 512)
        blocks = list(workspace.reset(task, 0))
        for call in task.gold.calls:
            blocks += workspace.call(call).blocks()
        workspace.close()
    pictures = [block.pixels for block in blocks if isinstance(block, ImageBlock)]
    both = np.concatenate([pictures[0], pictures[-1]], axis=1)
    Image.fromarray(both).save(HERE / "mesh-repair.png", optimize=True)


if __name__ == "__main__":
    main()
