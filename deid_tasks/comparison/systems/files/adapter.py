"""Outputs of another tool, from files. Option ``source``: ``FORMAT:FOLDER``."""

from deid_tasks.comparison.imports.files_system import ImportedOutputs
from deid_tasks.comparison.protocol import serve

if __name__ == "__main__":
    serve(ImportedOutputs)
