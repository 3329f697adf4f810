from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_harness.config.append import append_source, with_source
from iris_harness.config.document import Value, parse_document
from iris_harness.errors import ConfigError

ENTRY: dict[str, Value] = {"name": "new", "url": "https://example.org/a.ics"}
LINE = "{name: new, url: 'https://example.org/a.ics'}"

NESTED = """\
calendars:
  - name: a
    url: https://dav.example/
    collections:
    - x
    - y
"""

FORMS = {
    "a block list": (
        "# mine\ncalendars:\n  - ~/cal/home  # at home\n\n# later\ntimezone: UTC\n",
        f"# mine\ncalendars:\n  - ~/cal/home  # at home\n  - {LINE}\n\n# later\ntimezone: UTC\n",
    ),
    "a block list without indent": (
        "calendars:\n- {name: a, path: b}\n# end\n",
        f"calendars:\n- {{name: a, path: b}}\n- {LINE}\n# end\n",
    ),
    "a block of blocks": (
        "calendars:\n  - name: a\n    path: b # c\n\ntodos: []\n",
        f"calendars:\n  - name: a\n    path: b # c\n  - {LINE}\n\ntodos: []\n",
    ),
    "nested lists at the end": (
        f"{NESTED}# end\n",
        f"{NESTED}  - {LINE}\n# end\n",
    ),
    "brackets": (
        "calendars: [~/a, ~/b] # both\n",
        f"calendars: [~/a, ~/b, {LINE}] # both\n",
    ),
    "empty brackets": ("calendars: []\ntodos: [x]\n", f"calendars: [{LINE}]\ntodos: [x]\n"),
    "brackets over lines": (
        "calendars: [\n  ~/a,\n  ~/b,\n]\n",
        f"calendars: [\n  ~/a,\n  ~/b, {LINE}\n]\n",
    ),
    "no such key": ("timezone: UTC", f"timezone: UTC\ncalendars:\n  - {LINE}\n"),
    "a key without a value": (
        "calendars:  # none yet\ntimezone: UTC\n",
        f"calendars:  # none yet\n  - {LINE}\ntimezone: UTC\n",
    ),
    "no line end": ("calendars:\n  - a", f"calendars:\n  - a\n  - {LINE}\n"),
    "line ends of Windows": (
        "calendars:\r\n  - a\r\ntimezone: UTC\r\n",
        f"calendars:\r\n  - a\r\n  - {LINE}\r\ntimezone: UTC\r\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), FORMS.values(), ids=FORMS)
def test_a_source_is_added_and_nothing_else_changes(before: str, after: str) -> None:
    changed = with_source(before, "calendars", ENTRY)
    assert changed == after


@pytest.mark.parametrize(
    "text",
    [
        "calendars: ~/cal/home\n",
        "calendars: &a [x]\ntodos: *a\n",
        "{calendars: {a: b}}\n",
        "- calendars\n",
        "calendars: [a\n",
        "calendars: [a]\ncalendars: [b]\n",
        "{timezone: UTC}\n",
    ],
    ids=["a text", "an anchor", "a mapping", "a list", "broken", "twice", "braces"],
)
def test_a_form_with_no_one_place_to_add_to_is_left_alone(text: str, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        append_source(file, "calendars", ENTRY)
    assert LINE in caught.value.expected
    assert file.read_text(encoding="utf-8") == text


@given(
    calendars=st.lists(st.text(min_size=1, max_size=20), max_size=4),
    name=st.text(min_size=1, max_size=20),
    flow=st.booleans(),
)
def test_what_is_added_is_read_back_whatever_its_letters(
    calendars: list[str], name: str, flow: bool
) -> None:
    import yaml

    before = {"calendars": calendars, "todos": ["x"]}
    text = yaml.safe_dump(before, default_flow_style=flow, allow_unicode=True)
    if parse_document(text, "x").value != before:
        return  # letters that YAML itself does not keep
    changed = with_source(text, "calendars", {"name": name, "path": "p"})
    if changed is None:
        return  # left alone, which is always right
    entry: Value = {"name": name, "path": "p"}
    assert parse_document(changed, "x").value == {**before, "calendars": [*calendars, entry]}


def test_a_missing_file_is_made_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "iris" / "config.yaml"
    append_source(file, "todos", ENTRY)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    value = parse_document(file.read_text(encoding="utf-8"), "x").value
    assert value == {"version": 1, "todos": [ENTRY]}


def test_settings_behind_a_link_are_changed_where_they_are(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.yaml"
    real.write_text("calendars: [a]\n", encoding="utf-8")
    link = tmp_path / "config.yaml"
    link.symlink_to(real)
    append_source(link, "calendars", ENTRY)
    assert link.is_symlink()
    assert LINE in real.read_text(encoding="utf-8")
