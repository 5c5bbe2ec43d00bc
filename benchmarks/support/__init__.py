"""What several benchmarks share: notes and their scores, an institution with its engine, tables of results."""
