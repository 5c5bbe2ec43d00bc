"""scrubadub."""
