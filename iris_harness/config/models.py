"""Settings of language models: which there are, and which is asked."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictStr,
    model_serializer,
    model_validator,
)

from iris_harness.config.addresses import address_problem, is_loopback
from iris_harness.config.credentials import ENV
from iris_harness.config.sections import Section, problem
from iris_harness.config.shapes import all_named, is_fetched
from iris_harness.files import user_path

_LARGEST = Decimal(1_000_000)
_Ability = Literal["json_schema", "tools", "grammar"]


def secret(value: object) -> object:
    """Accept a text, a command that prints it, or a variable; the value is never repeated."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, dict) and len(value) == 1:
        if isinstance(name := value.get(ENV), str) and name:
            return value
        if is_fetched(value):
            return value
    raise problem("not a key")


def _amount(value: object) -> Decimal:
    # A number that YAML read as a float has the digits that were written.
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise problem("not an amount")
    try:
        amount = Decimal(str(value).strip())
    except InvalidOperation:
        raise problem("not an amount") from None
    if not (amount.is_finite() and 0 <= amount <= _LARGEST):
        raise problem("not an amount from 0 to 1000000")
    return amount


Amount = Annotated[
    Decimal, PlainValidator(_amount), PlainSerializer(lambda amount: f"{amount:f}", return_type=str)
]
AMOUNT_FORM = "an amount, as 2.50"


class ModelPrice(Section):
    """What a model's tokens cost."""

    input_per_million: Amount = Field(
        description="Price of a million tokens sent.",
        json_schema_extra={"expected": AMOUNT_FORM},
    )
    output_per_million: Amount = Field(
        description="Price of a million tokens made.",
        json_schema_extra={"expected": AMOUNT_FORM},
    )
    currency: Annotated[StrictStr, Field(pattern=r"^[A-Z]{3}$")] = Field(
        default="USD",
        description="ISO 4217.",
        json_schema_extra={"expected": "a currency of three letters, as EUR"},
    )


class ModelBudget(Section):
    """The most that one run of Iris may spend on a model."""

    tokens: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        default=None,
        description="Tokens sent and made; None: any number.",
        json_schema_extra={"expected": "a whole number of tokens above 0"},
    )
    money: Amount | None = Field(
        default=None,
        description="Amount in the price's currency; None: any.",
        json_schema_extra={"expected": AMOUNT_FORM},
    )


def _base_url(value: object) -> object:
    if not isinstance(value, str):
        raise problem("not an address")
    if why := address_problem(value):
        raise problem(why)
    if urlsplit(value).scheme.lower() not in {"http", "https"}:
        raise problem("a model is asked over https or http")
    return value


def _path(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not value.strip() or "://" in value:
        raise problem("not a path")
    return user_path(value)


def _no_repeats(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


_ONLY_SERVER = ("base_url", "model", "api_key", "supports", "allow_unencrypted", "retries", "price")
_ONLY_FILE = ("path", "context_tokens", "threads")


class ModelSettings(Section):
    """One language model: on a server, or in a file."""

    name: StrictStr = Field(
        min_length=1,
        description="What it is called here.",
        json_schema_extra={"expected": "a name, unique among models"},
    )
    type: Literal["openai", "llama_cpp"] = Field(
        description="A server of OpenAI's kind, or a file that llama.cpp runs on this machine.",
        json_schema_extra={"expected": "openai or llama_cpp"},
    )
    base_url: Annotated[StrictStr, BeforeValidator(_base_url)] | None = Field(
        default=None,
        description="Address of the server; it often ends in /v1.",
        json_schema_extra={"expected": "an address, as https://api.openai.com/v1"},
    )
    model: Annotated[StrictStr, Field(min_length=1)] | None = Field(
        default=None,
        description="What the server calls the model.",
        json_schema_extra={"expected": "the model's name on that server"},
    )
    api_key: Annotated[str | dict[str, Any], PlainValidator(secret)] | None = Field(
        default=None,
        repr=False,
        description="Key, the command that prints it, or the variable that holds it.",
        json_schema_extra={"expected": "{fetch: [command, argument]}, {env: NAME}, or the key"},
    )
    supports: Annotated[tuple[_Ability, ...], AfterValidator(_no_repeats)] = Field(
        default=("json_schema", "tools"),
        description="What the server does by itself.",
        json_schema_extra={"expected": "a list of json_schema, tools, grammar"},
    )
    allow_unencrypted: StrictBool = Field(
        default=False,
        description="Whether the key may be sent over http:// to another machine.",
        json_schema_extra={"expected": "true or false"},
    )
    retries: Annotated[int, Field(strict=True, ge=0, le=10)] = Field(
        default=2,
        description="Times a failed call is made again.",
        json_schema_extra={"expected": "a whole number, 0 to 10"},
    )
    price: ModelPrice | None = Field(
        default=None,
        description="What tokens cost; None: not counted in money.",
        json_schema_extra={"expected": "{input_per_million: 2.50, output_per_million: 10}"},
    )
    path: Annotated[Path, BeforeValidator(_path)] | None = Field(
        default=None,
        description="File of the model (GGUF).",
        json_schema_extra={"expected": "the path of a .gguf file"},
    )
    context_tokens: Annotated[int, Field(strict=True, ge=256, le=1_048_576)] = Field(
        default=4096,
        description="Longest prompt and answer together, in tokens.",
        json_schema_extra={"expected": "a whole number of tokens, 256 to 1048576"},
    )
    threads: Annotated[int, Field(strict=True, ge=1, le=256)] | None = Field(
        default=None,
        description="Threads; None: one less than there are cores.",
        json_schema_extra={"expected": "a whole number, 1 to 256"},
    )
    timeout_seconds: Annotated[float, Field(strict=True, gt=0, le=3600, allow_inf_nan=False)] = (
        Field(
            default=120.0,
            description="Seconds for one answer, all in all.",
            json_schema_extra={"expected": "a number of seconds above 0, at most 3600"},
        )
    )
    budget: ModelBudget | None = Field(
        default=None,
        description="The most that one run may spend; None: any amount.",
        json_schema_extra={"expected": "{tokens: 100000}, {money: 1.50}, or both"},
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        server = self.type == "openai"
        for key in ("base_url", "model") if server else ("path",):
            if getattr(self, key) is None:
                raise problem("missing", at=(key,))
        foreign = _ONLY_FILE if server else _ONLY_SERVER
        other = "llama_cpp" if server else "openai"
        if only := [key for key in foreign if key in self.model_fields_set]:
            raise problem(f"only type: {other} has this", at=(only[0],))
        return self

    @model_validator(mode="after")
    def _key_is_safe(self) -> Self:
        parts = urlsplit(self.base_url or "https:")
        cleartext = parts.scheme.lower() == "http" and not is_loopback(parts.hostname or "")
        if self.api_key is not None and cleartext and not self.allow_unencrypted:
            said = (
                "a key is sent to other machines over https only, or with allow_unencrypted: true"
            )
            raise problem(said, at=("base_url",))
        return self

    @model_validator(mode="after")
    def _money_has_a_price(self) -> Self:
        if self.budget is not None and self.budget.money is not None and self.price is None:
            raise problem("a budget of money needs the price of tokens", at=("price",))
        return self

    @model_serializer(mode="wrap")
    def _only_what_applies(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        tree: dict[str, Any] = dump(self)
        foreign = _ONLY_FILE if self.type == "openai" else _ONLY_SERVER
        return {key: v for key, v in tree.items() if v is not None and key not in foreign}


class Models(Section):
    """Language models. Nothing needs one."""

    default: Annotated[StrictStr, Field(min_length=1)] | None = Field(
        default=None,
        description="Name of the model that is asked where none is named; None: the first.",
        json_schema_extra={"expected": "the name of one of the models"},
    )
    agents: Annotated[tuple[StrictStr, ...], AfterValidator(_no_repeats)] = Field(
        default=(),
        description="Names of agents that may ask the default model.",
        json_schema_extra={"expected": "a list of agents' names"},
    )
    available: Annotated[tuple[ModelSettings, ...], AfterValidator(all_named("models"))] = Field(
        default=(),
        description="The models.",
        json_schema_extra={"expected": "a list of {name, type, …}"},
    )

    @property
    def default_name(self) -> str | None:
        """The model that is asked where none is named; None: there is no model."""
        return self.default or next((model.name for model in self.available), None)

    @model_validator(mode="after")
    def _default_is_there(self) -> Self:
        if self.default is not None:
            check_model_name(self.default, (model.name for model in self.available), ("default",))
        return self


def check_model_name(name: str, names: Iterable[str], at: tuple[str | int, ...]) -> None:
    """Refuse the name of a model that is not among `names`, in a validator of the key `at`."""
    known = list(names)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        raise problem(f"no model is named {name!r}", nearest=near[0] if near else None, at=at)
