"""Where the engine's time goes, and how much of the machine it uses."""

from deid_tasks.bench.simulated import simulated_notes
from deid_tasks.bench.stages import Bench, Measured, Stage
from deid_tasks.bench.work import bfloat16_peak, int8_peak, multiply_adds_a_piece

__all__ = ["Bench", "Measured", "Stage", "bfloat16_peak", "int8_peak", "multiply_adds_a_piece", "simulated_notes"]
