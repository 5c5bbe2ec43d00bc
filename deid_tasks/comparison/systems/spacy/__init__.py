"""Any spaCy pipeline."""
