"""Benchmarks of the engine: the time of each stage, and the share of the machine's peak that the models reach.

``Bench`` observes the pipeline's own run; ``deid bench`` prints what it measures.
"""

from deid_tasks.bench.simulated import simulated_notes
from deid_tasks.bench.stages import Bench, BenchResult, Stage
from deid_tasks.bench.work import bfloat16_peak, int8_peak, multiply_adds_a_piece

__all__ = ["Bench", "BenchResult", "Stage", "bfloat16_peak", "int8_peak", "multiply_adds_a_piece", "simulated_notes"]
