"""Every error Iris raises on purpose, in one tree.

::

    IrisError                     base: a message for people, and what they can do (`hint`)
    ├── UsageError                the request itself cannot be understood (exit 2)
    ├── ConfigError               a configuration value is unknown, mistyped or missing (exit 2)
    ├── GraphError                a graph is not a DAG over known, unique ids
    │   └── PlanError             … and the graph is a task plan
    ├── RegistryError             an agent or a router cannot be registered
    ├── CanonicalError            a value has no canonical JSON form
    ├── SourceError               a source cannot be read at all
    │   └── WriteError            … or not be written; nothing of it was changed
    │       ├── ReadOnlySourceError   it is not Iris' to write
    │       └── ChangedOutsideError   what was to be changed is no longer as it was
    ├── ActionError               something that was asked for is not done; nothing is changed
    │   ├── UnknownItemError      … its words fit nothing
    │   ├── AmbiguousItemError    … its words fit several things
    │   ├── UnconfirmedError      … it needs a yes, and nobody can be asked
    │   └── NotUndoableError      … it cannot be taken back
    ├── StorageError              a database cannot be opened, read or written
    │   ├── DatabaseNewerError    … it was written by a newer program
    │   ├── RecordNotFoundError   … it holds no such record
    │   └── AmbiguousIdError      … the start of an id fits several records
    ├── JobError                  a job cannot be planned, kept or run as asked
    │   ├── RequestError          … its request has a value that cannot be used
    │   ├── JobPlanError          … its plan has a worker that cannot be run
    │   ├── IdempotencyError      … its key was used for another request
    │   ├── ManifestError         … its manifest is not what its id says
    │   ├── UnknownJobError       … there is no such job or worker
    │   ├── JobStateError         … it is in a state in which that cannot be done
    │   ├── LeaseLostError        … the right to run a worker has gone to another
    │   ├── WorkOutdatedError     … its work has gone on since this was built on it
    │   ├── WorkTooLargeError     … what a worker made is more than is kept
    │   └── TokenRefusedError     … the server of jobs does not, or no longer, know the daemon
    ├── DeliveryError             a channel did not say what it was given
    ├── ServerError               the server cannot listen, or its token cannot be kept
    ├── RepositoryError           a repository cannot be cloned, or git failed in it
    │   └── IntegrationError      what one worker did conflicts with what others did
    ├── JournalError              what a worker did cannot be kept, or was changed since
    ├── SandboxError              a repository's code cannot be run apart from everything else
    ├── ModelError                a language model did not give a usable answer
    │   ├── ModelBudgetError      … the call could cost more than its budget has left
    │   ├── ModelTimeoutError     … there was none in time
    │   ├── ModelUnavailableError … it cannot be reached, is overloaded, or died
    │   ├── ModelRefusedError     … it refuses such a request, whoever asks again
    │   └── ModelAnswerError      … it answered something else than was asked for
    ├── TaskError                 raised by a handler to fail its task with a clear reason
    └── TurnCancelledError        the turn was cancelled by its user or its deadline

An error carries its facts as attributes, never logs, and survives pickling.
"""

from __future__ import annotations


class IrisError(Exception):
    """Something Iris could not do, said so that a person can act on it.

    Attributes:
        message: one sentence, without a trailing hint.
        hint: what the user can do about it; empty when there is nothing to do.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.args, dict(self.__dict__)))


def _rebuild(
    kind: type[IrisError], args: tuple[object, ...], state: dict[str, object]
) -> IrisError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class UsageError(IrisError):
    """A date, a zone, a flag or an utterance that means nothing."""


class ConfigError(IrisError):
    """A configuration value that cannot be used.

    Attributes:
        file: where it was read, as the user would name it; empty for built-in values.
        line: 1-based line in `file`; None when the place has no lines (environment, flags).
        key: dotted path of the key.
        expected: what would have been right.
        nearest: the most similar valid key; None when nothing is close.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        line: int | None = None,
        key: str = "",
        expected: str = "",
        nearest: str | None = None,
    ) -> None:
        super().__init__(message, hint=f"did you mean {nearest!r}?" if nearest else "")
        self.file = file
        self.line = line
        self.key = key
        self.expected = expected
        self.nearest = nearest

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part not in {"", None})
        parts = [f"{place}: " if place else "", f"{self.key}: " if self.key else "", self.message]
        if self.expected:
            parts.append(f"; expected {self.expected}")
        if self.hint:
            parts.append(f"; {self.hint}")
        return "".join(parts)


class GraphError(IrisError):
    """A graph with a cycle, an unknown or a duplicate id.

    Attributes:
        nodes: the ids at fault; for a cycle in order, first and last the same.
    """

    def __init__(self, message: str, *, nodes: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.nodes = nodes


class PlanError(GraphError):
    """A task plan whose tasks do not form a DAG over known, unique ids."""


class RegistryError(IrisError):
    """An agent that collides with another, is broken, or misses an extra.

    Attributes:
        name: the entry point's name.
        distribution: the package that brought it; empty when unknown.
    """

    def __init__(
        self, message: str, *, name: str = "", distribution: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.name = name
        self.distribution = distribution


class CanonicalError(IrisError):
    """A float, a huge integer, a naive time or an unknown type in a canonical value.

    Attributes:
        path: where it is in the value, as in ``$.events[3].start``.
    """

    def __init__(self, message: str, *, path: str = "$") -> None:
        super().__init__(message)
        self.path = path


class SourceError(IrisError):
    """A source that could not be read at all.

    Attributes:
        source: the source's name.
    """

    def __init__(self, message: str, *, source: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.source = source


class WriteError(SourceError):
    """A change that could not be made; the source is as it was before."""


class ReadOnlySourceError(WriteError):
    """A source that cannot be written, or that the user did not allow Iris to write."""


class ChangedOutsideError(WriteError):
    """An item that somebody else has changed since it was read; it is never overwritten."""


class ActionError(IrisError):
    """Something that was asked for and not done; nothing is changed."""


class UnknownItemError(ActionError):
    """Words that fit no item.

    Attributes:
        words: what was said.
        nearest: the most similar items, as they are shown; may be empty.
    """

    def __init__(
        self, message: str, *, words: str = "", nearest: tuple[str, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.words = words
        self.nearest = nearest


class AmbiguousItemError(ActionError):
    """Words that fit several items; none of them is picked.

    Attributes:
        words: what was said.
        candidates: the items they fit, as they are shown.
    """

    def __init__(
        self, message: str, *, words: str = "", candidates: tuple[str, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.words = words
        self.candidates = candidates


class UnconfirmedError(ActionError):
    """A change that needs the user's yes, where nobody can be asked."""


class NotUndoableError(ActionError):
    """A change that cannot be taken back, or is not in force."""


class StorageError(IrisError):
    """A database that cannot be opened, read or written."""


class DatabaseNewerError(StorageError):
    """A database written by a newer program; it is refused, never downgraded."""


class RecordNotFoundError(StorageError):
    """No record with this id."""


class AmbiguousIdError(StorageError):
    """The start of an id that several records share.

    Attributes:
        prefix: what was asked for.
        candidates: the full ids that begin with it, sorted.
    """

    def __init__(self, prefix: str, candidates: tuple[str, ...]) -> None:
        super().__init__(
            f"{len(candidates)} records begin with {prefix!r}: {', '.join(candidates)}",
            hint="give more of the id",
        )
        self.prefix = prefix
        self.candidates = candidates


class JobError(IrisError):
    """A job that cannot be planned, kept or run as asked."""


class RequestError(JobError):
    """A request with a value that no job can be made from.

    Attributes:
        field: name of the request's field.
    """

    def __init__(self, message: str, *, field: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


class JobPlanError(JobError):
    """A plan that is refused as a whole; nothing of it was kept.

    Attributes:
        problem: short name of what is wrong, as in ``cycle``.
        nodes: ids of the workers at fault; for a cycle in order, first and last the same.
    """

    def __init__(
        self, message: str, *, problem: str = "", nodes: tuple[str, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.problem = problem
        self.nodes = nodes


class IdempotencyError(JobError):
    """An idempotency key that its owner has used for another request.

    Attributes:
        key: the key.
        job_id: the job that the first request made.
    """

    def __init__(self, key: str, job_id: str) -> None:
        super().__init__(
            f"the key {key!r} was used for another request, which made job {job_id}",
            hint="take a new key, or send the very same request",
        )
        self.key = key
        self.job_id = job_id


class ManifestError(JobError):
    """A kept manifest whose content does not have its id; it is never used.

    Attributes:
        manifest_id: the id it is kept under.
    """

    def __init__(self, message: str, *, manifest_id: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.manifest_id = manifest_id


class UnknownJobError(JobError):
    """No job, worker or manifest with this id."""


class JobStateError(JobError):
    """A job or worker in a state in which what was asked cannot be done."""


class LeaseLostError(JobError):
    """A lease that has ended: what its holder did must be dropped.

    Attributes:
        worker_id: what was leased.
        fence: the number of the lease that has ended.
    """

    def __init__(self, worker_id: str, fence: int) -> None:
        super().__init__(f"the lease {fence} of {worker_id} has ended", hint="drop its result")
        self.worker_id = worker_id
        self.fence = fence


class WorkOutdatedError(JobError):
    """Work that was built on what is no longer the head of its job; nothing of it was kept.

    Attributes:
        job_id: whose work it is.
        built_on: the commit that was the head when it was built.
    """

    def __init__(self, job_id: str, built_on: str) -> None:
        super().__init__(
            f"the work of job {job_id} has gone on since {built_on[:12]}",
            hint="merge what is new, prove the whole, and hand it in again",
        )
        self.job_id = job_id
        self.built_on = built_on


class WorkTooLargeError(JobError):
    """More work of one worker than the queue keeps.

    Attributes:
        size_bytes: what it is, packed.
        most_bytes: what it may be.
    """

    def __init__(self, size_bytes: int, most_bytes: int) -> None:
        super().__init__(
            f"what the worker made is {size_bytes / 2**20:.1f} MB packed, and "
            f"{most_bytes / 2**20:g} MB are kept",
            hint="raise jobs.max_work_megabytes, or let git ignore what is generated",
        )
        self.size_bytes = size_bytes
        self.most_bytes = most_bytes


class TokenRefusedError(JobError):
    """A token that opens nothing at the server of jobs: it is wrong, revoked, or an owner's."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint="`iris jobs token new NAME` makes one, on the server")


class DeliveryError(IrisError):
    """A channel that did not say something, or perhaps did.

    Attributes:
        may_retry: whether it surely was not said, and trying again later makes sense.
        is_uncertain: whether it may have been said; then it is not said again.
    """

    def __init__(
        self, message: str, *, hint: str = "", may_retry: bool = False, is_uncertain: bool = False
    ) -> None:
        super().__init__(message, hint=hint)
        self.may_retry = may_retry
        self.is_uncertain = is_uncertain


class ServerError(IrisError):
    """The server cannot listen, or its token cannot be kept."""


class RepositoryError(IrisError):
    """A repository cannot be cloned, or git failed in it.

    Attributes:
        output: all that git said; empty where it was not asked.
    """

    def __init__(self, message: str, *, hint: str = "", output: str = "") -> None:
        super().__init__(message, hint=hint)
        self.output = output


class IntegrationError(RepositoryError):
    """What one worker did does not go together with what others did meanwhile."""


class JournalError(IrisError):
    """A worker's journal cannot be read or written, or somebody changed it."""


class SandboxError(IrisError):
    """There is no sandbox for a repository's code, or it cannot be set up: nothing was run."""


class ModelError(IrisError):
    """A language model that failed, or answered outside its grammar or schema.

    Attributes:
        model: its name.
        attempts: how often it was asked; 0 when it was not.
        prompt_tokens: tokens that were sent in vain, or may have been; they may be charged.
        completion_tokens: tokens that were made in vain, or may have been.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        attempts: int = 0,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.model = model
        self.attempts = attempts
        self.prompt_tokens = prompt_tokens
        self.completion_tokens = completion_tokens


class ModelBudgetError(ModelError):
    """A call that could cost more than its budget has left; nothing was sent."""


class ModelTimeoutError(ModelError):
    """No answer in the time that was given."""


class ModelUnavailableError(ModelError):
    """A model that cannot be reached, has too much to do, or died; later it may answer.

    Attributes:
        status: the HTTP status; None where there was none.
        retry_after_seconds: how long it asks to be left alone; None where it does not say.
    """

    def __init__(
        self,
        message: str,
        *,
        model: str = "",
        status: int | None = None,
        retry_after_seconds: float | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message, model=model, hint=hint)
        self.status = status
        self.retry_after_seconds = retry_after_seconds


class ModelRefusedError(ModelError):
    """A request that the model, or its server, does not accept: asking again changes nothing.

    Attributes:
        status: the HTTP status; None where there was none.
    """

    def __init__(
        self, message: str, *, model: str = "", status: int | None = None, hint: str = ""
    ) -> None:
        super().__init__(message, model=model, hint=hint)
        self.status = status


class ModelAnswerError(ModelError):
    """An answer that is cut off, or not in the form that was asked for.

    Attributes:
        text: the answer's text, unchecked.
    """

    def __init__(self, message: str, *, model: str = "", text: str = "", hint: str = "") -> None:
        super().__init__(message, model=model, hint=hint)
        self.text = text


class TaskError(IrisError):
    """Raised by a handler: this task failed, for a reason worth telling the user."""


class TurnCancelledError(IrisError):
    """The turn was cancelled; raised inside handlers that check for it."""
