"""`iris route`: how words are understood, one utterance or a file of them."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import click

from iris_harness.bootstrap.assistant import Iris
from iris_harness.contracts.routing import OUT_OF_SCOPE, Decision, Route, Tier
from iris_harness.contracts.scopes import Scope
from iris_harness.errors import UsageError
from iris_harness.surfaces.cli.options import SettingOptions, resolve_setting, setting_options
from iris_harness.surfaces.cli.state import CliState

_TIERS = {"fast": Tier.STATISTICAL, "minilm": Tier.MINILM, "model": Tier.MODEL}
_MICROSECOND = 1000  # ns
_MARK = "\ufeff"
"""The byte order mark with which some programs begin a file."""
_UNCLAIMED = "one two three"
"""What no agent lays claim to, so that the tiers behind the rules are asked."""


class _Line(NamedTuple):
    """One line of the input; `problem` is empty where it can be read."""

    text: str = ""
    reference: dt.datetime | None = None
    problem: str = ""


@click.command()
@click.argument("words", nargs=-1)
@setting_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--jsonl",
    "as_lines",
    is_flag=True,
    help='Read {"text": …, "reference": …} per line of standard input (the reference, a time, may '
    "be left out) and write one line of JSON for each.",
)
@click.option(
    "--tier",
    type=click.Choice(list(_TIERS)),
    help="The slowest way to understand words that may be tried.",
)
@click.pass_obj
def route(
    state: CliState,
    /,
    words: tuple[str, ...],
    *,
    as_json: bool,
    as_lines: bool,
    tier: str | None,
    **options: Any,  # noqa: ANN401 - click's keywords
) -> None:
    """Show how a question is understood, without answering it.

    That is: what is meant, who answers it, how sure that is, and the time it is about.
    """
    if bool(words) == as_lines:
        raise UsageError("say something to understand", hint='iris route "plan my day", or --jsonl')
    setting = resolve_setting(state, SettingOptions(**options))
    if tier is not None:
        setting = replace(setting, routing_tier=_TIERS[tier])
    with Iris(setting) as iris:
        if as_lines:
            _route_lines(iris)
        else:
            _print(iris.route(" ".join(words)), as_json=as_json)


def _print(routes: Iterable[Route], *, as_json: bool) -> None:
    from iris_harness.bootstrap.tracing import route_line

    if as_json:
        click.echo(
            json.dumps([route_to_json(each) for each in routes], ensure_ascii=False, indent=2)
        )
    else:
        click.echo("\n".join(route_line(each) for each in routes))


def _route_lines(iris: Iris) -> None:
    _warm_up(iris)
    for line in _read_lines(sys.stdin.buffer, ZoneInfo(iris.setting.timezone)):
        click.echo(json.dumps(_routed(iris, line), ensure_ascii=False))


def _warm_up(iris: Iris) -> None:
    """Route what agents can be asked, so that no line pays for what is loaded when first used."""
    iris.route(_UNCLAIMED)
    for known in iris.registry.intents():
        for intent in known.intents:
            for example in intent.examples:
                iris.route(f"{_UNCLAIMED} {example}")


def _routed(iris: Iris, line: _Line) -> dict[str, Any]:
    """Return one line's JSON: its first clause, with all of them where there are several."""
    if line.problem and not line.text:
        return {**_NOTHING, "error": line.problem}
    started = time.thread_time_ns()
    routes = iris.route(line.text, line.reference)
    spent = time.thread_time_ns() - started
    found = [route_to_json(each) for each in routes]
    more: dict[str, Any] = {"compute_us": spent / _MICROSECOND}
    if len(found) > 1:
        more["clauses"] = found
    if line.problem:
        more["error"] = line.problem
    return {**found[0], **more}


_NOTHING: Mapping[str, Any] = {
    "utterance": "",
    "intent": OUT_OF_SCOPE,
    "decision": Decision.REFUSE.value,
    "agent": None,
    "confidence": 0.0,
    "tier": Tier.NONE.value,
    "alternatives": [],
    "slots": {},
    "scope": None,
    "compute_us": 0.0,
}
"""What is written for a line that cannot be read, beside why."""


def route_to_json(found: Route) -> dict[str, Any]:
    """Return a route as ``iris route`` prints it; instants have the user's offset."""
    return {
        "utterance": found.utterance,
        "intent": found.intent,
        "decision": found.decision.value,
        "agent": found.agent,
        "confidence": found.confidence,
        "tier": found.tier.value,
        "alternatives": [
            {"intent": one.intent, "confidence": one.confidence} for one in found.alternatives
        ],
        "slots": dict(found.slots),
        "scope": _scope_to_json(found.scope),
    }


def _scope_to_json(scope: Scope | None) -> dict[str, str] | None:
    if scope is None:
        return None
    return {
        "start": scope.start.isoformat(),
        "end": scope.end.isoformat(),
        "kind": scope.kind.value,
        "text": scope.text,
    }


def _read_lines(stream: Iterable[bytes], zone: ZoneInfo) -> Iterator[_Line]:
    """Yield a line for each that is not blank, whatever is in it."""
    for raw in stream:
        text = raw.decode("utf-8", "replace").strip().lstrip(_MARK)
        if text:
            yield _read_line(text, zone)


def _read_line(text: str, zone: ZoneInfo) -> _Line:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _Line(problem="this line is not JSON")
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return _Line(problem='this line is no object with a "text"')
    if value.get("reference") is None:
        return _Line(text=value["text"])
    try:
        reference = dt.datetime.fromisoformat(value["reference"])
        local = reference.astimezone(zone) if reference.tzinfo else reference.replace(tzinfo=zone)
    except (ValueError, TypeError, OverflowError):
        return _Line(text=value["text"], problem="the reference is no ISO 8601 time; took now")
    return _Line(text=value["text"], reference=local)
