"""What a turn of a local model costs, and what the tiers change, all in one run and one process.

    OMP_NUM_THREADS=1 python benchmarks/policy.py               # two minutes of one core
    OMP_NUM_THREADS=1 python benchmarks/policy.py --repeats 3   # medians of three

Three tables. "Turn latency": an episode with a 512 px picture in every turn; the same prompt is
answered with the cache kept from turn to turn, by reading all of it again with the same code, and
by ``generate`` of transformers. "Tiers": a correction, where every turn writes the last program
again with one number changed. The model has random weights (``small_model``), so that text is
forced on it: times and guesses are those of the text. Beside them, whether the tokens that the tier
writes by itself are those of tier standard. Where the package holds the tiny policy, its own
answers are timed. "Together": 16 conversations in one batch beside one after another.

Times are processor time of this process: with one thread that is the wall time of an idle core, and
it can be trusted on a shared machine. Aim: 5 times at turn 20, all tokens equal.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from small_model import write_model
from transformers.utils import logging

from cadwright.agent.messages import Message
from cadwright.agent.models.generation import Answer, Chooser, Sampling
from cadwright.agent.models.local import LocalModel, open_model
from cadwright.agent.models.options import ModelOptions
from cadwright.agent.models.pictures import join_inputs
from cadwright.agent.models.prompts import Prompt
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall, ToolSpec

TURNS_SHOWN = (1, 5, 10, 20)
ANSWER_TOKENS = 32
PICTURE_PX = 512  # a view sheet of the default size
TOGETHER = 16
CORRECTIONS = 3  # turns, the first of which writes the program for the first time
GREEDY = Sampling(max_new_tokens=ANSWER_TOKENS)
FREE = Sampling(max_new_tokens=32)

TOOLS = (
    ToolSpec(
        "execute",
        "Run CadQuery code and see the part.",
        {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "Python code."}},
            "required": ["code"],
        },
    ),
    ToolSpec("submit", "Submit the part.", {"type": "object", "properties": {}}),
)
RESULT = "ok: 1 solid, volume 14326.5 mm3, box 80.0 x 60.0 x 10.0 mm, 14 faces. "


@dataclass(frozen=True)
class Way:
    """One way of answering: milliseconds at each turn, and whether its tokens were equal."""

    name: str
    times: dict[int, float]
    is_equal: bool


def picture(seed: int) -> ImageBlock:
    """Return a picture of coloured noise."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (PICTURE_PX, PICTURE_PX, 3), dtype=np.uint8)
    return ImageBlock(pixels, "noise", f"picture {seed}")


class Episode:
    """A conversation that grows by a call and a picture a turn."""

    def __init__(self, local: LocalModel) -> None:
        self._builder = local.prompt_builder()
        self._messages = [Message("user", (TextBlock("Make the part in the picture."), picture(0)))]
        self._spoken: dict[int, tuple[int, ...]] = {}
        self.turn = 1

    def prompt(self) -> Prompt:
        """Return what the model reads in this turn."""
        return self._builder.build(self._messages, TOOLS, self._spoken)

    def answer(self, ids: tuple[int, ...]) -> None:
        """Take up what the model wrote, and go to the next turn."""
        self._spoken[len(self._messages)] = ids
        call = ToolCall("execute", {"code": program(self.turn)}, f"c{self.turn}")
        self._messages += [
            Message("assistant", (), (call,)),
            Message("tool", (TextBlock(RESULT), picture(self.turn)), call_id=call.id),
        ]
        self.turn += 1


def program(turn: int) -> str:
    """Return the program of a turn: the last one with another diameter."""
    return (
        'result = (cq.Workplane("XY").box(80, 60, 10).edges("|Z").fillet(6)'
        f'.faces(">Z").workplane().hole({12 + turn / 2:g}))'
    )


def call_text(turn: int) -> str:
    """Return the answer that a trained model would write in a turn."""
    call = {"name": "execute", "arguments": {"code": program(turn)}}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call><|im_end|>"


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return milliseconds of processor time and what came out."""
    start = time.process_time()
    found = run()
    return (time.process_time() - start) * 1e3, found


@contextmanager
def forced(local: LocalModel, text: str) -> Iterator[None]:
    """Let the model write ``text``, whatever its weights say; it still runs for every token."""
    ids = deque(local.loaded.tokenizer(text)["input_ids"])
    with patch.object(Chooser, "choose", lambda self, logits: (ids.popleft(), 0.0)):
        yield


def stock_generate(local: LocalModel, prompt: Prompt) -> tuple[int, ...]:
    """Answer with ``generate`` of transformers, which reads the whole prompt."""
    ids = torch.from_numpy(prompt.ids)[None].to(local.loaded.device)
    pictures = join_inputs(prompt.pictures) or {} if prompt.pictures else {}
    with torch.inference_mode():
        out = local.loaded.model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            mm_token_type_ids=(ids == local.engine.family.image_token_id).int(),
            max_new_tokens=ANSWER_TOKENS,
            do_sample=False,
            suppress_tokens=local.engine.suppressed,
            **pictures,
        )
    return tuple(int(token) for token in out[0, len(prompt) :])


def latency(folder: Path, repeats: int) -> tuple[list[Way], dict[int, int]]:
    """Play the episode ``repeats`` times; return the ways and the prompt lengths."""
    kept, again = open_model(ModelOptions(str(folder))), open_model(ModelOptions(str(folder)))
    again.engine.store.is_forgetful = True
    ways = {
        "cache kept": lambda prompt: kept.engine.generate(prompt, GREEDY, owner="me").ids,
        "read again": lambda prompt: again.engine.generate(prompt, GREEDY, owner="me").ids,
        "transformers": lambda prompt: stock_generate(again, prompt),
    }
    times: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in ways}
    equal, lengths = dict.fromkeys(ways, True), {}
    for _ in range(repeats):
        kept.engine.forget("me")
        episode = Episode(kept)
        while episode.turn <= max(TURNS_SHOWN):
            prompt, turn = episode.prompt(), episode.turn
            lengths[turn] = len(prompt)
            spent, expected = timed(partial(ways["cache kept"], prompt))
            times["cache kept"][turn].append(spent)
            for name in ("read again", "transformers") if turn in TURNS_SHOWN else ():
                spent, ids = timed(partial(ways[name], prompt))
                times[name][turn].append(spent)
                equal[name] &= ids == expected
            episode.answer(expected)
    medians = {name: {t: statistics.median(v) for t, v in of.items()} for name, of in times.items()}
    return [Way(name, medians[name], equal[name]) for name in ways], lengths


def show_latency(ways: Sequence[Way], lengths: dict[int, int]) -> None:
    """Print the first table."""
    print(f"Turn latency, ms: one new {PICTURE_PX} px picture, {ANSWER_TOKENS} new tokens a turn")
    print(f"{'':<16}" + "".join(f"{f'turn {turn}':>10}" for turn in TURNS_SHOWN) + "   tokens")
    print(f"{'prompt tokens':<16}" + "".join(f"{lengths[turn]:>10}" for turn in TURNS_SHOWN))
    for way in ways:
        cells = "".join(f"{way.times[turn]:>10.0f}" for turn in TURNS_SHOWN)
        print(f"{way.name:<16}{cells}   {'equal' if way.is_equal else 'DIFFERENT'}")
    kept, again = ways[0].times, ways[1].times
    print(f"{'ratio':<16}" + "".join(f"{again[t] / kept[t]:>10.1f}" for t in TURNS_SHOWN) + "\n")


def show_tiers(tiers: dict[str, ModelOptions], repeats: int) -> None:
    """Print the second table."""
    print(f"Tiers: a correction of {CORRECTIONS} turns, text forced; tokens when left to itself")
    print(
        f"{'':<22}{'ms a turn':>10}{'passes':>8}{'tokens':>8}{'guesses':>9}{'right':>7}   left free"
    )
    expected: list[tuple[int, ...]] = []
    for name, options in tiers.items():
        local = open_model(options)
        times: list[float] = []
        for _ in range(repeats):
            local.engine.forget("me")
            spent, answers = correction(local)
            times += spent
        free = left_free(local)
        expected = expected or free
        figures = _figures(answers)
        print(f"{name:<22}{statistics.median(times):>10.0f}{figures}   {_equality(free, expected)}")
    print()


def correction(local: LocalModel) -> tuple[list[float], list[Answer]]:
    """Write the last program again with one number changed, turn by turn."""
    episode, times, answers = Episode(local), [], []
    while episode.turn <= CORRECTIONS:
        prompt = episode.prompt()
        with forced(local, call_text(episode.turn)):
            spent, found = timed(
                partial(local.engine.generate, prompt, Sampling(max_new_tokens=400), owner="me")
            )
        episode.answer(found.ids)
        if episode.turn > 2:  # the first turn has nothing to correct
            times.append(spent)
            answers.append(found)
    return times, answers


def left_free(local: LocalModel) -> list[tuple[int, ...]]:
    """Return what the model writes by itself in a few turns of the same conversation."""
    episode, written = Episode(local), []
    while episode.turn <= CORRECTIONS:
        prompt = episode.prompt()
        written.append(local.engine.generate(prompt, FREE, owner="free").ids)
        episode.answer(tuple(local.loaded.tokenizer(call_text(episode.turn))["input_ids"]))
    return written


def _figures(answers: Sequence[Answer]) -> str:
    passes, guessed, right = (
        sum(getattr(one, name) for one in answers) for name in ("passes", "guessed", "accepted")
    )
    return f"{passes:>8}{sum(len(one.ids) for one in answers):>8}{guessed:>9}{right:>7}"


def _equality(found: Sequence[tuple[int, ...]], expected: Sequence[tuple[int, ...]]) -> str:
    """Say how much of the tokens is as in the first tier: all, or up to the first differences."""
    same = 0
    for ours, theirs in zip(found, expected, strict=True):
        pairs = zip(ours, theirs, strict=False)
        same += next((n for n, (a, b) in enumerate(pairs) if a != b), len(theirs))
    total = sum(map(len, expected))
    return "equal" if same == total else f"{same} of {total} tokens before they part"


def show_together(folder: Path, repeats: int) -> None:
    """Print the third table."""
    local = open_model(ModelOptions(str(folder), cache_tokens=0))
    builder = local.prompt_builder()
    prompts = [
        builder.build([Message("user", (TextBlock(f"Part {n}."), picture(n)))], TOOLS)
        for n in range(TOGETHER)
    ]

    def one(number: int) -> tuple[int, ...]:
        return local.engine.generate(prompts[number], GREEDY, owner=number).ids

    def batch() -> list[tuple[int, ...]]:
        with ThreadPoolExecutor(TOGETHER) as pool:
            return list(pool.map(one, range(TOGETHER)))

    alone = [timed(lambda: list(map(one, range(TOGETHER)))) for _ in range(repeats)]
    together = [timed(batch) for _ in range(repeats)]
    first, second = (statistics.median(spent for spent, _ in of) for of in (alone, together))
    is_equal = all(ids == alone[0][1] for _, ids in (*alone, *together))
    print(f"Together: {TOGETHER} conversations, one answer each, prompt reading included")
    print(
        f"one by one {first:.0f} ms, in one batch {second:.0f} ms: {first / second:.1f} times",
        end="",
    )
    print(f"; tokens {'equal' if is_equal else 'DIFFERENT'}\n")


def show_tiny(folder: Path, repeats: int) -> None:
    """Print what a turn of the embedded policy takes, by tier."""
    print("Tiny policy: its own answers to the first turn of a task, ms")
    for name, options in tiers_of(folder, None).items():
        local = open_model(options)
        prompt = Episode(local).prompt()
        runs = []
        for _ in range(5 * repeats):
            local.engine.forget("me")
            runs.append(timed(partial(local.engine.generate, prompt, GREEDY, owner="me")))
        answer = runs[-1][1]
        spent = statistics.median(one for one, _ in runs)
        print(f"{name:<22}{spent:>10.0f}   {len(answer.ids)} tokens in {answer.passes} passes")


def tiers_of(folder: Path, draft: Path | None) -> dict[str, ModelOptions]:
    """Return what is compared on one model."""
    source = str(folder)
    tiers = {
        "standard": ModelOptions(source),
        "fast (lookup)": ModelOptions(source, tier="fast"),
    }
    if draft is not None:
        tiers["fast (draft)"] = ModelOptions(source, tier="fast", draft=str(draft))
    tiers["standard, int8"] = ModelOptions(source, quant="int8")
    tiers["standard, bfloat16"] = ModelOptions(source, dtype="bfloat16")
    return tiers


def tiny_folder() -> Path | None:
    """Return the folder of the embedded policy, where this installation holds it."""
    folder = Path(str(resources.files("cadwright.assets"))) / "models" / "tiny"
    return folder if (folder / "config.json").is_file() else None


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=1, metavar="N", help="medians of N")
    repeats = parser.parse_args().repeats
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, float32 on CPU\n")
    with tempfile.TemporaryDirectory() as scratch:
        folder = write_model(Path(scratch) / "small")
        draft = write_model(Path(scratch) / "draft", layers=1)
        show_latency(*latency(folder, repeats))
        show_tiers(tiers_of(folder, draft), repeats)
        show_together(folder, repeats)
    tiny = tiny_folder()
    if tiny is not None:
        show_tiny(tiny, repeats)


if __name__ == "__main__":
    main()
