"""Large language models as systems of a comparison, over any endpoint that speaks OpenAI's chat completions.

``detector`` finds identifiers in notes: ``windows`` divides them, and ``quotes`` turns what came back into offsets. Who
is asked, and how, is in ``endpoints``. The judge of uncertain spans is a part of the engine: ``engine.judge``.

``python -m deid_tasks.comparison.llm`` is the detector as a process of the comparison's protocol.
"""
