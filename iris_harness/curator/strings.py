"""Every text a user sees, in one table per language.

Another language is another `Language` with the same ids and placeholders, added to `LANGUAGES`.
Ids are grouped by where they are said. A plural is a mapping of CLDR categories and is chosen
by its ``count``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from iris_harness.curator.language import Language, Message


def _english_plural(count: int) -> str:
    return "one" if count == 1 else "other"


_ENGLISH_MESSAGES: Mapping[str, Message] = MappingProxyType(
    {
        # Dates, times, lengths
        "date.long": "{weekday} {day} {month} {year}",
        "date.spoken": "{weekday} {day} {month}",
        "date.short": "{weekday_short} {day} {month_short}",
        "date.short_year": "{weekday_short} {day} {month_short} {year}",
        "time": "{hour:02}:{minute:02}",
        "time.spoken": "{hour}:{minute:02}",
        "time.end_of_day": "24:00",
        "time.offset": "UTC{offset}",
        "day_and_time": "{day} {time}",
        "span": "{start} to {end}",
        "duration.hours": "{count} h",
        "duration.minutes": "{count} min",
        "duration.spoken.hours": {"one": "1 hour", "other": "{count} hours"},
        "duration.spoken.minutes": {"one": "1 minute", "other": "{count} minutes"},
        "age.minutes": {"one": "1 minute", "other": "{count} minutes"},
        "age.hours": {"one": "1 hour", "other": "{count} hours"},
        "age.days": {"one": "1 day", "other": "{count} days"},
        "day.today": "today",
        "day.tomorrow": "tomorrow",
        "day.yesterday": "yesterday",
        "day.ahead": {"one": "in 1 day", "other": "in {count} days"},
        "day.ago": {"one": "1 day ago", "other": "{count} days ago"},
        # Grammar
        "list": "{first} and {last}",
        "sentence": "{text}.",
        "untitled": "(untitled)",
        # A day
        "head.now": "now {when}",
        "heading.all_day": "All day",
        "heading.birthdays": "Birthdays",
        "heading.anniversaries": "Anniversaries",
        "heading.birthdays_and_more": "Birthdays and more",
        "heading.timeline": "Timeline",
        "heading.conflicts": "Conflicts",
        "heading.due": "Due",
        "heading.unplaced": "Does not fit",
        "heading.skipped": "Left out by you",
        "heading.backlog": "Not due yet",
        "heading.sources": "Sources",
        "heading.warnings": "Warnings",
        "summary.overcommitted": {
            "one": "Overcommitted: 1 due todo does not fit",
            "other": "Overcommitted: {count} due todos do not fit",
        },
        "summary.work": "Overcommitted: {work} of work in {free}",
        "summary.work_no_time": "Overcommitted: {work} of work, and no time for it",
        "summary.unplaced": {
            "one": "1 due todo does not fit",
            "other": "{count} due todos do not fit",
        },
        "summary.whole_day": "The whole day: {text}.",
        "summary.also": "{text}; {also}",
        "summary.unplaced_past": {
            "one": "This day is over, and 1 todo due by then is still open",
            "other": "This day is over, and {count} todos due by then are still open",
        },
        "summary.day_off": "A day off: no working hours",
        "summary.day_off_waiting": {
            "one": "A day off: no working hours, and 1 due todo waits",
            "other": "A day off: no working hours, and {count} due todos wait",
        },
        "summary.with_length": "{text} ({length})",
        "summary.not_yet": {
            "one": "1 due todo may not start yet.",
            "other": "{count} due todos may not start yet.",
        },
        "summary.calendar.none": "No calendar is set up.",
        "summary.calendar.partial": "No event in what could be read.",
        "summary.calendar.stale": "Your calendar was clear when it was last read.",
        "summary.calendar.full": "Your calendar is clear.",
        "summary.unread": "Not read, so something may be missing: {names}.",
        "count.events": {"one": "1 event", "other": "{count} events"},
        "count.conflicts": {"one": "1 conflict", "other": "{count} conflicts"},
        "count.nothing_due": "nothing due",
        "count.placed": {"one": "1 todo placed", "other": "{count} todos placed"},
        "count.free": "{length} free",
        "count.no_free": "no free time",
        "clocks": "The clocks change: this day has {count} hours.",
        "event.from": "from {when}",
        "event.until": "until {when}",
        "birthday.birthday": "birthday",
        "birthday.anniversary": "anniversary",
        "birthday.other": "a day to remember",
        "birthday.turns": "turns {count}",
        "birthday.years": {"one": "1 year", "other": "{count} years"},
        "birthday.leap_day": "on 29 February",
        "birthday.born": {"one": "born 1 year ago", "other": "born {count} years ago"},
        "birthday.deceased": "deceased",
        "timeline.free": "free",
        "timeline.now": "now",
        "label.todo": "todo",
        "mark.conflict": "conflict",
        "mark.tentative": "tentative",
        "mark.declined": "declined",
        "mark.cancelled": "cancelled",
        "mark.not_busy": "not busy",
        "mark.pinned": "pinned",
        "mark.overdue": "overdue",
        "mark.not_placed": "not placed",
        "mark.partly_placed": "partly placed",
        "conflict": "{first} and {second}",
        "todo.also": "also {spans}",
        "unplaced.fits_if": "would fit if {change}",
        "backlog.more": "and {count} more",
        # Sources
        "source.kind.calendar": {"one": "calendar", "other": "calendars"},
        "source.kind.todo": {"one": "todo list", "other": "todo lists"},
        "source.kind.email": {"one": "mailbox", "other": "mailboxes"},
        "source.kind.finance": {"one": "ledger", "other": "ledgers"},
        "source.kind.contacts": {"one": "address book", "other": "address books"},
        "source.kind.weather": {"one": "weather service", "other": "weather services"},
        "source.named": "{kind} {name}",
        "source.failed": "{source}: not read",
        "source.stale": "{source}: {age} old",
        "source.stale_unknown": "{source}: out of date",
        "source.empty": "{source}: read, and empty",
        "source.read": "Read: {groups}",
        "source.nothing_read": "Nothing was read.",
        # A day, aloud
        "speech.opening": "{day}: {events}.",
        "speech.calendar.none": "{day}: no calendar is set up.",
        "speech.calendar.partial": "{day}: no event in what could be read.",
        "speech.calendar.stale": "{day}: your calendar was clear when it was last read.",
        "speech.calendar.full": "{day}: your calendar is clear.",
        "speech.too_much": "{day} is overcommitted: {work} of work in {room}.",
        "speech.no_time_at_all": "{day} is overcommitted: {work} of work, and no time for it.",
        "speech.unplaced": {
            "one": "1 due todo does not fit.",
            "other": "{count} due todos do not fit.",
        },
        "speech.overcommitted": {
            "one": "{day}: 1 due todo does not fit, {length}.",
            "other": "{day}: {count} due todos do not fit, {length}.",
        },
        "speech.more": {"one": "1 more", "other": "{count} more"},
        "speech.with_length": "{text}, {length}",
        "speech.cut": "{text} and so on",
        "speech.conflict": "{first} and {second} overlap at {time}.",
        "speech.conflict_days": "Events overlap {days}.",
        "speech.more_conflicts": {
            "one": "There is 1 more conflict.",
            "other": "There are {count} more conflicts.",
        },
        "speech.first_event": "First event: {title} at {time}.",
        "speech.next_event": "Next event: {title} at {time}.",
        "speech.todo": "First todo: {title} at {time}.",
        "speech.free": "{length} free.",
        "speech.birthdays": {"one": "Birthday: {names}.", "other": "Birthdays: {names}."},
        "speech.anniversaries": {
            "one": "Anniversary: {names}.",
            "other": "Anniversaries: {names}.",
        },
        "speech.unread": "I could not read {names}.",
        "speech.untitled": "something untitled",
        "speech.rest": "The rest is on the screen.",
        "speech.all": "The answer is on the screen.",
        # Several days, briefly
        "range": "{first} to {last}",
        "brief.heading": "{date}: {figures}",
        "brief.all_day": "all day",
        "brief.calendar.none": "no calendar set up",
        "brief.calendar.partial": "no event in what could be read",
        "brief.calendar.stale": "no events when last read",
        "brief.calendar.full": "no events",
        "brief.over": "over",
        "brief.day_off": "day off",
        "brief.waiting": {"one": "1 due todo waits", "other": "{count} due todos wait"},
        "brief.open": {"one": "1 due todo open", "other": "{count} due todos open"},
        "brief.unplaced": "Does not fit ({length}): {names}",
        # A page
        "page.title": "{title} - Iris",
        "page.days": "Days",
        "page.chart": "The hours of {date}",
        "page.chart_is_text": "Everything in this picture also stands in the lists of this page.",
        "page.more": "+{count} more",
        "page.legend": "What the boxes are",
        "page.legend.event": "event",
        "page.legend.todo": "todo",
        "page.legend.break": "break",
        "page.legend.travel": "travel",
        "page.legend.rest": "outside working hours",
        # The page in a browser
        "web.title": "Iris",
        "web.skip": "Jump to",
        "web.skip.ask": "Ask",
        "web.skip.day": "The day",
        "web.talk": "Conversation",
        "web.you": "You: ",
        "web.iris": "Iris: ",
        "web.welcome": "Ask about your day, your calendar or your todos.",
        "web.ask": "Ask",
        "web.ask.label": "What do you want to know or do?",
        "web.ask.placeholder": "Plan my day",
        "web.examples": "For example:",
        "web.earlier": {
            "one": "1 earlier question",
            "other": "{count} earlier questions",
        },
        "web.moved": {"one": "1 thing changed", "other": "{count} things changed"},
        "web.whole": "The whole answer",
        "web.new": "New conversation",
        "web.yes": "Yes",
        "web.no": "No",
        "web.sign_out": "Sign out",
        "web.working": "Working: {agents}",
        "web.thinking": "One moment",
        "web.stop": "Stop",
        "web.stopped": "Stopped.",
        "web.failed": "That did not work. Try again.",
        "web.day.before": "The day before",
        "web.day.after": "The day after",
        "web.day.today": "Today",
        "web.day.other": "Another day",
        "web.day.go": "Show",
        "web.day.hours": "The hours as a list",
        "web.day.nothing": "Nothing takes place, and there are no working hours.",
        "web.day.unknown": "There is no such day, so this is today.",
        "web.close": "Close",
        "web.why.head": "Why? {title}",
        "web.plan.id": "Plan {id}",
        "web.do.why": "Why?",
        "web.do.pin": "Pin",
        "web.do.unpin": "Unpin",
        "web.do.done": "Done",
        "web.do.skip": "Leave out",
        "web.do.unskip": "Plan it",
        "web.do.undo": "Undo",
        "web.do.again": "Do it again",
        "web.label.why": "Why? {title}",
        "web.label.pin": "Pin {title} to its time",
        "web.label.unpin": "Unpin {title}, so that it may move",
        "web.label.done": "Done: {title}",
        "web.label.skip": "Leave out {title} on this day",
        "web.label.unskip": "Plan it: {title}",
        "web.said.pin": "Pin “{title}”",
        "web.said.unpin": "Unpin “{title}”",
        "web.said.done": "“{title}” is done",
        "web.said.skip": "Leave “{title}” out of this day",
        "web.said.unskip": "Plan “{title}” again",
        "web.said.undo": "Undo",
        "web.state.ok": "read",
        "web.state.empty": "empty",
        "web.state.stale": "out of date",
        "web.state.old": "{age} old",
        "web.state.failed": "not read",
        "web.locked.title": "Iris is locked",
        "web.locked.text": "This browser is not signed in. Open the link here that this prints; "
        "it works once:",
        "web.locked.used": "That link was used already, or is too old. Open the new one here that "
        "this prints:",
        "web.odd.title": "That did not work",
        "web.odd.form": "This page was open for too long, or another site sent you here. Nothing "
        "was done.",
        "web.odd.gone": "This page is older than what Iris keeps. Nothing was done.",
        "web.odd.back": "Back to the day",
        # Why something is where it is
        "why.placed": "{title} is planned for {spans} on {date}.",
        "why.partly": "{title} has only a part of its time: {spans} on {date}.",
        "why.unplaced": "{title} has no time on {date}.",
        "why.fixed": "{title} is at {spans} on {date}.",
        "why.on_the_day": "{title} is on {date}.",
        "why.earlier": "Why not earlier",
        "why.anywhere": "Why at no time",
        "why.fits_if": "It would fit if",
        "why.would_fit": "It would fit if {change}.",
        "why.at": "At {time}: {text}.",
        "why.taken": '"{other}" is there',
        "why.clear": 'kept clear beside "{other}"',
        "why.too_short": "too short by {length}",
        "why.outside": "it may not be done then: {limits}",
        "why.undecided": "nothing is proved against it: equally good, or the search was cut off",
        "why.costs.breaks": 'there would be no "{other}"',
        "why.costs.deadlines": '"{other}", which is due, would not be done in time',
        "why.costs.value": '"{other}" would lose its time, and by priority that is worse',
        "why.costs.movement": '"{other}" would not be where the plan before had it',
        "why.costs.order": '"{other}" comes first in rank and would be later',
        "why.first": "Nothing earlier is open.",
        "why.pinned": "You pinned it there.",
        "why.begun": "It has begun, so it stays.",
        "why.kept": "The plan before had it there, too.",
        "why.skipped": "You leave it out on this day.",
        "why.backlog_off": "Only what is due is given time (`planning.fill_with_backlog`).",
        "why.day_off": "The day has no working hours.",
        "why.over": "The day is over.",
        "why.calendar": "It stands in the calendar {name}.",
        "why.declined": "You declined it, so it takes none of your time.",
        "why.cancelled": "It is cancelled, so it takes none of your time.",
        "why.not_busy": "It is marked as free, so it takes none of your time.",
        "why.all_day": "It marks the day and takes none of its hours.",
        "why.overlaps": 'It overlaps "{other}", {span}.',
        "why.change.shorten": "it took {length}",
        "why.change.split": "it could be done in parts of {length} or more",
        "why.change.any_time": "it could be done at any time of the day",
        "why.change.drop": '"{other}" ({length}) were left out',
        "why.change.move": '"{other}" ({length}) were on another day',
        "why.change.extend": "you worked until {time}",
        "why.which": "Several things of that day are meant by this:",
        # A calendar of blocks
        "ical.name": "Iris plan",
        "ical.plan": "Iris plan {id}",
        # Plan ids
        "plan.id": "Plan {id} (`iris plan --replay {id}`)",
        "heading.plans": "Plans (`iris plan --replay ID`)",
        # A reply
        "reply.heading": '"{words}"',
        "reply.out_of_scope": "I can't do that yet.",
        "reply.can": "I can {things}.",
        "reply.not_set_up": (
            "I understood that ({intent}), but it is not set up: no installed agent answers it."
            " `iris agents` lists what there is."
        ),
        "reply.unsure": 'I am not sure what "{words}" means. Is it about {readings}?',
        "reply.low_confidence": 'I took "{words}" to be about {intent}.',
        "reply.alternatives": "It may also be about {readings}.",
        "reply.or": "{first} or {last}",
        "reply.failed": "The {agent} agent failed: {reason}",
        "reply.timed_out": "The {agent} agent took too long: {reason}",
        "reply.skipped": "The {agent} agent was not asked: {reason}",
        "reply.skipped_needing": "The {agent} agent was not asked: it needs an answer of {needed}.",
        "reply.cancelled": "The {agent} agent was cancelled: {reason}",
        "reply.no_answer": "The {agent} agent gave no answer.",
        "reply.nothing_to_say": "The {agent} agent found nothing to say.",
        "reply.as_above": "As above.",
        "reply.action": "Proposed: {preview}",
        "reply.sources": "Sources: {names}",
        # What changed since the plan shown before
        "heading.moves": "Changed since the plan shown before",
        "move.moved": "{title}: now {after}, was {before}",
        "move.gone": "{title}: no time any more, was {before}",
        "move.new": "{title}: new, {after}",
        # Actions: what is to be done, and that it is done; without a full stop
        "action.todo.add.preview": "Add “{title}” to {place}{details}",
        "action.todo.add.outcome": "Added “{title}” to {place}{details}",
        "action.todo.done.preview": "Mark “{title}” on {place} as done",
        "action.todo.done.outcome": "Marked “{title}” on {place} as done",
        "action.todo.due.preview": "Make “{title}” due {when}",
        "action.todo.due.outcome": "Made “{title}” due {when}",
        "action.todo.no_due.preview": "Take the due date off “{title}”",
        "action.todo.no_due.outcome": "Took the due date off “{title}”",
        "action.todo.list.preview": "Move “{title}” from {place} to {other}{details}",
        "action.todo.list.outcome": "Moved “{title}” from {place} to {other}{details}",
        "action.todo.delete.preview": "Delete “{title}” from {place}",
        "action.todo.delete.outcome": "Deleted “{title}” from {place}",
        "action.event.add.preview": "Put “{title}” into {place}: {when}{where}",
        "action.event.add.outcome": "Put “{title}” into {place}: {when}{where}",
        "action.event.move.preview": "Move “{title}” from {before} to {when}",
        "action.event.move.outcome": "Moved “{title}” from {before} to {when}",
        "action.event.delete.preview": "Delete “{title}” ({when}) from {place}",
        "action.event.delete.outcome": "Deleted “{title}” ({when}) from {place}",
        "action.plan.pin.preview": "Pin “{title}” to {day}, {times}",
        "action.plan.pin.outcome": "Pinned “{title}” to {day}, {times}",
        "action.plan.unpin.preview": "Let “{title}” move again on {day}",
        "action.plan.unpin.outcome": "Let “{title}” move again on {day}",
        "action.plan.skip.preview": "Leave “{title}” out of the plan of {day}",
        "action.plan.skip.outcome": "Left “{title}” out of the plan of {day}",
        "action.plan.unskip.preview": "Take “{title}” into the plan of {day} again",
        "action.plan.unskip.outcome": "Took “{title}” into the plan of {day} again",
        "action.blocks.write.preview": "Write the blocks of {day} into {place}",
        "action.blocks.write.outcome": "Wrote the blocks of {day} into {place}",
        "action.job.submit.preview": "Submit a job on {repo} with {count}: {workers}",
        "action.job.submit.outcome": "Submitted job {job}: `iris jobs watch {job}` follows it, "
        "`iris jobs cancel {job}` stops it",
        "action.job.workers": {"one": "{count} worker", "other": "{count} workers"},
        "action.job.worker": "{number}) {task}",
        "action.job.files": "[{files}]",
        "action.job.after": "after {numbers}",
        "action.undo.preview": "Take back: {outcome}",
        "action.undo.outcome": "Took back: {outcome}",
        "action.redo.preview": "Do again: {outcome}",
        "action.redo.outcome": "Did again: {outcome}",
        "action.detail.due": ", due {when}",
        "action.detail.on": ", on {place}",
        "action.detail.at": ", at {place}",
        "action.detail.priority": ", priority {count}",
        "action.detail.takes": ", takes {length}",
        "action.all_day": "{day}, all day",
        "action.generic.todo": "the my our a an todo task item",
        "action.generic.event": "the my our a an event meeting appointment call",
        # What became of them
        "action.done": "{outcome}.",
        "action.hint.typed": "`iris undo` takes it back.",
        "action.hint.typed_again": "`iris undo` does it again.",
        "action.hint.said": "Say “undo that” to take it back.",
        "action.hint.said_again": "Say “undo that” to do it again.",
        "action.unchanged": "{preview}: it is so already, and nothing was changed.",
        "action.not_numbered": "the numbers were not kept, so only titles are accepted: {reason}",
        "action.not_noted": (
            "It is done, but could not be noted in the journal ({reason}); the next start of Iris"
            " notes it."
        ),
        "action.ask": "{preview}?",
        "action.ask_reply": "{preview}? Say yes or no.",
        "action.ask_final": "{preview}? It cannot be undone.",
        "action.ask_final_reply": "{preview}? It cannot be undone. Say yes or no.",
        "action.declined": "All right, nothing was changed.",
        "action.dry_run": "{preview}. Nothing was changed.",
        "action.settled.done": (
            "Iris was stopped in the middle of a change: {preview}. It had been made, and stands;"
            " `iris undo {number}` takes it back."
        ),
        "action.settled.failed": (
            "Iris was stopped in the middle of a change: {preview}. It was not made."
        ),
        "action.settled.rolled_back": (
            "Iris was stopped in the middle of a change: {preview}. It was half made, and was"
            " taken back."
        ),
        "action.settled.changed": (
            "Iris was stopped in the middle of a change: {preview}. Somebody has changed it since,"
            " so it was left as it is; please have a look."
        ),
        "action.settled.unknown": (
            "Iris was stopped in the middle of a change: {preview}. Whether it was made cannot be"
            " told: {reason}"
        ),
        # Intents, completing "I understood that (…)"
        "intent.planner": "planning a day",
        "intent.plan.explain": "why something is where it is in a plan",
        "intent.plan.change": "pinning or skipping a todo",
        "intent.calendar.query": "looking up events",
        "intent.calendar.create": "adding an event",
        "intent.calendar.change": "changing an event",
        "intent.todo.query": "looking up todos",
        "intent.todo.add": "adding a todo",
        "intent.todo.change": "changing a todo",
        "intent.reminder.set": "setting a reminder",
        "intent.email.query": "reading mail",
        "intent.email.send": "sending mail",
        "intent.finance.query": "looking up money",
        "intent.time.query": "telling the time",
        "intent.weather.query": "looking up the weather",
        "intent.job.submit": "giving work to a coding job",
        "intent.chat": "talking",
        "intent.change.undo": "undoing a change",
        "intent.out_of_scope": "something else",
    }
)

ENGLISH = Language(
    tag="en",
    messages=_ENGLISH_MESSAGES,
    plural_category=_english_plural,
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    weekdays_short=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    months=(
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    months_short=(
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ),
)  # fmt: skip

AMERICAN_ENGLISH = ENGLISH._replace(
    tag="en-US",
    messages=MappingProxyType(
        {
            **_ENGLISH_MESSAGES,
            "date.long": "{weekday}, {month} {day}, {year}",
            "date.spoken": "{weekday}, {month} {day}",
            "date.short": "{weekday_short}, {month_short} {day}",
            "date.short_year": "{weekday_short}, {month_short} {day}, {year}",
            "time": "{hour12}:{minute:02} {half}",
            "time.spoken": "{hour12}:{minute:02} {half}",
            "time.end_of_day": "12:00 am",
            "birthday.leap_day": "on February 29",
        }
    ),
)

LANGUAGES: tuple[Language, ...] = (ENGLISH, AMERICAN_ENGLISH)
"""Every language there is a table for; the first is spoken where none fits."""


def find_language(locale: str) -> Language:
    """Return the table that fits a BCP 47 tag best (RFC 4647 §3.4), else the first.

    Case and ``_`` for ``-`` make no difference: "en_us" finds "en-US", "en-GB" finds "en".
    """
    by_tag = {language.tag.lower(): language for language in LANGUAGES}
    wanted = locale.replace("_", "-").lower().split("-")
    for length in range(len(wanted), 0, -1):
        found = by_tag.get("-".join(wanted[:length]))
        if found is not None:
            return found
    return LANGUAGES[0]
