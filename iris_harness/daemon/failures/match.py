"""What a rule matched, and what its decision may ask."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from iris_harness.daemon.failures.model import (
    Failure,
)
from iris_harness.daemon.failures.output import Line, Output
from iris_harness.daemon.failures.rules import Names

WORKSPACE = re.compile(
    r"^(?:/(?:workspaces?|app|repo|code|src|work|build|home/\w+/[\w.-]+|tmp/[\w.-]+|github/workspace)/)"
)


RESERVED_HOST = re.compile(
    r"(?:.*\.)?(?:localhost|invalid|test|example\.(?:com|org|net))|127\..*|::1"
)


class Match(NamedTuple):
    """A line that matched a rule."""

    groups: Mapping[str, str]
    """The named groups that took part."""
    line: Line
    output: Output
    failure: Failure
    names: Names

    @property
    def name(self) -> str:
        """The first of the groups that name something; empty without one."""
        order = ("name", "host", "other", "third", "fourth", "fifth", "sixth", "seventh")
        return next((self.groups[key] for key in order if key in self.groups), "")

    def lines_around(self, before: int, after: int) -> tuple[str, ...]:
        """Return the texts of the lines around the match."""
        return tuple(
            line.text
            for line in self.output.lines
            if -before <= line.number - self.line.number <= after
        )


def distribution_key(name: str) -> str:
    """Return the form under which two spellings of a package are one; versions and extras go."""
    bare = re.split(r"[\[<>=!~; ]", name.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", bare).lower()
