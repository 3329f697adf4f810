"""The web page of a plan, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

from iris_harness.curator.page.document import days_page
from tests.chromium import Browser, chromium
from tests.day_plans import DAYS, ODD_DAYS
from tests.support import RunIris

SIZES = [(390, "light"), (1280, "dark")]

# Boxes that leave the picture, and boxes that lie on one another, by their titles.
LAYOUT = """
(() => {
  const wrong = [];
  for (const chart of document.querySelectorAll('svg.chart')) {
    if (!chart.getClientRects().length) continue;
    const all = [...chart.querySelectorAll('.item .box')].filter(b => b.getClientRects().length);
    const boxes = all.map(b => [b.getBoundingClientRect(), b.parentNode.textContent.slice(0, 40)]);
    const frame = chart.getBoundingClientRect();
    boxes.forEach(([a, name], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 9)
        wrong.push('outside: ' + name);
      if (a.height < 20) wrong.push('too low for a line: ' + name);
      boxes.slice(i + 1).forEach(([b, other]) => {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 2 && down > 2) wrong.push('overlap: ' + name + ' / ' + other);
      });
    });
    for (const words of chart.querySelectorAll('.words')) {
      const box = words.parentNode.getBoundingClientRect();
      if (words.getBoundingClientRect().bottom > box.bottom + 1)
        wrong.push('text below its box: ' + words.textContent);
    }
  }
  if (document.documentElement.scrollWidth > window.innerWidth)
    wrong.push('wider than the window: ' + document.documentElement.scrollWidth);
  return JSON.stringify(wrong);
})()
"""


def test_every_page_is_laid_out_well_and_asks_for_nothing(iris: RunIris, tmp_path: Path) -> None:
    pages = {name: days_page((make(),)) for name, make in {**DAYS, **ODD_DAYS}.items()}
    pages["demo"] = iris("plan", "--demo", "--html").stdout
    pages["week"] = iris("plan", "--demo", "--html", "--week").stdout
    with chromium(tmp_path / "profile") as browser:
        for name, page in pages.items():
            file = tmp_path / f"{name}.html"
            file.write_text(page, encoding="utf-8")
            for width, scheme in SIZES:
                browser.open(file, width=width, scheme=scheme)
                assert json.loads(browser.evaluate(LAYOUT)) == [], (name, width)
                assert browser.complaints() == [], name
                assert set(browser.requests()) <= {file.resolve().as_uri(), "data:,"}, name
        check_what_a_screen_reader_finds(browser, tmp_path / "demo.html")


def check_what_a_screen_reader_finds(browser: Browser, page: Path) -> None:
    browser.open(page, width=390)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    found = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored")
    ]
    assert ("heading", "Thursday 16 April 2026") in found
    assert ("heading", "Timeline") in found
    assert ("image", "The hours of Thursday 16 April 2026") in found
    texts = " ".join(name for role, name in found if role == "StaticText")
    for title in ("Oma's birthday", "Pay the electricity bill", "Choir rehearsal", "declined"):
        assert title in texts
    assert sum(role == "list" for role, _ in found) >= 6
    alarm = browser.evaluate(
        "getComputedStyle(document.querySelector('.summary .alarm')).backgroundColor"
    )
    assert alarm == "rgb(252, 233, 231)"
