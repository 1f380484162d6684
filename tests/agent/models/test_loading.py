"""Models load without torchvision; what cannot be done here is one clear line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import pytest
import safetensors.torch
import torch
import transformers
from tiny_models import FAMILIES, TOOLS, byte_tokenizer, conversation

from cadwright.agent.models.artefact import ModelCard, artefact_parts, write_card
from cadwright.agent.models.generation import Sampling
from cadwright.agent.models.loading import load_model
from cadwright.agent.models.local import LocalModel
from cadwright.agent.models.options import ModelOptions
from cadwright.agent.models.processors import load_processor, processor_class
from cadwright.tools.errors import DependencyError, UsageError

FamilyFolder = Callable[[str], Path]


@pytest.mark.parametrize("name", FAMILIES)
def test_families_load_with_eyes_where_they_have_them(
    name: str, family_folder: FamilyFolder
) -> None:
    loaded = load_model(ModelOptions(str(family_folder(name))))
    assert (loaded.processor is None) == (name == "qwen3")
    assert loaded.tokenizer.padding_side == "left"
    assert not loaded.model.training


def test_stock_processor_class_is_kept_where_it_needs_no_video() -> None:
    assert processor_class(transformers.Gemma3Config()) is transformers.Gemma3Processor


@pytest.mark.parametrize("kind", ["Qwen3VLConfig", "SmolVLMConfig"])
def test_processors_leave_videos_out_also_where_torchvision_is_installed(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = getattr(transformers, kind)()
    processor_class(config)  # loads its module, which would look for torchvision in earnest
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    made = processor_class(config)
    assert "video_processor" not in made.get_attributes()


@pytest.mark.skipif(find_spec("torchvision") is not None, reason="torchvision is installed")
@pytest.mark.parametrize("name", ["Lfm2VlImageProcessor", "Lfm2VlImageProcessorFast"])
def test_a_family_that_needs_torchvision_says_so_in_one_line(
    name: str, family_folder: FamilyFolder, tmp_path: Path
) -> None:
    transformers.Lfm2VlConfig().save_pretrained(tmp_path)
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / file).write_bytes((family_folder("qwen3_vl") / file).read_bytes())
    settings = json.dumps({"image_processor": {"image_processor_type": name}})
    (tmp_path / "processor_config.json").write_text(settings)
    said = r": the processor of lfm2_vl needs torchvision, .*; run: pip install torchvision$"
    with pytest.raises(DependencyError, match=said):
        load_model(ModelOptions(str(tmp_path)))


def test_embedded_policy_has_a_processor_with_its_own_mark_for_pictures() -> None:
    folder = Path(str(resources.files("cadwright.assets"))) / "models" / "tiny"
    processor = load_processor(str(folder), transformers.AutoConfig.from_pretrained(folder))
    assert processor.image_token == "<|image_pad|>"


def test_auto_processor_never_returns_a_bare_tokenizer(
    family_folder: FamilyFolder, tmp_path: Path
) -> None:
    folder = family_folder("qwen3_vl")
    config = transformers.AutoConfig.from_pretrained(folder)
    made = load_processor(str(folder), config)
    for name in ("config.json", "tokenizer.json", "processor_config.json", "chat_template.jinja"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    settings = (folder / "processor_config.json").read_text()
    (tmp_path / "processor_config.json").write_text(settings.replace("processor_class", "unnamed"))
    found = transformers.AutoProcessor.from_pretrained(tmp_path)
    assert type(found) is type(made)


def test_saved_processor_keeps_its_stock_name(family_folder: FamilyFolder) -> None:
    settings = (family_folder("qwen3_vl") / "processor_config.json").read_text()
    assert '"processor_class": "Qwen3VLProcessor"' in settings


def test_model_without_a_processor_is_refused(tmp_path: Path) -> None:
    byte_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(UsageError, match="no processor for models of type 'qwen3'"):
        load_processor(str(tmp_path), transformers.Qwen3Config())


def test_half_precision_is_a_choice_on_a_cpu(family_folder: FamilyFolder) -> None:
    folder = str(family_folder("qwen3_vl"))
    assert load_model(ModelOptions(folder)).model.dtype is torch.float32
    assert load_model(ModelOptions(folder, dtype="bfloat16")).model.dtype is torch.bfloat16


@pytest.mark.parametrize("name", ["qwen3_vl", "qwen3"])
def test_eight_bit_weights_generate(name: str, open_family: Callable[..., LocalModel]) -> None:
    local = open_family(name, quant="int8")
    kinds = {type(module).__module__ for module in local.loaded.model.modules()}
    assert any("quantized.dynamic" in kind for kind in kinds)
    prompt = local.prompt_builder().build(conversation(0), TOOLS)
    assert local.engine.generate(prompt, Sampling(max_new_tokens=4), owner="me").ids


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning")  # peft 0.21
def test_adapter_changes_the_answer(family_folder: FamilyFolder, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    folder = family_folder("qwen3")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    adapted = peft.get_peft_model(
        model, peft.LoraConfig(target_modules=["q_proj"], init_lora_weights=False)
    )
    adapted.save_pretrained(tmp_path)
    plain, tuned = (
        load_model(ModelOptions(str(folder), adapter=adapter)) for adapter in ("", str(tmp_path))
    )
    ids = torch.tensor([[5, 6, 7]])
    assert not torch.allclose(plain.model(ids).logits, tuned.model(ids).logits)
    assert plain.digest != tuned.digest


def test_adapter_of_another_model_is_refused(family_folder: FamilyFolder, tmp_path: Path) -> None:
    pytest.importorskip("peft")
    with pytest.raises(UsageError, match="does not fit this model"):
        load_model(ModelOptions(str(family_folder("qwen3")), adapter=str(tmp_path)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "cuda"}, "torch sees no GPU here"),
        ({"device": "gpu"}, "use auto, cpu, cuda"),
        ({"quant": "int8", "dtype": "bfloat16"}, "int8 starts from float32"),
    ],
)
def test_what_this_machine_cannot_do_is_named(
    options: dict[str, str], message: str, family_folder: FamilyFolder
) -> None:
    if options.get("device") == "cuda" and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UsageError, match=message):
        load_model(ModelOptions(str(family_folder("qwen3")), **options))  # type: ignore[arg-type]


def test_missing_weights_are_not_made_up(family_folder: FamilyFolder, tmp_path: Path) -> None:
    for path in family_folder("qwen3").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = safetensors.torch.load_file(tmp_path / "model.safetensors")
    del weights["lm_head.weight"]
    safetensors.torch.save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(UsageError, match="1 weights are missing: lm_head"):
        load_model(ModelOptions(str(tmp_path)))


def test_digest_follows_the_weights(family_folder: FamilyFolder, tmp_path: Path) -> None:
    folder = family_folder("qwen3")
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    same = load_model(ModelOptions(str(tmp_path))).digest
    assert same == load_model(ModelOptions(str(folder))).digest
    weights = tmp_path / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert load_model(ModelOptions(str(tmp_path))).digest != same


def test_folder_that_no_longer_fits_its_card_is_refused(
    family_folder: FamilyFolder, tmp_path: Path
) -> None:
    for path in family_folder("qwen3_vl").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    parts = artefact_parts(tmp_path, system="", tools=(), renderer="")
    write_card(tmp_path, ModelCard(parts=parts))
    load_model(ModelOptions(str(tmp_path)))
    template = tmp_path / "chat_template.jinja"
    template.write_text(template.read_text() + "\n")
    with pytest.raises(UsageError, match="chat template differ"):
        load_model(ModelOptions(str(tmp_path)))


def test_package_imports_without_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "import cadwright.agent.policies.hf, cadwright.agent.models.local\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
