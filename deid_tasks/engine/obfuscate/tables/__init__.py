"""Structured tables: rows of the warehouse, de-identified beside the notes.

``table_rules`` reads from dbt's column meta what happens to each column. ``rewrite_row`` applies the rules to a row,
with the same surrogates, pseudonyms and date shifts that the notes of the patient get.
"""

from deid_tasks.engine.obfuscate.tables.column_rules import ColumnRule, TableRules, table_rules
from deid_tasks.engine.obfuscate.tables.row_rewriting import rewrite_row

__all__ = ["ColumnRule", "TableRules", "rewrite_row", "table_rules"]
