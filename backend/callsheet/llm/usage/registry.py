"""Each dialect's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callsheet.llm.usage.dialect import UsageDialect
from callsheet.llm.usage.form import Form
from callsheet.llm.usage.forms.anthropic import ANTHROPIC
from callsheet.llm.usage.forms.chat import ARK, GLM, MINIMAX, OPENAI, REASONING_OUTSIDE, VLLM
from callsheet.llm.usage.forms.dashscope import DASHSCOPE, DASHSCOPE_NATIVE
from callsheet.llm.usage.forms.deepseek import DEEPSEEK
from callsheet.llm.usage.forms.gemini import GEMINI
from callsheet.llm.usage.forms.litellm import LITELLM
from callsheet.llm.usage.forms.moonshot import MOONSHOT
from callsheet.llm.usage.forms.ollama import OLLAMA
from callsheet.llm.usage.forms.responses import RESPONSES

FORMS: Final[Mapping[UsageDialect, Form]] = {
    "openai": OPENAI,
    "responses": RESPONSES,
    "dashscope": DASHSCOPE,
    "dashscope_native": DASHSCOPE_NATIVE,
    "deepseek": DEEPSEEK,
    "moonshot": MOONSHOT,
    "minimax": MINIMAX,
    "ark": ARK,
    "glm": GLM,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "ollama": OLLAMA,
    "vllm": VLLM,
    "litellm": LITELLM,
    "relay_reasoning_outside": REASONING_OUTSIDE,
}
