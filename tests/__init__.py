"""The tests; their folders mirror those of the repository."""
