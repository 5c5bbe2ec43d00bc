"""Entries to put in a vault."""

from deid_tasks.platform.vault.entries import text_hash

PUBLISHED = "Seen by Dr. Marlow on 3/1/2024."
ORIGINAL = "Seen by Dr. Okafor on 3/14/2024."


def entry(key: str, published: str = PUBLISHED, original: str = ORIGINAL) -> dict:
    return {
        "note_key": key,
        "note_id": f"N-{key}",
        "patient_id": "P1",
        "published_sha256": text_hash(published),
        "original_sha256": text_hash(original),
        "replacements": [
            {"start": 12, "end": 18, "original_start": 12, "original_end": 18, "surrogate": "Marlow",
            "original": "Okafor"},
            {"start": 22, "end": 30, "original_start": 22, "original_end": 31, "surrogate": "3/1/2024",
            "original": "3/14/2024"},
        ],
    }  # fmt: skip
