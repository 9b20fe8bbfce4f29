"""What a function's signature and docstring say of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from callsheet.kit.errors import SetupError
from callsheet.tools.context import ToolContext

_BY_NAME: Final = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Told:
    """What a function says of itself.

    `place` is where it is written, for messages. `args` has a field for each parameter but the
    context's, in `fields` by the parameter's name; `context` is the name of that one.
    """

    name: str
    place: str
    summary: str
    description: str
    args: type[BaseModel]
    fields: Mapping[str, str]
    context: str | None


@dataclass(frozen=True, slots=True)
class _Doc:
    summary: str
    description: str
    parameters: Mapping[str, str]


def told_of(work: Callable[..., Any]) -> Told:
    """Read a function.

    Raises:
        SetupError: it is no function, has a parameter that a model cannot give by name, or one
            without a type, or of a type that JSON cannot hold.
    """
    if not inspect.isroutine(work):
        raise SetupError(f"{work!r} is no function; give a class that is a tool instead.")
    place = f"{work.__module__}.{work.__qualname__}"
    if inspect.isgeneratorfunction(work) or inspect.isasyncgenfunction(work):
        raise SetupError(f"The function {place} yields; a tool returns its result.")
    hints = _hints(work, place)
    doc = _read(inspect.getdoc(work) or "")
    fields: dict[str, str] = {}
    definitions: dict[str, Any] = {}
    context: str | None = None
    for index, parameter in enumerate(inspect.signature(work).parameters.values()):
        if parameter.kind not in _BY_NAME:
            raise SetupError(
                f"The function {place} takes {parameter}; a model gives each argument by its name."
            )
        hint = hints.get(parameter.name, Parameter.empty)
        if hint is ToolContext:
            context = parameter.name
            continue
        if hint is Parameter.empty:
            raise SetupError(f"The parameter {parameter.name!r} of {place} has no type.")
        # Names of our own: any name is right for a parameter, but not for a field of a model.
        fields[parameter.name] = field = f"argument_{index}"
        definitions[field] = (hint, _field(parameter, hint, doc.parameters))
    return Told(
        name=work.__name__,
        place=place,
        summary=doc.summary,
        description=doc.description,
        args=_model(place, definitions),
        fields=fields,
        context=context,
    )


def called_with(told: Told, args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
    """The parameters of a call by name."""
    given = {name: getattr(args, field) for name, field in told.fields.items()}
    return given if told.context is None else {**given, told.context: ctx}


def _hints(work: Callable[..., Any], place: str) -> Mapping[str, Any]:
    try:
        return get_type_hints(work, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise SetupError(
            f"The types of {place} cannot be read: {error}; import them where the function is "
            "written, not for type checkers alone."
        ) from error


def _field(parameter: Parameter, hint: Any, described: Mapping[str, str]) -> Any:
    """The parameter's default and, where its type does not say more, what the docstring says."""
    own = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, FieldInfo)]
    text = next((each.description for each in own if each.description), None)
    default = ... if parameter.default is Parameter.empty else parameter.default
    return Field(
        default=default,
        alias=parameter.name,
        description=text or described.get(parameter.name),
    )


def _model(place: str, definitions: Mapping[str, Any]) -> type[BaseModel]:
    try:
        made: type[BaseModel] = create_model(place, **definitions)
    except (PydanticUserError, TypeError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise SetupError(f"The arguments of {place} cannot be JSON: {why}") from error
    return made


def _read(text: str) -> _Doc:
    """Google, NumPy, reST or Epydoc; without sections all of it is the description."""
    import docstring_parser  # noqa: PLC0415 - only where functions are tools

    parsed = docstring_parser.parse(text)
    parts = [parsed.short_description, parsed.long_description]
    if parsed.returns is not None and parsed.returns.description:
        parts.append(f"Returns: {parsed.returns.description}")
    return _Doc(
        summary=" ".join((parsed.short_description or "").split()),
        description="\n\n".join(part.strip() for part in parts if part),
        parameters={
            each.arg_name: " ".join(each.description.split())
            for each in parsed.params
            if each.description
        },
    )
