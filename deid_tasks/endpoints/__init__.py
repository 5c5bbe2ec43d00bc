"""Services that are asked over HTTP, large language models among them; they need the extra ``llm``.

``rest`` sends requests, ``chat`` asks a model behind any endpoint that speaks OpenAI's chat completions, ``prompts``
holds the versioned prompts, ``answers`` reads what came back, and ``answer_cache`` remembers it under keyed hashes. The
settings are in ``settings.endpoints``.
"""
