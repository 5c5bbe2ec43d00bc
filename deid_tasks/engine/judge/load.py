"""The judge that settings describe."""

from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.judge.decisions import Judge
from deid_tasks.settings import JudgeSettings, Secrets


def load_judge(settings: JudgeSettings | None, secrets: Secrets | None = None) -> Judge | None:
    """Return the judge of an engine's settings; ``None`` where they have none. Nothing is sent yet.

    Args:
        settings: the judge's.
        secrets: an institution's, among which the settings may name the judge's keys.

    Raises:
        SettingsError: A package is missing, the prompt does not exist or judges nothing, or the deployment forbids the
            endpoint.
    """
    if settings is None:
        return None
    try:
        # Here: engines without a judge run without these packages.
        from deid_tasks.engine.judge.span_judge import SpanJudge
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in {"httpx", "tenacity"}:
            raise
        raise SettingsError(
            f"judge: the package {error.name} is not installed: pip install 'palimpsest-deid[llm]'"
        ) from None
    return SpanJudge(settings, secrets)
