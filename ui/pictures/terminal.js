// SPDX-License-Identifier: MIT OR Apache-2.0
// Output of the command as a page: the colours of ECMA-48 become classes.

const CLASSES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan', 90: 'dim', 91: 'red', 92: 'green', 93: 'yellow', 94: 'blue', 95: 'magenta', 96: 'cyan' }

const STYLE = `
body{margin:0;background:#fff}
.terminal{display:inline-block;background:#161b22;color:#e6edf3;border-radius:8px;padding:14px 18px;font:13px/1.45 "DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}
.bold{font-weight:700}.dim{color:#9198a1}.red{color:#ff7b72}.green{color:#56d364}.yellow{color:#e3b341}.blue{color:#79c0ff}.magenta{color:#d2a8ff}.cyan{color:#76e3ea}`

const escape = (text) => text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter])

/** The page of a terminal in which a command printed this. */
export function terminal(command, output) {
  let active = []
  const body = output.trimEnd().split(/(\x1b\[[0-9;]*m)/).map((part) => {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part)
    if (!codes) return active.length ? `<span class="${active.join(' ')}">${escape(part)}</span>` : escape(part)
    for (const code of codes[1].split(';').map(Number)) {
      if (code === 0) active = []
      else if (CLASSES[code]) active.push(CLASSES[code])
    }
    return ''
  }).join('')
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><div class="terminal"><span class="dim">$</span> ${escape(command)}\n\n${body}</div>`
}
