"""Random-weight models of current families, small enough for a test, and their byte tokenizers.

The weights know nothing; the code around them is the real one. Every template here is our own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from cadwright.agent.messages import Message
from cadwright.agent.models.processors import image_only, processor_class
from cadwright.tools.tool import ImageBlock, TextBlock, ToolCall, ToolSpec

EXECUTE = ToolSpec(
    "execute",
    "Run code.",
    {
        "type": "object",
        "properties": {"code": {"type": "string", "description": "Python code."}},
        "required": ["code"],
        "additionalProperties": False,
    },
)
SUBMIT = ToolSpec(
    "submit", "Submit the part.", {"type": "object", "properties": {}, "required": []}
)
TOOLS = (EXECUTE, SUBMIT)

CHATML = """
{%- macro show(content) %}
{%- if content is string %}{{ content }}{% else %}{% for item in content %}
{%- if item.type == 'image' %}IMAGE{% else %}{{ item.text }}{% endif %}
{%- endfor %}{% endif %}
{%- endmacro %}
{%- if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}<|im_start|>user
<tool_response>{{ show(message.content) }}</tool_response><|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ show(message.content) }}
{%- for call in message.tool_calls or [] %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

_CHAT_TOKENS = ("<pad>", "<|im_start|>", "<|im_end|>")
_QWEN_TOKENS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
_GEMMA_TOKENS = ("<start_of_image>", "<image_soft_token>", "<end_of_image>")
_IDEFICS_TOKENS = ("<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>")

_TILES: dict[str, Any] = {
    "size": {"longest_edge": 64},
    "max_image_size": {"longest_edge": 32},
    "do_image_splitting": True,
}
_TEXT: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 4096,
}

_SIGLIP = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 32,
    "patch_size": 8,
}


def byte_tokenizer(extra: Sequence[str] = (), **roles: str) -> Any:
    """Return a tokenizer of single bytes and control tokens."""
    control = [*_CHAT_TOKENS, *extra]
    symbols = [*control, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE(vocab={name: n for n, name in enumerate(symbols)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(control)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<|im_end|>",
        pad_token="<pad>",
        padding_side="left",
        **roles,
    )


def qwen3_vl(folder: Path) -> Path:
    """Full attention, positions of three axes, features added at inner layers."""
    tokenizer = byte_tokenizer(_QWEN_TOKENS)
    config = transformers.Qwen3VLConfig(
        text_config=_text(
            tokenizer,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [2, 1, 1],
                "mrope_interleaved": True,
            },
        ),
        vision_config=_qwen_vision(deepstack_visual_indexes=[0, 1]),
        tie_word_embeddings=False,
        **_qwen_ids(tokenizer),
    )
    model = transformers.Qwen3VLForConditionalGeneration(_seeded(config))
    return _saved(folder, model, _qwen_processor(tokenizer))


def qwen3_5(folder: Path) -> Path:
    """Linear attention beside full attention: its cache cannot be cut."""
    tokenizer = byte_tokenizer(_QWEN_TOKENS)
    config = transformers.Qwen3_5Config(
        text_config=_text(
            tokenizer,
            layer_types=["linear_attention", "full_attention"],
            linear_num_key_heads=2,
            linear_num_value_heads=4,
            linear_key_head_dim=8,
            linear_value_head_dim=8,
            linear_conv_kernel_dim=4,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10000.0,
                "mrope_section": [2, 1, 1],
                "mrope_interleaved": True,
                "partial_rotary_factor": 1.0,
            },
        ),
        vision_config=_qwen_vision(),
        tie_word_embeddings=False,
        **_qwen_ids(tokenizer),
    )
    model = transformers.Qwen3_5ForConditionalGeneration(_seeded(config))
    return _saved(folder, model, _qwen_processor(tokenizer))


def gemma3(folder: Path) -> Path:
    """Sliding windows, and pictures whose tokens see each other both ways."""
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

    boi, soft, eoi = _GEMMA_TOKENS
    tokenizer = byte_tokenizer(
        _GEMMA_TOKENS,
        extra_special_tokens={"boi_token": boi, "image_token": soft, "eoi_token": eoi},
    )
    ids = tokenizer.convert_tokens_to_ids
    config = transformers.Gemma3Config(
        text_config=_text(
            tokenizer,
            sliding_window=24,
            layer_types=["sliding_attention", "full_attention"],
            query_pre_attn_scalar=8,
        ),
        vision_config=dict(_SIGLIP),
        mm_tokens_per_image=4,
        boi_token_index=ids(boi),
        eoi_token_index=ids(eoi),
        image_token_index=ids(soft),
        tie_word_embeddings=False,
    )
    images = Gemma3ImageProcessorPil(size={"height": 32, "width": 32})
    processor = transformers.Gemma3Processor(
        images, tokenizer, chat_template=template(boi), image_seq_length=4
    )
    return _saved(folder, transformers.Gemma3ForConditionalGeneration(_seeded(config)), processor)


def idefics3(folder: Path) -> Path:
    """Pictures cut into tiles, features scattered into the text."""
    from transformers.models.idefics3.image_processing_pil_idefics3 import (
        Idefics3ImageProcessorPil,
    )

    tokenizer, config = _tiled(transformers.Idefics3Config)
    processor = transformers.Idefics3Processor(
        Idefics3ImageProcessorPil(**_TILES),
        tokenizer,
        image_seq_len=4,
        chat_template=template("<image>"),
    )
    return _saved(folder, transformers.Idefics3ForConditionalGeneration(_seeded(config)), processor)


def smolvlm(folder: Path) -> Path:
    """The same with a processor that takes videos, and spells out their numbers."""
    from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil

    tokenizer, config = _tiled(transformers.SmolVLMConfig)
    processor = processor_class(config)(
        SmolVLMImageProcessorPil(**_TILES),
        tokenizer,
        None,
        image_seq_len=4,
        chat_template=template("<image>"),
    )
    return _saved(folder, transformers.SmolVLMForConditionalGeneration(_seeded(config)), processor)


def qwen3(folder: Path) -> Path:
    """A model that reads text alone."""
    tokenizer = byte_tokenizer()
    tokenizer.chat_template = template("")
    config = transformers.Qwen3Config(**_text(tokenizer), tie_word_embeddings=False)
    return _saved(folder, transformers.Qwen3ForCausalLM(_seeded(config)), tokenizer)


FAMILIES: dict[str, Callable[[Path], Path]] = {
    "qwen3_vl": qwen3_vl,
    "gemma3": gemma3,
    "idefics3": idefics3,
    "smolvlm": smolvlm,
    "qwen3_5": qwen3_5,
    "qwen3": qwen3,
}
CROPPABLE = ("qwen3_vl", "gemma3", "idefics3", "smolvlm", "qwen3")


def template(placeholder: str) -> str:
    """Return our chat template with a family's mark for pictures."""
    return CHATML.replace("IMAGE", placeholder)


def picture(seed: int, height: int = 40, width: int = 56) -> ImageBlock:
    """Return a picture of coloured noise, (height, width, 3) uint8."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return ImageBlock(pixels, "test/noise", f"picture {seed}")


def conversation(num_turns: int) -> list[Message]:
    """Return a task and ``num_turns`` tool calls, each answered with text and a picture."""
    messages = [Message("user", (TextBlock("Make a box."), picture(0)))]
    for turn in range(1, num_turns + 1):
        call = ToolCall("execute", {"code": f"box({turn})"}, f"c{turn}")
        answer = (TextBlock(f"volume {turn}"), picture(turn))
        messages += [Message("assistant", (), (call,)), Message("tool", answer, call_id=call.id)]
    return messages


def _tiled(make: Callable[..., Any]) -> tuple[Any, Any]:
    """Return the tokenizer and the config of a family that cuts pictures into tiles."""
    tiles = [f"<row_{row}_col_{col}>" for row in (1, 2, 3) for col in (1, 2, 3)]
    tokenizer = byte_tokenizer([*_IDEFICS_TOKENS, *tiles])
    config = make(
        text_config={"model_type": "llama", **_text(tokenizer)},
        vision_config=dict(_SIGLIP),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
    )
    return tokenizer, config


def _text(tokenizer: Any, **more: Any) -> dict[str, Any]:
    ids = {
        "vocab_size": len(tokenizer),
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": None,
    }
    return {**_TEXT, **ids, **more}


def _qwen_vision(**more: Any) -> dict[str, Any]:
    return {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_heads": 4,
        "patch_size": 8,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "out_hidden_size": 32,
        "num_position_embeddings": 64,
        **more,
    }


def _qwen_ids(tokenizer: Any) -> dict[str, int]:
    names = ("vision_start", "vision_end", "image", "video")
    tokens = zip(names, _QWEN_TOKENS, strict=True)
    return {f"{name}_token_id": tokenizer.convert_tokens_to_ids(token) for name, token in tokens}


def _qwen_processor(tokenizer: Any) -> Any:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    images = Qwen2VLImageProcessorPil(
        patch_size=8,
        merge_size=2,
        temporal_patch_size=2,
        size={"shortest_edge": 16 * 16, "longest_edge": 64 * 64},
    )
    mark = "<|vision_start|><|image_pad|><|vision_end|>"
    make = image_only(transformers.Qwen3VLProcessor)
    return make(image_processor=images, tokenizer=tokenizer, chat_template=template(mark))


def _seeded(config: Any) -> Any:
    """Make the weights that follow the same every time."""
    torch.manual_seed(0)
    return config


def _saved(folder: Path, model: Any, processor: Any) -> Path:
    """Save a model whose answers vary: stock random weights repeat one token for ever."""
    for name, weight in model.named_parameters():
        if weight.ndim > 1 and "vision" not in name and "visual" not in name:
            torch.nn.init.normal_(weight, std=0.3)
    tokenizer = getattr(processor, "tokenizer", processor)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
