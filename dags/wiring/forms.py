"""Trigger forms that are made from pydantic models, and read back with the same models."""

from collections.abc import Mapping
from typing import Any, TypeVar

from airflow.sdk import Param, get_current_context
from pydantic import BaseModel, ValidationError

from deid_tasks.core.errors import SettingsError

Form = TypeVar("Form", bound=BaseModel)


def form_params(form: BaseModel) -> dict[str, Param]:
    """Return one ``Param`` for each field of a form, with the field's schema and the form's value as default."""
    values = form.model_dump(mode="json")
    properties: dict[str, dict[str, Any]] = type(form).model_json_schema()["properties"]
    return {name: Param(values[name], **_param_schema(name, schema)) for name, schema in properties.items()}


def read_form(model: type[Form], params: Mapping[str, Any]) -> Form:
    """Return what a form sent as an instance of its model.

    Raises:
        SettingsError: a value breaks the model's rules; the text names each field and its rule.
    """
    try:
        return model.model_validate(dict(params))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'form'}: {e['msg']}" for e in error.errors())
        raise SettingsError(f"trigger form: {problems}; trigger the DAG again with other values") from None


def current_form(model: type[Form]) -> Form:
    """Return the form of the run that the calling task belongs to; raises ``SettingsError`` as ``read_form`` does."""
    return read_form(model, get_current_context()["params"])


def _param_schema(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: value for key, value in schema.items() if key != "default"}
    shown["title"] = name.replace("_", " ").capitalize()
    choices = schema.get("items", {}).get("enum")
    # Airflow shows a list of choices where a field has examples.
    return shown | {"examples": choices} if choices else shown
