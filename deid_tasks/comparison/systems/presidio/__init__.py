"""Microsoft Presidio."""
