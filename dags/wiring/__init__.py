"""What the DAG files share: policy, assets, forms, documents, and the call of a step of the platform.

Everything here is cheap to import, because every parse of a DAG file imports it; steps are imported when a task runs.
"""
