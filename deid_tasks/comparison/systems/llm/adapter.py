"""A large language model behind an endpoint. Option ``settings``: a YAML file of ``DetectorSettings``."""

from deid_tasks.comparison.llm.detector import LlmDetector
from deid_tasks.comparison.llm.settings import detector_settings
from deid_tasks.comparison.protocol import serve

if __name__ == "__main__":
    serve(lambda options: LlmDetector(detector_settings(options)))
