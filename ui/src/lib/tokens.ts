// SPDX-License-Identifier: MIT OR Apache-2.0
// The words of a spec, told apart well enough to colour them. What it means is for the watch to say.

export type Kind = 'comment' | 'text' | 'number' | 'keyword' | 'operator' | 'word' | 'space' | 'mark'

export interface Token {
  kind: Kind
  start: number
  end: number
}

/** Words that begin a statement, or a block of a language. */
const STATEMENTS = new Set(
  'time log simultaneous event extern case soloist mtl ltl qea nomad albert pattern mu mop ccsl accepts rejects expect'.split(' '),
)

/** Words with a meaning inside. */
const KEYWORDS = new Set(
  (
    'in from to as on text regex path every unmatched critical severity low medium high merge sequence matching paired any ' +
    'strict-end forall exists start done inf true false null holds violated inconclusive ' +
    'absence existence universality response precedence between and after before until globally always never of ' +
    'parameters events creation suffix full-binding connected forbid reset endProgram ere fsm cfg ptltl'
  ).split(' '),
)

const OPERATORS = /^[GFXUWSHOPYRZC]$/

/** Aggregates. They are names of events unless a window follows. */
const AGGREGATES = /^(?:count|rate|sum|avg|min|max|gap|distinct|p\d+(?:\.\d+)?)$/
const WINDOW = /^(?:\[\s*[-\d]|\^)/

const TOKEN =
  /(?<space>\s+)|(?<comment>(?:#|\/\/)[^\n]*)|(?<text>"(?:\\.|[^"\\\n])*"?)|(?<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?<word>[\p{L}_](?:[\p{L}\p{N}_]|[-.](?=[\p{L}\p{N}_])|:(?=[\p{L}_]))*)|(?<operator>->|<->|<=|>=|!=|&&|\|\||[=<>!|&^*+\-/¬∧∨→↔⇒⇔≤≥≠⊤⊥∞𝒫])|(?<mark>.)/gsu

export function tokens(text: string): Token[] {
  const found: Token[] = []
  let lineBegins = true
  for (const match of text.matchAll(TOKEN)) {
    const [whole] = match
    let kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0] as Kind
    if (kind === 'word') {
      if ((lineBegins && STATEMENTS.has(whole)) || KEYWORDS.has(whole)) kind = 'keyword'
      else if (OPERATORS.test(whole)) kind = 'operator'
      else if (AGGREGATES.test(whole) && WINDOW.test(text.slice(match.index + whole.length, match.index + whole.length + 8))) kind = 'operator'
    }
    if (kind === 'space') lineBegins ||= whole.includes('\n')
    else lineBegins = false
    const start = match.index
    found.push({ kind, start, end: start + whole.length })
  }
  return found
}

export interface Mark {
  start: number
  end: number
  kind: string
}

export interface Piece {
  text: string
  kind: Kind
  marks: string[]
}

/** The text in pieces, each of one kind and under the same marks. */
export function pieces(text: string, marks: Mark[]): Piece[] {
  const list: Piece[] = []
  for (const token of tokens(text)) {
    const cuts = new Set([token.start, token.end])
    const here = marks.filter((mark) => mark.start < token.end && mark.end > token.start)
    for (const mark of here) {
      if (mark.start > token.start) cuts.add(mark.start)
      if (mark.end < token.end) cuts.add(mark.end)
    }
    const places = [...cuts].sort((a, b) => a - b)
    for (let index = 0; index + 1 < places.length; index += 1) {
      const [start, end] = [places[index] ?? 0, places[index + 1] ?? 0]
      const over = here.filter((mark) => mark.start < end && mark.end > start).map((mark) => mark.kind)
      list.push({ text: text.slice(start, end), kind: token.kind, marks: [...new Set(over)] })
    }
  }
  return list
}
