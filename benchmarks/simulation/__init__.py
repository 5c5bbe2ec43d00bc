"""Speed and shape of the simulated hospital."""
