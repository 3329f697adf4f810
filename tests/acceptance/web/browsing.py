"""A real browser for tests of pages, and what is looked for in every page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
LONG = "Word" * 2500
HOSTILE = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "\u202egnirts desrever\u202c \u2066isolated",
    "\"'><svg onload=document.title='owned'>",
    "{{7*7}} ${7*7} %0d%0aSet-Cookie:x=y",
    LONG,
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of this module; each has a profile of its own."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("Chromium is not installed (Debian: apt install chromium)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


# Controls that are too small to be hit (WCAG 2.2, 2.5.8: 24 by 24 pixels).
SMALL = """
(() => JSON.stringify([...document.querySelectorAll('button, input, summary, a.button, a.small')]
  .filter(one => one.type !== 'hidden' && one.getClientRects().length && !one.closest('.skip'))
  .map(one => [one.getBoundingClientRect(), one.ariaLabel || one.textContent])
  .filter(([box]) => box.height < 24 || box.width < 24)
  .map(([box, name]) => `${name}: ${box.width} x ${box.height}`)))()
"""

# Text with less contrast to its ground than 4.5 (3 for large text), as the browser computes both.
PALE = r"""
(() => {
  const numbers = colour => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = one => {
    for (let at = one; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || one.closest('svg, .hushed, [hidden]')) continue;
    if (!one.getClientRects().length) continue;
    const style = getComputedStyle(one);
    const pair = [light(numbers(style.color)), light(ground(one))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (contrast < (large ? 3 : 4.5)) wrong.push(`${one.textContent.slice(0, 30)}: ${contrast}`);
  }
  return JSON.stringify(wrong);
})()
"""

# What a checker of pages would complain about: ids twice, headings that skip a level, and labels.
STRUCTURE = """
(() => {
  const wrong = [];
  const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => wrong.push(`id twice: ${id}`));
  let level = 0;
  for (const head of document.querySelectorAll('h1, h2, h3, h4')) {
    const own = Number(head.tagName[1]);
    if (own > level + 1) wrong.push(`level skipped: ${head.textContent}`);
    level = own;
  }
  for (const field of document.querySelectorAll('input:not([type=hidden])'))
    if (!field.labels.length) wrong.push(`no label: ${field.name}`);
  for (const one of document.querySelectorAll('[aria-labelledby], [aria-describedby]'))
    for (const id of `${one.getAttribute('aria-labelledby') || ''} ${
        one.getAttribute('aria-describedby') || ''}`.split(' ').filter(Boolean))
      if (!document.getElementById(id)) wrong.push(`names nothing: ${id}`);
  if (!document.documentElement.lang) wrong.push('no language');
  return JSON.stringify(wrong);
})()
"""
