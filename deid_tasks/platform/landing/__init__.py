"""Deliveries of nightly extracts: what belongs together, what each file holds, and which of its rows are good.

``deid_tasks.platform.runs.landing`` loads them; ``deid_tasks.platform.warehouse.landing`` writes the raw tables.
"""
