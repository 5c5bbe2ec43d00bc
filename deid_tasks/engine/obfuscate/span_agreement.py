from deid_tasks.core.span import Span


def agree_spans(text, spans, is_treated_alike):
    return spans
