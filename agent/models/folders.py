"""Where a model lies, and one clear line for whatever is wrong there.

Nothing is fetched here: a name stands for what the Hugging Face cache of this machine holds, so a
run means the same tomorrow and without a network, and no spec starts a download of many gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cadwright.tools.errors import UsageError
from cadwright.tools.files import size_of

_POINTER = b"version https://git-lfs"  # how the stand-in for a large file begins


def model_folder(source: str) -> Path:
    """Return the folder of a model.

    Args:
        source: A folder, or ``OWNER/NAME`` as in the Hugging Face cache.

    Raises:
        UsageError: There is no such folder and no such name.
    """
    folder = Path(source).expanduser()
    if folder.is_dir():
        refuse_pipes(folder)
        return folder
    if folder.exists():
        raise UsageError(f"hf:{source}: this is a file; a model is a folder with its config.json")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(source, local_files_only=True))
    except ValueError as error:  # it cannot be a name
        raise UsageError(f"hf:{source}: there is no such folder") from error
    except OSError as error:
        raise UsageError(
            f"hf:{source}: there is no such folder, and the Hugging Face cache holds no model of "
            f"that name; fetch one with: hf download {source}"
        ) from error


def refuse_pipes(folder: Path) -> None:
    """Refuse a folder that holds what no library could read to its end: it would wait for ever.

    Raises:
        UsageError: Something in it is neither a file nor a folder.
    """
    for path in sorted(folder.iterdir()):
        if path.exists() and not path.is_dir():
            size_of(path)


def refuse_pointers(folder: Path) -> None:
    """Refuse a clone whose weights were never fetched.

    Raises:
        UsageError: A weight file is a pointer of Git LFS.
    """
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as file:
            if file.read(len(_POINTER)) == _POINTER:
                raise UsageError(
                    f"{path}: this is a Git LFS pointer, not the weights: run git lfs pull there"
                )


@contextmanager
def reading(source: str, what: str) -> Iterator[None]:
    """Say in one line what is wrong with a damaged or foreign folder.

    Libraries answer with whatever their parsers raise, and often in many lines.

    Args:
        source: As in the spec.
        what: The sentence that a reason in brackets follows.

    Raises:
        UsageError: Something could not be read.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (
        OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, SafetensorError
    ) as error:  # fmt: skip
        raise UsageError(f"hf:{source}: {what} ({_first_line(error)})") from error


def _first_line(error: Exception) -> str:
    """Return the beginning of what an error says; a bare key would say nothing by itself."""
    lines = str(error).strip().splitlines()
    said = lines[0] if lines else ""
    return f"{type(error).__name__} {said}" if isinstance(error, LookupError) or not said else said
