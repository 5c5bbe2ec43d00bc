"""``python -m deid_tasks.comparison.llm``: an LLM as a process of the comparison's protocol.

Its options are those of ``DetectorSettings``, or ``{"settings": FILE}`` for a YAML file of them.
"""

from deid_tasks.comparison.llm.detector import LlmDetector
from deid_tasks.comparison.llm.settings import detector_settings
from deid_tasks.comparison.protocol import serve

if __name__ == "__main__":
    serve(lambda options: LlmDetector(detector_settings(options)))
