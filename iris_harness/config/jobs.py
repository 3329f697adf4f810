"""Settings of jobs: where they are kept, and how they are run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, StrictStr

from iris_harness.config.credentials import ENV
from iris_harness.config.models import AMOUNT_FORM, Amount, secret
from iris_harness.config.sections import Section, problem
from iris_harness.config.shapes import is_fetched
from iris_harness.files import user_path

_OWNER_FORM = "letters, digits, dots, hyphens, underscores and @, beginning with a letter or digit"


RuntimeSource = Literal["mise", "uv", "rustup", "apt", "podman", "docker"]


def _database_url(value: object) -> object:
    """Accept an address, or the command that prints it; the value is never repeated."""
    is_address = isinstance(value, str) and value.startswith(("postgresql://", "postgres://"))
    if is_address or is_fetched(value):
        return value
    raise problem("not the address of a PostgreSQL database")


def _owner(value: str) -> str:
    plain = value.replace("@", "a").replace(".", "a").replace("-", "a").replace("_", "a")
    if not (value[:1].isalnum() and plain.isalnum() and value.isascii()):
        raise problem(f"{value!r} is no owner's name")
    return value


class WorkerBudget(Section):
    """The most that one worker may spend; what it spent before a restart counts."""

    attempts: Annotated[int, Field(strict=True, ge=1, le=100)] = Field(
        default=6,
        description="Times a worker may say that it is done.",
        json_schema_extra={"expected": "a whole number, 1 to 100"},
    )
    tokens: Annotated[int, Field(strict=True, ge=1)] = Field(
        default=400_000,
        description="Tokens sent and made.",
        json_schema_extra={"expected": "a whole number of tokens above 0"},
    )
    minutes: Annotated[int, Field(strict=True, ge=1, le=10_000)] = Field(
        default=60,
        description="Minutes that models are waited for and tests run.",
        json_schema_extra={"expected": "a whole number, 1 to 10000"},
    )
    money: Amount | None = Field(
        default=None,
        description="Amount in the currency of the model's price; None: any.",
        json_schema_extra={"expected": AMOUNT_FORM},
    )


def _path(value: str) -> str:
    return str(user_path(value))


class ExternalEditor(Section):
    """A program that edits in place of the models."""

    command: Annotated[tuple[StrictStr, ...], Field(min_length=1)] = Field(
        description="The program and its arguments; {task} is the path of what is to be done.",
        json_schema_extra={"expected": "a list of words, as [aider, --message-file, '{task}']"},
    )
    readable: tuple[Annotated[StrictStr, AfterValidator(_path)], ...] = Field(
        default=(),
        description="Files and folders that it may read besides the checkout.",
        json_schema_extra={"expected": "a list of paths"},
    )


class Publishing(Section):
    """How `iris jobs open` hands a job's branch over."""

    push: StrictBool = Field(
        default=False,
        description="Whether a job's branch may be pushed to its repository.",
        json_schema_extra={"expected": "true or false"},
    )
    then: tuple[StrictStr, ...] = Field(
        default=(),
        description="What runs after; {branch}, {title} and {job} are filled in.",
        json_schema_extra={"expected": "a list of words, as [gh, pr, create, --head, '{branch}']"},
    )


class JobServer(Section):
    """A server of jobs on another machine, from which `iris daemon run` takes workers."""

    url: StrictStr = Field(
        default="",
        description="Address of an `iris jobs serve`; empty: workers come from the database.",
        json_schema_extra={"expected": "an address, as https://host:7475"},
    )
    token: Annotated[str | dict[str, Any], PlainValidator(secret)] = Field(
        default={ENV: "IRIS_JOBS_TOKEN"},
        repr=False,
        description="Token, the command that prints it, or the variable that holds it.",
        json_schema_extra={"expected": "{fetch: [command, argument]}, {env: NAME}, or the token"},
    )


class Jobs(Section):
    """Where jobs are kept, and what bounds them."""

    database_url: Annotated[str | dict[str, list[str]], PlainValidator(_database_url)] | None = (
        Field(
            default=None,
            repr=False,
            description="Address of a PostgreSQL database; None: a file of their own.",
            json_schema_extra={
                "expected": "postgresql://user@host/database, or {fetch: [command, argument]}"
            },
        )
    )
    server: JobServer = Field(
        default_factory=JobServer,
        description="A server of jobs on another machine, whose workers this machine runs.",
        json_schema_extra={"expected": "url and token"},
    )
    owner: Annotated[StrictStr, Field(max_length=128), AfterValidator(_owner)] = Field(
        default="local",
        description="Whose jobs yours are, in a database that several people share.",
        json_schema_extra={"expected": _OWNER_FORM},
    )
    worker_model: StrictStr = Field(
        default="",
        description="Model of the workers that do not name one.",
        json_schema_extra={"expected": "a model's name"},
    )
    planner_model: StrictStr = Field(
        default="",
        description="Model that plans; empty: jobs are planned by rules.",
        json_schema_extra={"expected": "a model's name"},
    )
    max_workers: Annotated[int, Field(strict=True, ge=1, le=1000)] = Field(
        default=100,
        description="Workers of one job at most.",
        json_schema_extra={"expected": "a whole number, 1 to 1000"},
    )
    lease_seconds: Annotated[float, Field(strict=True, ge=1, le=86_400, allow_inf_nan=False)] = (
        Field(
            default=60.0,
            description="Seconds without a sign of life until a worker goes to another daemon.",
            json_schema_extra={"expected": "a number of seconds, 1 to 86400"},
        )
    )
    max_deliveries: Annotated[int, Field(strict=True, ge=1, le=100)] = Field(
        default=3,
        description="Times a worker is given out before it counts as failed.",
        json_schema_extra={"expected": "a whole number, 1 to 100"},
    )
    max_running: Annotated[int, Field(strict=True, ge=0, le=10_000)] = Field(
        default=0,
        description="Workers of one owner that run at once; 0: as many as there are daemons.",
        json_schema_extra={"expected": "a whole number, 0 to 10000"},
    )
    max_work_megabytes: Annotated[int, Field(strict=True, ge=1, le=30)] = Field(
        default=16,
        description="Megabytes, packed, that one worker may add to the work of its job.",
        json_schema_extra={"expected": "a whole number, 1 to 30"},
    )
    budget: WorkerBudget = Field(
        default_factory=WorkerBudget,
        description="The most that one worker may spend.",
        json_schema_extra={"expected": "attempts, tokens, minutes and money"},
    )
    editor: ExternalEditor | None = Field(
        default=None,
        description="A program that edits in place of the models; None: they do.",
        json_schema_extra={"expected": "command, and maybe readable"},
    )
    install_runtimes: tuple[RuntimeSource, ...] = Field(
        default=(),
        description="What may get a runtime that is missing, the first that can.",
        json_schema_extra={"expected": "a list of mise, uv, rustup, apt, podman and docker"},
    )
    publish: Publishing = Field(
        default_factory=Publishing,
        description="How `iris jobs open` hands a job's branch over.",
        json_schema_extra={"expected": "push, and maybe then"},
    )
