"""Tasks and how the same is asked for in other words, for measuring what finds which.

Written for this: each pair shares as few words as people's do who do not remember what they wrote.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Paraphrase(NamedTuple):
    """A finished job's task, and a new one that means much the same."""

    done: str
    asked: str


PARAPHRASES: Final = tuple(
    Paraphrase(done, asked)
    for done, asked in (
        (
            "add dark mode to the settings page",
            "let people switch the preferences screen to a night theme",
        ),
        (
            "fix the crash when the config file is missing",
            "the program dies at startup if there are no settings",
        ),
        (
            "speed up the search on the product list",
            "looking for items in the catalogue takes far too long",
        ),
        ("translate the interface into German", "localise all labels for users in Berlin"),
        (
            "write unit tests for the invoice calculator",
            "cover the billing arithmetic with automated checks",
        ),
        ("upgrade Django to version 5", "move our web framework to the newest major release"),
        (
            "remove the unused helper functions in utils.py",
            "delete dead code from the toolbox module",
        ),
        ("let users log in with their Google account", "support OAuth sign-on through Gmail"),
        (
            "send an email when an order has shipped",
            "notify customers by mail once their parcel is on its way",
        ),
        (
            "make the header stick to the top while scrolling",
            "the navigation bar should stay visible when moving down",
        ),
        (
            "export the report as a PDF",
            "make it possible to download the statistics in a printable format",
        ),
        (
            "cache the weather forecast for ten minutes",
            "do not ask the meteorological API on every single request",
        ),
        (
            "validate the phone number in the sign-up form",
            "reject malformed telephone digits at registration",
        ),
        (
            "split the monolithic views.py into modules",
            "break the huge controller file into smaller pieces",
        ),
        (
            "run the linter in the continuous integration",
            "check code style automatically on each push",
        ),
        ("paginate the list of comments", "show twenty replies at a time instead of all of them"),
        ("store passwords with bcrypt instead of MD5", "hash credentials in a secure way"),
        (
            "fix the wrong time zone in calendar invitations",
            "meetings are shown one hour late for participants abroad",
        ),
        ("add a Dockerfile for the backend", "package the server as a container image"),
        (
            "replace print statements with the logging module",
            "write diagnostics through a proper logger, not to stdout",
        ),
        (
            "resize uploaded images to thumbnails",
            "generate small previews of the pictures that users send",
        ),
        ("document the REST endpoints", "describe every HTTP route in the reference manual"),
        (
            "retry failed payments three times",
            "attempt to charge the card again when the bank declines",
        ),
        ("add an index on the orders table", "the database query for purchases does a full scan"),
        (
            "rename Customer to Client everywhere",
            "change the class name used for buyers throughout the code",
        ),
        (
            "close the file handles that leak in the importer",
            "the loader runs out of descriptors after a while",
        ),
        (
            "show a spinner while data is loading",
            "display some progress animation until the content arrives",
        ),
        ("make the site usable with a screen reader", "improve accessibility for blind visitors"),
        ("parse dates written in the European format", "understand day-month-year input"),
        (
            "delete accounts that were inactive for a year",
            "purge users who have not signed in for twelve months",
        ),
    )
)
