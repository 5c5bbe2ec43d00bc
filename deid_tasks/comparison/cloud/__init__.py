"""Cloud services that find identifiers, as systems of a comparison.

``aws``, ``azure`` and ``google`` are one service each, ``service`` divides notes into what a service accepts and maps
offsets back, and ``terms`` says what notes cost, before anything is sent. Text of notes leaves the host: each service
needs ``allow_remote``.
"""
