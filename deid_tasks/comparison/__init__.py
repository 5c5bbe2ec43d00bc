"""Other de-identification systems beside this one: the same notes, the same scorer, the same machine.

Each system runs in a process and an environment of its own and speaks the ``protocol``. ``systems`` holds one folder
a system, with its adapter, its pinned requirements and the map of its labels.
"""
