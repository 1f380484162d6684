"""A small Qwen3-VL with random weights, so that the policy benchmark needs no download.

6 layers of 256 for text, 4 layers of 192 for pictures, 16 px patches of which four make a token.
Its tokenizer knows single bytes and the marks of the chat template. What it writes is nonsense
that never stops by itself; what it costs is real.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from cadwright.agent.models.processors import image_only

PAD, START, STOP = "<pad>", "<|im_start|>", "<|im_end|>"
SEE, SEEN, IMAGE, VIDEO = "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"

TEMPLATE = """
{%- macro show(content) %}
{%- if content is string %}{{ content }}{% else %}{% for item in content %}
{%- if item.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>
{%- else %}{{ item.text }}{% endif %}
{%- endfor %}{% endif %}
{%- endmacro %}
{%- if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ show(message.content) }}
{%- for call in message.tool_calls or [] %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

TEXT = {
    "hidden_size": 256,
    "intermediate_size": 704,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 32,
    "max_position_embeddings": 16384,
    "rope_parameters": {
        "rope_type": "default",
        "rope_theta": 10000.0,
        "mrope_section": [6, 5, 5],
        "mrope_interleaved": True,
    },
}
VISION = {
    "depth": 4,
    "hidden_size": 192,
    "intermediate_size": 576,
    "num_heads": 6,
    "patch_size": 16,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "out_hidden_size": 256,
    "num_position_embeddings": 256,
    "deepstack_visual_indexes": [1],
}


def write_model(folder: Path, *, layers: int = 6, seed: int = 0) -> Path:
    """Write the model into ``folder``; fewer ``layers`` make a draft model."""
    tokenizer = byte_tokenizer()
    ids = tokenizer.convert_tokens_to_ids
    text = {
        **TEXT,
        "num_hidden_layers": layers,
        "vocab_size": len(tokenizer),
        "pad_token_id": ids(PAD),
        "eos_token_id": ids(STOP),
        "bos_token_id": None,
    }
    config = transformers.Qwen3VLConfig(
        text_config=text,
        vision_config=VISION,
        image_token_id=ids(IMAGE),
        video_token_id=ids(VIDEO),
        vision_start_token_id=ids(SEE),
        vision_end_token_id=ids(SEEN),
        tie_word_embeddings=False,
    )
    torch.manual_seed(seed)
    model = transformers.Qwen3VLForConditionalGeneration(config)
    for name, weight in model.named_parameters():
        if weight.ndim > 1 and "visual" not in name:
            torch.nn.init.normal_(weight, std=0.1)  # stock weights repeat one token for ever
    with torch.no_grad():
        model.lm_head.weight[ids(STOP)] = 0  # never the likeliest: every answer has its full length
    model.generation_config.eos_token_id = ids(STOP)
    model.generation_config.pad_token_id = ids(PAD)
    model.save_pretrained(folder)
    processor(tokenizer).save_pretrained(folder)
    return folder


def byte_tokenizer() -> Any:
    """Return a tokenizer of single bytes and the marks of the template."""
    marks = [PAD, START, STOP, SEE, SEEN, IMAGE, VIDEO]
    symbols = [*marks, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE(vocab={name: n for n, name in enumerate(symbols)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(marks)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=STOP, pad_token=PAD, padding_side="left"
    )


def processor(tokenizer: Any) -> Any:
    """Return the image-only processor of the family."""
    images = Qwen2VLImageProcessorPil(
        patch_size=16,
        merge_size=2,
        temporal_patch_size=2,
        size={"shortest_edge": 32 * 32, "longest_edge": 512 * 512},
    )
    make = image_only(transformers.Qwen3VLProcessor)
    return make(image_processor=images, tokenizer=tokenizer, chat_template=TEMPLATE)
