// SPDX-License-Identifier: MIT OR Apache-2.0
// Elements of the diagrams of the book: a time axis, events on it, spans of time, labels. For light and dark pages alike.

const STYLE = `
svg{--ink:#1f2328;--soft:#59636e;--line:#c8ced5;--back:#fff;--good:#1a7f37;--bad:#cf222e;--open:#9a6700;--fill:#f6f8fa}
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--back:#0d1117;--good:#3fb950;--bad:#f85149;--open:#d29922;--fill:#161b22}}
.back{fill:var(--back)}text{font:13px system-ui,"Segoe UI","Noto Sans",sans-serif;fill:var(--ink)}
.code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px}.soft{fill:var(--soft)}.small{font-size:12px}
.good{fill:var(--good)}.bad{fill:var(--bad)}.open{fill:var(--open)}.middle{text-anchor:middle}.end{text-anchor:end}
.axis{stroke:var(--line);stroke-width:1.5}.tick{stroke:var(--line);stroke-width:1}
.span{stroke-width:6;stroke-linecap:butt;opacity:.75}.span.good{stroke:var(--good)}.span.bad{stroke:var(--bad)}.span.open{stroke:var(--open);stroke-dasharray:6 4}
.event{fill:var(--ink)}.box{fill:var(--fill);stroke:var(--line)}.cut{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:4 4}
.arrow{stroke:var(--soft);stroke-width:1.2;fill:none}`

const escape = (text) => String(text).replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter])

/** A diagram under construction. */
export class Diagram {
  constructor(width, height, title) {
    Object.assign(this, { width, height, title, parts: [] })
  }

  add(part) {
    this.parts.push(part)
    return this
  }

  text(x, y, text, kind = '') {
    return this.add(`<text x="${x}" y="${y}" class="${kind}">${escape(text)}</text>`)
  }

  line(x1, y1, x2, y2, kind) {
    return this.add(`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" class="${kind}"/>`)
  }

  dot(x, y, kind = 'event') {
    return this.add(`<circle cx="${x}" cy="${y}" r="5" class="${kind}"/>`)
  }

  cross(x, y) {
    return this.add(`<path d="M${x - 5},${y - 5}l10,10m0,-10l-10,10" stroke="var(--bad)" stroke-width="2.5"/>`)
  }

  box(x, y, width, height) {
    return this.add(`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" class="box"/>`)
  }

  arrow(x1, y1, x2, y2) {
    return this.add(`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" class="arrow" marker-end="url(#tip)"/>`)
  }

  /** A horizontal axis of time with labelled ticks; `x` turns a time into a place. */
  axis(x, y, from, to, ticks, label = 'time (s)') {
    this.line(x(from), y, x(to), y, 'axis')
    for (const tick of ticks) {
      this.line(x(tick), y - 4, x(tick), y + 4, 'tick').text(x(tick), y + 18, tick, 'soft small middle')
    }
    return this.text(x(to) + 10, y + 4, label, 'soft small')
  }

  toString() {
    const { width, height, title } = this
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<style>${STYLE}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="var(--soft)"/></marker></defs>
<rect class="back" width="${width}" height="${height}"/>
${this.parts.join('\n')}
</svg>
`
  }
}
