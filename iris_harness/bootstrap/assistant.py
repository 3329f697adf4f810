"""`Iris`: one running assistant, assembled from a configuration or from a setting."""

from __future__ import annotations

import datetime as dt
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar
from zoneinfo import ZoneInfo

from iris_harness.bootstrap.actions.prepared import Prepared
from iris_harness.bootstrap.actions.runner import ActionRunner
from iris_harness.bootstrap.actions.turns import Acted, TurnActor
from iris_harness.bootstrap.choices import OpenChoices
from iris_harness.bootstrap.day import open_store, recall_days, save_plans
from iris_harness.bootstrap.evidence import EvidenceReader, is_borne_out
from iris_harness.bootstrap.follow_ups import FollowUps
from iris_harness.bootstrap.job_reports import KeptJobs, own_jobs
from iris_harness.bootstrap.reminders import own_reminders
from iris_harness.bootstrap.setting import DaySetting, configured_setting
from iris_harness.bootstrap.shown_last import ShownLast
from iris_harness.bootstrap.tracing import Step, Trace
from iris_harness.bootstrap.turns import TurnContext, build_task_plan, confidences, only_by
from iris_harness.clock import SystemClock
from iris_harness.config.credentials import resolve_settings
from iris_harness.config.settings import settings_of
from iris_harness.contracts.actions import Action
from iris_harness.contracts.clock import Clock
from iris_harness.contracts.day import PlannedDay
from iris_harness.contracts.memory import DayMemory
from iris_harness.contracts.ports import AgentPorts
from iris_harness.contracts.progress import ProgressListener
from iris_harness.contracts.reply import Reply, TextBlock
from iris_harness.contracts.reports import ActionReport
from iris_harness.contracts.results import AgentResult
from iris_harness.contracts.routing import Route
from iris_harness.contracts.tasks import TaskPlan
from iris_harness.contracts.unicode import well_formed
from iris_harness.curator.clean import clean, speakable
from iris_harness.curator.compose import Curator
from iris_harness.errors import StorageError
from iris_harness.executor import AgentExecutor, CancelToken, ExecutorSettings
from iris_harness.registry import load_agents, load_router
from iris_harness.storage.records import StoredTurn

if TYPE_CHECKING:
    from iris_harness.config.schema import Config

ValueT = TypeVar("ValueT")


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One question and its answer."""

    reply: Reply
    trace: Trace
    waiting: tuple[Prepared, ...] = ()
    """What waits for the user's yes; within a conversation "yes" is enough."""


class Iris:
    """A running assistant: ask it questions until it is closed. Thread-safe.

    ::

        with Iris(load_config()) as iris:
            print(iris.ask("plan my day").text)
    """

    def __init__(self, source: Config | DaySetting, *, clock: Clock | None = None) -> None:
        """Assemble every part; nothing of the user's is read before the first question.

        Args:
            source: the configuration, or a setting that was resolved already.
            clock: where time comes from; None means the setting's own (the system clock).

        Raises:
            ConfigError: a value of the configuration cannot be used.
        """
        setting = (
            source if isinstance(source, DaySetting) else configured_setting(settings_of(source))
        )
        self.setting = setting if clock is None else replace(setting, clock=clock)
        self.jobs = own_jobs(self.setting)
        """The user's jobs, closed with this; None for the demonstration and paths."""
        self.registry = load_agents(self._ports, disabled=setting.disabled_agents)
        self._router = load_router(self.registry, tier=setting.routing_tier)
        self._executor = AgentExecutor(
            self.registry.agents, self.setting.clock, setting.executor or ExecutorSettings()
        )
        self._curator = Curator(setting.locale)
        self._writing = frozenset(self._writing_intents())
        self._actor = TurnActor(ActionRunner(self.setting), self._writing)
        self._evidence = EvidenceReader(self.registry.intents())
        self._choices = OpenChoices()
        self._shown = ShownLast()
        self._follow_ups = FollowUps()

    def _ports(self, agent: str) -> AgentPorts:
        return AgentPorts(
            sources=self.setting.sources,
            preferences=self.setting.preferences,
            zones=self.setting.zones,
            model=self.setting.models.for_agent(agent) if self.setting.models else None,
            recall=self._recall,
            reminders=own_reminders(self.setting),
            jobs=KeptJobs(self.jobs) if self.jobs else None,
            settings=resolve_settings(
                self.setting.agent_settings.get(agent, {}), f"agents.settings.{agent}"
            ),
        )

    def _recall(self, days: Sequence[dt.date]) -> Mapping[dt.date, DayMemory]:
        # A plan without its memory is still a plan; that it is not kept either is said with it.
        try:
            return recall_days(self.setting, days).days
        except StorageError:
            return {}

    def _writing_intents(self) -> set[str]:
        found = (intent for each in self.registry.intents() for intent in each.intents)
        return {intent.name for intent in found if intent.writes}

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What can be asked, each completing "I can …", what matters most first."""
        intents = [intent for found in self.registry.intents() for intent in found.intents]
        by_weight = sorted(intents, key=lambda intent: -intent.priority)
        return tuple(intent.description for intent in by_weight if intent.description)

    def ask(self, utterance: str, session: str = "") -> Reply:
        """Answer one question. Never raises for what a source or an agent does.

        `session` groups the turns of one conversation; empty is a conversation of its own.
        """
        return self.turn(utterance, session).reply

    def turn(
        self,
        utterance: str,
        session: str = "",
        *,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
        agent: str | None = None,
        ask_first: bool = False,
    ) -> Turn:
        """Answer one question and tell how: the reply with its trace.

        `agent` names the only one that may answer; None lets any of them. `ask_first` asks about
        every change, however sure its words are.
        """
        utterance, session = _legible(utterance), well_formed(session)
        watch = _Stopwatch(self.setting.clock)
        context = self._context(session)
        reports = watch.time("answer", lambda: self._actor.answer(utterance, session))
        if reports:
            return self._answered(utterance, context, reports, watch)
        routes = watch.time("route", lambda: self._understand(utterance, context, agent))
        plan = build_task_plan(utterance, routes, context, self._writing)
        sure = {} if ask_first else confidences(routes)
        acted = watch.time("run", lambda: self._run(plan, sure, cancel, listener))
        choices = self._choices.remember(session, routes, acted.results)
        self._shown.remember(session, acted.results)
        self._follow_ups.remember(session, acted.results)
        reply = watch.time(
            "compose",
            lambda: self._curator.compose(plan, routes, acted.results, self.capabilities),
        )
        trace = Trace(
            id=context.id,
            session_id=session,
            utterance=utterance,
            asked_at=context.asked_at,
            routes=routes,
            plan=plan,
            results=acted.results,
            actions=acted.reports,
            steps=watch.steps,
        )
        reply = replace(reply, actions=acted.reports, choices=choices)
        return Turn(reply=self._keep(reply, trace), trace=trace, waiting=acted.waiting)

    def _understand(
        self, utterance: str, context: TurnContext, agent: str | None
    ) -> tuple[Route, ...]:
        """Return how an utterance is understood: as the answer to a question back, or anew."""
        session = context.session_id
        chosen = self._choices.take(utterance, session) or self._follow_ups.take(utterance, session)
        routes = (chosen,) if chosen is not None else self._route(utterance, context)
        if agent is not None:
            routes = tuple(only_by(agent, route, self.registry.intents()) for route in routes)

        def knows(route: Route) -> bool:
            if agent is not None and route.agent != agent:
                return False
            alone = replace(route, depends_on=())
            (result,) = self.run_plan(build_task_plan(utterance, (alone,), context))
            return is_borne_out(result)

        return self._evidence.settle(routes, knows)

    def _run(
        self,
        plan: TaskPlan,
        sure: Mapping[str, float],
        cancel: CancelToken | None,
        listener: ProgressListener | None,
    ) -> Acted:
        if not self._actor.may_write(plan.tasks):
            return Acted(results=self.run_plan(plan, cancel=cancel, listener=listener))
        stop = cancel or CancelToken()
        return self._actor.run(
            plan.tasks,
            lambda waves: self._executor.execute_waves(waves, cancel=stop, listener=listener),
            sure,
            lambda: stop.cancelled,
        )

    def _answered(
        self,
        utterance: str,
        context: TurnContext,
        reports: tuple[ActionReport, ...],
        watch: _Stopwatch,
    ) -> Turn:
        """Return the turn of a yes, a no or a button: nothing is routed."""
        reply = self._reply(reports)
        trace = Trace(
            id=context.id,
            session_id=context.session_id,
            utterance=utterance,
            asked_at=context.asked_at,
            routes=(),
            plan=build_task_plan(utterance, (), context),
            results=(),
            actions=reports,
            steps=watch.steps,
        )
        return Turn(reply=self._keep(reply, trace), trace=trace)

    def act(self, action: Action, said: str, session: str) -> Turn:
        """Do one action that the user chose with a button, as a turn of a conversation.

        `said` is what the button says, for the conversation. What becomes of the action stands in
        the reply; one that cannot be undone is asked about first. Never raises for what a source
        does.
        """
        said, session = well_formed(said), well_formed(session)
        watch = _Stopwatch(self.setting.clock)
        context = self._context(session)
        report = watch.time("act", lambda: self._actor.act(action, context.asked_at, session))
        return self._answered(said, context, (report,), watch)

    def is_asking(self, session: str) -> bool:
        """Return whether something waits for the user's yes or no in a conversation."""
        return self._actor.is_asking(session)

    def choices(self, session: str) -> tuple[str, ...]:
        """Return what a conversation is asked to choose from, by name; () when it is not."""
        return self._choices.names(session)

    def confirm(self, waiting: Sequence[Prepared]) -> Reply:
        """Do what a turn outside a conversation asked about, now that the user has said yes."""
        return self._reply(tuple(map(self._actor.confirm, waiting)))

    def _reply(self, reports: tuple[ActionReport, ...]) -> Reply:
        text = self._actor.reply_text(reports)
        speech = speakable(" ".join(text.splitlines()))
        return Reply(text=text, speech=speech, blocks=(TextBlock(text=text),), actions=reports)

    def run_plan(
        self,
        plan: TaskPlan,
        *,
        cancel: CancelToken | None = None,
        listener: ProgressListener | None = None,
    ) -> tuple[AgentResult, ...]:
        """Run a plan made elsewhere; one result per task, in the plan's order.

        Raises:
            PlanError: its tasks do not form a DAG over known, unique ids.
        """
        return self._executor.run(plan, cancel=cancel, listener=listener)

    def route(self, utterance: str, reference: dt.datetime | None = None) -> tuple[Route, ...]:
        """Return how the utterance is understood, without answering it.

        `reference` is the "now" it is said at, in the zone that dates are meant in; None is now.
        """
        when = reference or self.setting.local_now()
        return self._router.route(_legible(utterance), when, self.setting.locale)

    def _context(self, session: str) -> TurnContext:
        asked_at = self.setting.clock.now()  # the turn's one "now"
        return TurnContext(
            id=secrets.token_hex(8),
            session_id=session,
            asked_at=asked_at,
            timezone=self.setting.zones.at(asked_at),
            locale=self.setting.locale,
            shown_on=self._shown.day_of(session),
        )

    def _route(self, utterance: str, turn: TurnContext) -> tuple[Route, ...]:
        reference = turn.asked_at.astimezone(ZoneInfo(turn.timezone))
        return self._router.route(utterance, reference, turn.locale)

    def _keep(self, reply: Reply, trace: Trace) -> Reply:
        # Keeping a turn is a courtesy: an answer is never lost because a disk is full.
        try:
            with open_store(self.setting.data_folder) as store:
                planned = _planned_days(trace.results)
                save_plans(store, planned, self.setting, trace.session_id)
                store.save_turn(_stored_turn(trace, reply))
                store.prune(self.setting.retain_days)
        except StorageError as error:
            return replace(reply, warnings=(*reply.warnings, f"this turn was not kept: {error}"))
        return replace(reply, trace_id=trace.id)

    def close(self) -> None:
        """Stop the worker threads; a stuck handler is left behind, never waited for."""
        self._executor.close()
        if self.setting.models is not None:
            self.setting.models.close()
        if self.jobs is not None:
            self.jobs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def bootstrap(source: Config | DaySetting, *, clock: Clock | None = None) -> Iris:
    """Return a running assistant; the caller closes it."""
    return Iris(source, clock=clock)


class _Stopwatch:
    """Times named steps."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._steps: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._steps)

    def time(self, name: str, step: Callable[[], ValueT]) -> ValueT:
        started = self._clock.monotonic()
        value = step()
        self._steps.append(Step(name=name, seconds=self._clock.monotonic() - started))
        return value


def _legible(utterance: str) -> str:
    """Return what was said as it will be shown: what nobody can read is not read either."""
    return clean(well_formed(utterance))


def _stored_turn(trace: Trace, reply: Reply) -> StoredTurn:
    return StoredTurn(
        trace_id=trace.id,
        session=trace.session_id,
        asked_at=SystemClock().now(),  # the trace holds the "now" it was asked for
        utterance=trace.utterance,
        trace=json.dumps(trace.to_json(), ensure_ascii=False),
        reply=reply.text,
    )


def _planned_days(results: Sequence[AgentResult]) -> tuple[PlannedDay, ...]:
    return tuple(
        fact.value
        for result in results
        if result.result is not None
        for fact in result.result.facts
        if isinstance(fact.value, PlannedDay)
    )
