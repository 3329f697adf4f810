"""The style sheet of a page, its colours from `palette`."""

from __future__ import annotations

from collections.abc import Mapping

from iris_harness.curator.page.chart import MOST_ROWS, ROW
from iris_harness.curator.page.palette import DARK, LIGHT
from iris_harness.curator.page.week import MOST_DAYS

_ABOVE = 4
"""Pixels above the first line of text in a box, as the sheet has them."""

_SIDE_BY_SIDE = """
.week figure{display:block}
.week .ways{display:grid;padding-left:4.7rem;padding-right:1.1rem;gap:.25rem;margin-bottom:.5rem;
align-items:end}
.ways .note{display:block;font-size:.75rem;padding:.05rem .4rem;margin-bottom:.2rem;
border-left:3px solid var(--event-edge);border-radius:4px;background:var(--event);
color:var(--event-text);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.ways li{display:flex;flex-direction:column;min-width:0}
.ways a{order:1;text-align:center;border:0;background:none;padding:.1rem 0;font-weight:600}
.week~article .day{grid-template-columns:minmax(0,1fr)}
.week~article .day>.card:has(figure){display:none}
.week~article .lines{columns:2;column-gap:2.5rem}
.week~article .lines>li{break-inside:avoid}
"""
"""Rules for what is wide enough for days side by side."""

_SHEET = """
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
main{max-width:72rem;margin:0 auto;padding:2rem 1.25rem 3rem}
h1,h2,h3{line-height:1.25;margin:0;text-wrap:balance}
h1{font-size:1.75rem;letter-spacing:-.01em}
h2{font-size:1.25rem}
h2.small,h3{font-size:1rem}
p{margin:0}
ul,ol{margin:0;padding:0;list-style:none}
.when{color:var(--muted)}
.at,.time{font-variant-numeric:tabular-nums}
header{margin-bottom:1.25rem}
.summary{margin:0 0 1.25rem;display:grid;gap:.5rem}
.summary .alarm,.summary .caution{padding:.6rem .9rem;border-radius:8px;border-left:4px solid}
.summary .alarm{background:var(--alarm-ground);border-color:var(--alarm);font-weight:600}
.summary .caution{background:var(--caution-ground);border-color:var(--caution)}
.card{background:var(--card);border:1px solid var(--frame);border-radius:12px;
padding:1rem 1.1rem;min-width:0}
.side>.card+.card,.wide{margin-top:1rem}
.day{display:grid;gap:1rem;align-items:start}
@media (min-width:56rem){.day{grid-template-columns:minmax(0,11fr) minmax(0,9fr)}}
.side{min-width:0}
@media (min-width:56rem){.wide .lines{columns:2;column-gap:2.5rem}
.wide .lines>li{break-inside:avoid}}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin-bottom:1rem}
.chips li{background:var(--event);color:var(--event-text);border-left:4px solid var(--event-edge);
border-radius:6px;padding:.15rem .6rem;font-size:.875rem;max-width:100%;overflow-wrap:anywhere}
.chips .about{display:inline;margin-left:.35em}
.chips .about,.chips .note,.chips .source{color:inherit}
.above{display:flex;flex-wrap:wrap;gap:.25rem 2rem}
.chips h2,.chips h3{flex-basis:100%}
section>h2,section>h3{margin-bottom:.25rem}
.lines>li{display:grid;grid-template-columns:minmax(6.6rem,max-content) minmax(0,1fr);
column-gap:.9rem;padding:.4rem 0;border-bottom:1px solid var(--rule)}
.lines>li:last-child{border-bottom:0;padding-bottom:0}
.lines.bare>li{grid-template-columns:minmax(0,1fr)}
.time{color:var(--muted)}
.what{overflow-wrap:anywhere}
.what .title{font-weight:500}
.kind{color:var(--todo-edge);font-size:.875rem}
.note,.source{color:var(--muted);font-size:.875rem}
.source{font-style:normal}
.about{display:block;color:var(--muted);font-size:.875rem}
.mark{font-size:.875rem;font-weight:600}
.mark.alarm,.line.alarm .title{color:var(--alarm)}
.mark.caution,.line.caution .title{color:var(--caution)}
.mark.quiet{color:var(--muted);font-weight:400}
.line.quiet .title,.line.past .title,.line.free .title{color:var(--muted);font-weight:400}
.line.now{color:var(--now)}
.line.now .time,.line.now .title{color:var(--now);font-weight:700}
s{text-decoration-thickness:1px}
footer{margin-top:2rem;color:var(--muted);font-size:.875rem;display:grid;gap:1rem}
footer h2,footer h3{font-size:.875rem}
footer .card{background:none;border:0;padding:0}
footer .card+.card{margin-top:0}
footer .lines>li{border:0;padding:0}
footer .line .title{font-weight:400;color:inherit}
footer .line.caution .title{color:var(--caution)}
footer code{font:inherit;font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
.ways{display:flex;flex-wrap:wrap;gap:.4rem;margin-bottom:1.5rem}
.ways .note{display:none}
.ways a{display:block;padding:.25rem .7rem;border:1px solid var(--frame);border-radius:999px;
background:var(--card);color:var(--text);text-decoration:none;font-size:.875rem}
.ways .today a{font-weight:700;border-color:var(--now);color:var(--now)}
.ways a:hover,.ways a:focus-visible{border-color:var(--event-edge);color:var(--event-edge)}
.week figure{display:none}
article+article,.week+article{margin-top:2rem}
article>header{margin-bottom:.75rem}
figure{margin:0;padding-top:.5rem}
figure.card{padding-top:1.4rem}
.chart{display:block;overflow:visible;padding-left:3.6rem;width:100%;font-size:13px}
.rest{fill:var(--rest)}
.chart .work{fill:var(--card)}
.chart .hour{stroke:var(--rule);stroke-width:1}
.chart .border{stroke:var(--frame);stroke-width:1}
.chart .label{fill:var(--muted);font-size:12px;text-anchor:end;font-variant-numeric:tabular-nums}
.chart .label.free{text-anchor:middle;stroke:var(--card);stroke-width:6;paint-order:stroke}
.chart line.now{stroke:var(--now);stroke-width:2}
.chart circle.now{fill:var(--now)}
.chart .label.now{fill:var(--now);font-weight:700}
.item .box{stroke:var(--card);stroke-width:2}
.item .hatch{fill:url(#hatch)}
.item.event .box{fill:var(--event)}
.item.event .edge{fill:var(--event-edge)}
.item.event .words{color:var(--event-text)}
.item.todo .box{fill:var(--todo)}
.item.todo .edge{fill:var(--todo-edge)}
.item.todo .words{color:var(--todo-text)}
.item.break .box{fill:var(--break)}
.item.break .edge{fill:var(--break-edge)}
.item.break .words{color:var(--break-text)}
.item.travel .box{fill:var(--travel)}
.item.travel .edge{fill:var(--travel-edge)}
.item.travel .words{color:var(--travel-text)}
.item.struck .box,.item.unsure .box{fill:var(--card);stroke:var(--event-edge);stroke-width:1;
stroke-dasharray:4 3}
.item.struck .box{stroke:var(--muted)}
.item.struck .edge{fill:none}
.item.struck .words{color:var(--muted)}
.item.struck .title{text-decoration:line-through}
.item.past .box{fill:var(--past)}
.item.past .words{color:var(--muted)}
.item.alarmed .edge{fill:var(--alarm)}
.item.crowd .box{fill:var(--card);stroke:var(--frame)}
.item.crowd .more{fill:var(--muted);text-anchor:middle;font-size:12px}
.words{padding:4px 6px 0 11px;line-height:17px;display:flex;flex-direction:column;overflow:hidden}
.words .clamp{flex:none}
.words .title{font-weight:600;overflow-wrap:anywhere}
.words .at,.words .note{color:inherit;font-size:12px}
.words .mark{font-size:12px}
.words .mark.quiet{color:inherit}
.words.one{display:block;white-space:nowrap;text-overflow:ellipsis}
.words .about{flex:1 1 0;overflow:hidden;font-size:12px}
.rows-2 .about,.rows-3 .about{white-space:nowrap;text-overflow:ellipsis}
.words .about{color:inherit}
.clamp{display:-webkit-box;-webkit-box-orient:vertical;overflow:hidden}
.tick{display:inline-block;width:10px;height:10px;border:1.5px solid var(--todo-edge);
border-radius:2px;margin-right:6px;vertical-align:-1px}
.item.past .tick{border-color:var(--muted)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin-top:.9rem;color:var(--muted);
font-size:.8125rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.legend svg{flex:none}
.defs{position:absolute;width:0;height:0}
.hatch-line{stroke:var(--travel-edge);stroke-opacity:.35;stroke-width:2}
@media (max-width:30rem){
main{padding:1.25rem .75rem 2rem}
h1{font-size:1.4rem}
.card{padding:.8rem .7rem}
.chart{padding-left:3.1rem}
.lines>li{grid-template-columns:minmax(0,1fr)}
}
"""

_PAPER = """
@page{margin:12mm}
body{background:#fff}
main{max-width:none;padding:0;zoom:.72}
.card{border:0;padding:0}
.day{grid-template-columns:minmax(0,11fr) minmax(0,9fr)}
.wide .lines{columns:2;column-gap:2.5rem}
.lines>li,h2,h3,figure{break-inside:avoid}
h1,h2,h3{break-after:avoid}
.chart *,.chips li,.summary *,.legend *,.ways *{-webkit-print-color-adjust:exact;
print-color-adjust:exact}
"""


def style_sheet() -> str:
    """Return the style sheet; it asks for nothing from anywhere."""
    side_by_side = _joined(_SIDE_BY_SIDE) + _columns()
    white = {**LIGHT, "page": "#ffffff"}  # paper, whatever the screen was
    rules = (
        f":root{{color-scheme:light dark;{_variables(LIGHT)}}}",
        f"@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}",
        _joined(_SHEET),
        *(f".lines-{n}{{-webkit-line-clamp:{n}}}" for n in range(1, MOST_ROWS)),
        *(f".rows-{n}{{height:{n * ROW + _ABOVE}px}}" for n in range(2, MOST_ROWS + 1)),
        f"@media (min-width:64rem){{{side_by_side}}}",
        f"@media print{{:root{{color-scheme:light;{_variables(white)}}}",
        _joined(_PAPER),
        side_by_side,
        ".week .ways{padding:0 0 0 3.6rem}}",  # a card has no edges on paper
    )
    return "\n".join(rules)


def _columns() -> str:
    days = range(1, MOST_DAYS + 1)
    return "".join(f".heads-{n}{{grid-template-columns:repeat({n},minmax(0,1fr))}}" for n in days)


def _joined(rules: str) -> str:
    """Return rules without the line breaks that only keep this file narrow."""
    return rules.strip().replace(",\n", ",").replace(";\n", ";")


def _variables(colours: Mapping[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())
