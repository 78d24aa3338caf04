"""The style sheet of the HTML pages: one readable column, tables that fit into it, dark mode, and rules for print."""

from __future__ import annotations

STYLE = """\
:root { color-scheme: light dark; --ink: #1f2933; --faint: #52606d; --line: #cbd2d9; --paper: #fff; --band: #f5f7fa;
  --proved: #1b7837; --open: #b35806; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --faint: #9aa5b1; --line: #3e4c59; --paper: #14181d;
  --band: #1f252d; --proved: #5fc27e; --open: #f0a35e; --link: #7ab8f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 54rem; padding: 1.5rem 1.25rem 3rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
p, ul { margin: .5rem 0; }
ul { padding-left: 1.25rem; }
li { margin: .3rem 0; }
a { color: var(--link); }
nav ol { columns: 2; padding-left: 1.5rem; }
.verdict { border-left: .35rem solid var(--open); background: var(--band); padding: .6rem .9rem; }
.verdict strong { color: var(--open); }
.verdict.proved { border-color: var(--proved); }
.verdict.proved strong { color: var(--proved); }
.fill { border: 2px dashed var(--faint); padding: .3rem .9rem; margin: .75rem 0; min-height: 5rem; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92em; }
caption { text-align: left; color: var(--faint); padding: .2rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1.2rem .25rem 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-bottom-width: 2px; }
tbody th { font-weight: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.code, tbody th.code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .85em; }
figure { margin: 1rem 0; }
figure svg { display: block; margin: 0 auto; border-radius: 6px; height: auto; }
figcaption, footer { color: var(--faint); font-size: .9em; }
footer { border-top: 1px solid var(--line); margin-top: 2rem; }
pre { font-size: .85em; line-height: 1.35; overflow-x: auto; }
@media (max-width: 36rem) { nav ol { columns: 1; } }
@page { size: A4; margin: 12mm 15mm; }
@media print {
  :root { --ink: #000; --faint: #444; --line: #bbb; --paper: #fff; --band: #f5f5f5; --link: #000;
    --proved: #1b7837; --open: #b35806; }
  body { max-width: none; padding: 0; font-size: 9pt; line-height: 1.35; }
  th, td { padding-top: .1rem; padding-bottom: .1rem; }
  .fill { min-height: 15mm; }
  li { margin: .15rem 0; }
  figure svg { max-height: 120mm; }
  h1 { font-size: 16pt; }
  h2 { font-size: 12pt; margin: 3mm 0 1mm; break-after: avoid; }
  tr, li, figure, .short, .fill, .verdict { break-inside: avoid; }
  caption { break-after: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; margin: .3rem 0; }
  p, ul { margin: .3rem 0; }
  figure { margin: .5rem 0; }
  footer { margin-top: .5rem; }
}
"""
