"""The addresses of jobs: ``/jobs`` lists them, ``/jobs?id=…`` shows one, a form of it steers it.

What reads jobs is loaded when somebody looks at them: a server for days alone has no need of it.
"""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from iris_harness.bootstrap.jobs import Jobs, open_jobs
from iris_harness.bootstrap.jobs_place import are_jobs_kept
from iris_harness.clock import SystemClock
from iris_harness.config.settings import JobsSettings
from iris_harness.curator.clean import clean
from iris_harness.curator.strings import find_language
from iris_harness.errors import IrisError, JobError, StorageError
from iris_harness.surfaces.desk import Desk
from iris_harness.surfaces.web.page.door import Door, Form, Refused, go
from iris_harness.surfaces.web.page.login import Visitor
from iris_harness.surfaces.web.page.shell import JOBS, Shell

_MOST_LISTED = 100


class JobPages:
    """The handlers of who was let in."""

    def __init__(self, desk: Desk, door: Door, shell: Shell) -> None:
        """Take where work is done, who may pass, and what is around a page."""
        self._desk = desk
        self._setting = desk.iris.setting
        self._door = door
        self._shell = shell
        self._language = find_language(self._setting.locale)

    def routes(self) -> tuple[Route, ...]:
        """Return both routes; () where jobs are none of this configuration's."""
        if self._setting.jobs is None:
            return ()
        return (
            Route(JOBS, self._door.guarded(self.show)),
            Route(JOBS, self._door.guarded(self.do), methods=["POST"]),
        )

    async def show(self, request: Request) -> Response:
        """Answer ``GET /jobs``: all jobs, or the one whose id is given."""
        visitor = await self._door.visitor(request)
        job, worker = (request.query_params.get(name, "")[:128] for name in ("id", "worker"))
        return await self._desk.look(lambda: self._shown(visitor, job, worker))

    async def do(self, request: Request) -> Response:
        """Answer ``POST /jobs``: a button of a job."""
        _visitor, form = await self._door.form(request)
        done = await self._desk.look(lambda: self._done(form))
        return done or go(f"{JOBS}?{urlencode({'id': form.get('id', '')})}")

    def _shown(self, visitor: Visitor, job: str, worker: str) -> Response:
        settings = self._settings()
        if not are_jobs_kept(settings, self._setting.data_folder) and not job:
            return self._listed(visitor, None)
        try:
            with open_jobs(settings, self._setting.data_folder) as opened:
                if not job:
                    return self._listed(visitor, opened)
                return self._one(visitor, opened, job, worker)
        except StorageError:
            raise
        except IrisError as error:
            raise Refused(self._odd(error)) from error

    def _listed(self, visitor: Visitor, opened: Jobs | None) -> Response:
        from iris_harness.surfaces.web.page.jobs.listing import write_list

        found = () if opened is None else opened.reader.list(limit=_MOST_LISTED)
        now = SystemClock().now().astimezone(self._setting.local_now().tzinfo)
        title = self._language.say("jobs.title")
        main = write_list(found, now, self._language)
        return self._shell.plain(title, main, visitor.form_key)

    def _one(self, visitor: Visitor, opened: Jobs, job: str, worker: str) -> Response:
        from iris_harness.jobs.why import explain_job
        from iris_harness.surfaces.web.page.jobs.view import JobWriter, read_log

        view, reasons = explain_job(opened.database, opened.reader, job, opened.limits)
        now = SystemClock().now().astimezone(self._setting.local_now().tzinfo)
        chosen = next((one for one in view.workers if one.name == worker), None)
        log = () if chosen is None else read_log(opened.database, chosen)
        writer = JobWriter(view, reasons, now, self._language, visitor.form_key)
        return self._shell.plain(writer.title, writer.page(chosen, log), visitor.form_key)

    def _done(self, form: Form) -> Response | None:
        """Do what a button stands for; return what is to be said instead of the job, or None."""
        try:
            with open_jobs(self._settings(), self._setting.data_folder) as opened:
                _steer(opened, form)
        except JobError as error:
            return self._odd(error)
        return None

    def _odd(self, error: IrisError) -> Response:
        is_unknown = isinstance(error, JobError)
        status = HTTPStatus.CONFLICT if is_unknown else HTTPStatus.SERVICE_UNAVAILABLE
        return self._shell.odd(clean(str(error)), status)

    def _settings(self) -> JobsSettings:
        return self._setting.jobs or JobsSettings()


def _steer(opened: Jobs, form: Form) -> None:
    job, control = form.get("id", ""), opened.control
    match form.get("do"):
        case "cancel":
            control.cancel(job)
        case "pause":
            control.pause(job)
        case "resume":
            control.resume(job)
        case "retry":
            control.retry(job, form.get("worker") or None)
        case _:
            pass  # no button of ours
