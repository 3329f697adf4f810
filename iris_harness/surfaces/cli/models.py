"""`iris models`: which language models are set up, and whether they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from iris_harness.config.settings import Model, Settings
from iris_harness.contracts.canonical import Json
from iris_harness.surfaces.cli.output import EXIT_DEGRADED, EXIT_ERROR, EXIT_OK, print_json
from iris_harness.surfaces.cli.state import CliState

if TYPE_CHECKING:
    from iris_harness.llm.metering import MeteredModel, Spent

_NO_MODEL = (
    "No language model is set up, and nothing needs one.\n"
    "docs/howto/models.md says how to add one, on a server or on this machine."
)


@click.group(invoke_without_command=True)
@click.pass_context
def models(ctx: click.Context, /) -> int:
    """List the language models you set up; try one.

    Nothing needs a model: plans, answers and changes are made without.
    """
    return EXIT_OK if ctx.invoked_subcommand else ctx.invoke(list_models)


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_models(state: CliState, /, as_json: bool = False) -> int:  # noqa: FBT001, FBT002 - click's keywords
    """Say which models there are, where they run, and what they cost. Asks none."""
    settings = state.settings
    if as_json:
        print_json([_model_json(model, settings) for model in settings.models])
    elif not settings.models:
        click.echo(_NO_MODEL)
    for model in () if as_json else settings.models:
        for line in _lines(model, settings):
            click.echo(line)
    return EXIT_OK


@models.command()
@click.argument("name", default="")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def test(state: CliState, /, name: str, as_json: bool) -> int:  # noqa: FBT001 - click's keywords
    """Ask a model a few short questions and say how it did.

    NAME is one of `iris models list`; without it the default is asked. The questions hold nothing
    of yours. A model that costs money costs a few hundred tokens.
    """
    from iris_harness.bootstrap.models import ModelOpener, find_model
    from iris_harness.clock import SystemClock
    from iris_harness.config.environment import variables

    settings = find_model(state.settings, name)
    if not as_json:
        click.echo(f"{settings.name}: {_place(settings)}")
    with ModelOpener(state.settings, SystemClock(), variables()) as opener:
        model = opener.open(settings.name)
        results = []
        for result in _trials(model, SystemClock().monotonic):
            results.append(result)
            if not as_json:
                click.echo(f"  {'ok' if result.ok else 'no':<3} {result.what}: {result.said}")
    spent = model.meter.spent
    offered = () if results[0].ok else _offered(settings)
    if as_json:
        print_json(_test_json(settings, results, spent, offered))
    else:
        if offered:
            click.echo(f"  the server offers {', '.join(offered)}")
        click.echo(f"  {_spent(spent)}")
    if not results[0].ok:
        return EXIT_ERROR
    return EXIT_OK if all(result.ok for result in results) else EXIT_DEGRADED


_NAMES = 10  # of a server's models that are shown


class _Trial(NamedTuple):
    what: str
    ok: bool
    said: str


def _trials(model: MeteredModel, monotonic: Callable[[], float]) -> Iterator[_Trial]:
    """Try what a model says it can; the first trial is a plain answer, without it no other."""
    from iris_harness.surfaces.cli.model_trials import TRIALS

    for what, ability, trial in TRIALS:
        if ability is not None and ability not in model.abilities:
            continue
        began = monotonic()
        ok, said = trial(model)
        yield _Trial(what, ok, f"{said} ({monotonic() - began:.1f} s)")
        if ability is None and not ok:
            return


def _offered(settings: Model) -> tuple[str, ...]:
    """Return names that the server knows, unless the user's is among them; not all of many."""
    from iris_harness.bootstrap.models import offered_models
    from iris_harness.clock import SystemClock
    from iris_harness.curator.clean import cleaned

    offered = offered_models(settings, SystemClock())
    return () if settings.model in offered else cleaned(*offered[:_NAMES])


def _lines(model: Model, settings: Settings) -> Iterator[str]:
    mark = " (default)" if model.name == settings.default_model else ""
    yield f"{model.name}{mark}"
    yield f"  {_place(model)}"
    if model.input_per_million is not None:
        price = f"{model.input_per_million} sent, {model.output_per_million} made"
        yield f"  price of a million tokens: {price}, {model.currency}"
    if bounds := _budget(model):
        yield f"  one run may spend {bounds}"
    if problem := _problem(model):
        yield f"  cannot be asked: {problem}"


def _place(model: Model) -> str:
    from iris_harness.bootstrap.models import leaves_this_machine
    from iris_harness.config.addresses import host_of

    if model.path is not None:
        return f"{model.path}, run by llama.cpp; nothing leaves this machine"
    where = host_of(model.base_url or "")
    if leaves_this_machine(model):
        return f"{model.model} at {where}; what you ask it leaves this machine"
    return f"{model.model} at {where}; nothing leaves this machine"


def _budget(model: Model) -> str:
    money = f"{model.budget_money} {model.currency}" if model.budget_money is not None else ""
    tokens = f"{model.budget_tokens} tokens" if model.budget_tokens is not None else ""
    return " and ".join(filter(None, (tokens, money)))


def _problem(model: Model) -> str:
    from iris_harness.bootstrap.models import model_problems

    return next((f"{one.detail}; {one.fix}" for one in model_problems(model)), "")


def _spent(spent: Spent) -> str:
    if spent.tokens == 0:
        return "nothing was spent"
    tokens = f"spent {spent.prompt_tokens} tokens sent and {spent.completion_tokens} made"
    cost = "" if spent.cost is None else f", {spent.cost.normalize():f} {spent.currency}"
    return f"{tokens}{cost}{'; partly estimated' if spent.estimated_calls else ''}"


def _model_json(model: Model, settings: Settings) -> Json:
    from iris_harness.bootstrap.models import leaves_this_machine

    return {
        "name": model.name,
        "type": model.type,
        "default": model.name == settings.default_model,
        "model": model.model,
        "base_url": model.base_url,
        "path": None if model.path is None else str(model.path),
        "leaves_this_machine": leaves_this_machine(model),
        "input_per_million": model.input_per_million,
        "output_per_million": model.output_per_million,
        "currency": model.currency,
        "budget_tokens": model.budget_tokens,
        "budget_money": model.budget_money,
        "problem": _problem(model),
    }


def _test_json(model: Model, results: list[_Trial], spent: Spent, offered: tuple[str, ...]) -> Json:
    return {
        "name": model.name,
        "trials": [{"what": one.what, "ok": one.ok, "said": one.said} for one in results],
        "prompt_tokens": spent.prompt_tokens,
        "completion_tokens": spent.completion_tokens,
        "cost": None if spent.cost is None else f"{spent.cost.normalize():f}",
        "currency": spent.currency,
        "estimated": bool(spent.estimated_calls),
        "offered": list(offered),
    }
