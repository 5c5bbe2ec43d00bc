"""``python -m deid_tasks.comparison.imports``: outputs of another tool as a process of the comparison's protocol."""

from deid_tasks.comparison.imports.files_system import ImportedOutputs
from deid_tasks.comparison.protocol import serve

if __name__ == "__main__":
    serve(ImportedOutputs)
