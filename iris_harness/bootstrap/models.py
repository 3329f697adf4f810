"""Language models: from the settings to what can be asked, and what leaves for them."""

from __future__ import annotations

import difflib
import importlib.util
import threading
from collections.abc import Callable, Generator, Mapping
from decimal import Decimal
from types import TracebackType
from typing import TYPE_CHECKING, Self

from iris_harness.config.addresses import host_of, is_loopback
from iris_harness.config.credentials import resolve_key
from iris_harness.config.settings import Model, Settings
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.model import Ability, ChatModel, ChatRequest, ChatResponse
from iris_harness.errors import ConfigError, ModelError, ModelRefusedError
from iris_harness.storage.health import Problem

if TYPE_CHECKING:
    from iris_harness.llm.llama.model import LlamaModel
    from iris_harness.llm.metering import Meter, MeteredModel, Price
    from iris_harness.llm.openai_compatible import OpenAICompatibleModel

_SERVER_EXTRA = "llm-remote"
_LIST_SECONDS = 10.0
_FILE_EXTRA = "llm-prebuilt"


class LazyModel:
    """A `ChatModel` that is opened when it is first asked."""

    def __init__(self, opener: ModelOpener, settings: Model) -> None:
        """Take what opens it, and which one it is."""
        self._opener = opener
        self._settings = settings

    @property
    def name(self) -> str:
        """The name the user gave the model."""
        return self._settings.name

    @property
    def abilities(self) -> frozenset[Ability]:
        """What the settings say that it can do."""
        return model_abilities(self._settings)

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Return one answer; for what it raises see `ChatModel.complete`."""
        return self._opener.open(self.name).complete(request)

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatResponse]:
        """Yield one answer in pieces; for what it raises see `ChatModel.stream`."""
        return self._opener.open(self.name).stream(request)


class ModelOpener:
    """Opens the models of one configuration, each once; thread-safe.

    Close it, or use it as a context: that ends the processes of models in files.
    """

    def __init__(
        self, settings: Settings, clock: Clock, environ: Mapping[str, str] | None = None
    ) -> None:
        """Take what may be opened; nothing is started, sent or fetched yet.

        Args:
            settings: where the models are named.
            clock: bounds each call.
            environ: the environment, a harmless part of which the process of a model in a file
                gets; None: nothing.
        """
        self._settings = settings
        self._clock = clock
        self._environ = environ or {}
        self._opened: dict[str, MeteredModel] = {}
        self._closing: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def open(self, name: str = "") -> MeteredModel:
        """Return the model of that name; an empty one means the default.

        Its meter counts all calls since it was opened, and keeps the budget of the settings.

        Raises:
            ConfigError: there is no such model, or none at all.
            ModelRefusedError: what runs it is not installed.
        """
        settings = find_model(self._settings, name)
        with self._lock:
            if settings.name not in self._opened:
                self._opened[settings.name] = self._metered(settings)
            return self._opened[settings.name]

    def for_agent(self, agent: str) -> LazyModel | None:
        """Return the default model for an agent that may ask it; None for others."""
        default = self._settings.default_model
        if default is None or agent not in self._settings.model_agents:
            return None
        return LazyModel(self, find_model(self._settings, default))

    def close(self) -> None:
        """End what was started."""
        for close in self._closing:
            close()

    def _metered(self, settings: Model) -> MeteredModel:
        from iris_harness.llm.metering import MeteredModel

        if extra := missing_extra(settings):
            raise ModelRefusedError(
                f"{settings.name} cannot be asked: it needs the extra {extra!r}",
                model=settings.name,
                hint=_install(extra),
            )
        return MeteredModel(self._model(settings), _meter(settings))

    def _model(self, settings: Model) -> ChatModel:
        if settings.type == "openai":
            return server_model(settings, self._clock)
        model = file_model(settings, self._clock, self._environ)
        self._closing.append(model.close)
        return model


def find_model(settings: Settings, name: str = "") -> Model:
    """Return the settings of the model of that name; an empty one means the default.

    Raises:
        ConfigError: there is no such model, or none at all.
    """
    wanted = name or settings.default_model or ""
    found = {model.name: model for model in settings.models}
    if wanted in found:
        return found[wanted]
    if not found:
        expected = "at least one model (docs/howto/models.md)"
        raise ConfigError("no language model is set up", key="models", expected=expected)
    near = difflib.get_close_matches(wanted, found, 1)
    raise ConfigError(
        f"no model is named {wanted!r}",
        key="models",
        expected=f"one of: {', '.join(found)}",
        nearest=near[0] if near else None,
    )


def server_model(settings: Model, clock: Clock) -> OpenAICompatibleModel:
    """Return a model on a server; its key is fetched when it is first asked."""
    from iris_harness.llm.attempts import RetryPolicy
    from iris_harness.llm.openai_compatible import OpenAICompatibleModel, ServerSettings

    return OpenAICompatibleModel(
        ServerSettings(
            name=settings.name,
            base_url=settings.base_url or "",
            model=settings.model or "",
            key=_key(settings),
            abilities=model_abilities(settings),
            timeout_seconds=settings.timeout_seconds,
            retry=RetryPolicy(retries=settings.retries),
        ),
        clock,
    )


def model_abilities(settings: Model) -> frozenset[Ability]:
    """Return what a model can do by the settings; nothing is asked for it."""
    if settings.type == "openai":
        return frozenset(map(Ability, settings.supports))
    return frozenset({Ability.GRAMMAR, Ability.JSON_SCHEMA})


def _key(settings: Model) -> Callable[[], str]:
    given = settings.api_key or {"text": ""}
    place = f"models.available.{settings.name}.api_key"
    return lambda: resolve_key(given.get("text", given), place)


def offered_models(settings: Model, clock: Clock) -> tuple[str, ...]:
    """Return what the server of a model offers, in its own order; empty where it does not say.

    Raises:
        ConfigError: the key cannot be had.
    """
    if settings.type != "openai":
        return ()
    try:
        return server_model(settings, clock).served_models(_LIST_SECONDS)
    except ModelError:
        return ()


def file_model(settings: Model, clock: Clock, environ: Mapping[str, str]) -> LlamaModel:
    """Return a model in a file; its process is started when it is first asked."""
    from iris_harness.llm.llama.model import LlamaModel, LlamaSettings

    if settings.path is None:
        raise ValueError("a model in a file has a path")
    return LlamaModel(
        LlamaSettings(
            name=settings.name,
            path=settings.path,
            context_tokens=settings.context_tokens,
            threads=settings.threads,
            timeout_seconds=settings.timeout_seconds,
        ),
        clock,
        environ,
    )


def model_price(settings: Model) -> Price | None:
    """Return what a model's tokens cost; None: nobody said."""
    from iris_harness.llm.metering import Price

    if settings.input_per_million is None or settings.output_per_million is None:
        return None
    return Price(
        input_per_million=Decimal(settings.input_per_million),
        output_per_million=Decimal(settings.output_per_million),
        currency=settings.currency or "",
    )


def _meter(settings: Model) -> Meter:
    from iris_harness.llm.metering import Budget, Meter

    money = None if settings.budget_money is None else Decimal(settings.budget_money)
    return Meter(model_price(settings), Budget(tokens=settings.budget_tokens, money=money))


# What is told about them


def missing_extra(settings: Model) -> str:
    """Return the extra that has to be installed before a model can be asked; empty: none."""
    if settings.type == "openai":
        return "" if importlib.util.find_spec("httpcore") else _SERVER_EXTRA
    from iris_harness.llm.llama.engines import installed_engines

    return "" if installed_engines() else _FILE_EXTRA


def _install(extra: str) -> str:
    return f"pip install 'iris-harness[{extra}]'"


def leaves_this_machine(settings: Model) -> bool:
    """Return whether what is asked of a model goes to another machine."""
    return settings.base_url is not None and not is_loopback(host_of(settings.base_url))


def what_models_are_told(settings: Settings) -> tuple[str, ...]:
    """Return one line for each model on another machine, in configured order."""
    return tuple(
        f"{host_of(model.base_url or '')}: told what the model {model.name} is asked{_how(model)}; "
        f"{_by_whom(model, settings)}"
        for model in settings.models
        if leaves_this_machine(model)
    )


def _by_whom(model: Model, settings: Settings) -> str:
    agents = settings.model_agents if model.name == settings.default_model else ()
    named = f", by the agents {', '.join(agents)}" if agents else ""
    return f"asked by plan --tell, by jobs that it plans{named}, and by nothing else"


def _how(model: Model) -> str:
    key = ", with your key" if model.api_key else ""
    open_line = ", not encrypted" if (model.base_url or "").lower().startswith("http:") else ""
    return key + open_line


def check_models(settings: Settings) -> tuple[Problem, ...]:
    """Return why models cannot be asked, in configured order; asks none."""
    return tuple(problem for model in settings.models for problem in model_problems(model))


def model_problems(model: Model) -> tuple[Problem, ...]:
    """Return why this installation cannot ask a model; asks none."""
    title = f"the model {model.name} cannot be asked"
    if extra := missing_extra(model):
        detail = f"it needs the extra {extra!r}"
        return (Problem(title=title, detail=detail, fix=_install(extra)),)
    if model.path is not None and not model.path.is_file():
        detail = f"{model.path} is no file"
        return (Problem(title=title, detail=detail, fix="correct its path in the settings"),)
    return ()
