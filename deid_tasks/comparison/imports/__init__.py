"""Outputs of other tools as a system of a comparison: ``files:FORMAT:FOLDER``.

The tools themselves are not run. ``note_outputs`` reads what they wrote, note by note, and ``files_system`` answers
notes from it.
"""
