"""Large language models as systems of a comparison, over any endpoint that speaks OpenAI's chat completions.

``detector`` finds identifiers in notes; ``judge`` decides about spans that other detectors propose. ``settings`` says
where the endpoint is and how it is asked, ``prompts`` holds the versioned prompts, ``chat`` sends the requests,
``answers`` and ``quotes`` turn what came back into offsets, and ``cache`` remembers it under keyed hashes.

``python -m deid_tasks.comparison.llm`` is the detector as a process of the comparison's protocol.
"""
