// SPDX-License-Identifier: MIT OR Apache-2.0
// A rule over messages: the builder's model and its text (docs/languages/nomad.md).

export interface Action {
  event: string
  /** A condition on its data, as `amount > 1000`; may be empty. */
  condition: string
  negated: boolean
}

export interface Window {
  direction: 'after' | 'before'
  from: string
  /** Empty: unbounded. */
  to: string
  unit: string
}

/** Fields that must be equal, by event. */
export type Correlation = Record<string, string>

export interface Rule {
  name: string
  title: string
  mode: 'must' | 'must not'
  suppositions: Action[]
  context: Action[]
  join: 'all' | 'any'
  window: Window
  correlations: Correlation[]
  matching: 'paired' | 'any'
  severity: string
  critical: boolean
}

export const UNITS = ['ns', 'us', 'ms', 's', 'm', 'h', 'D'] as const

const WORD = /^[\p{L}_](?:[\p{L}\p{N}_]|[-.](?=[\p{L}\p{N}_])|:(?=[\p{L}_]))*$/u

/** Writes a name for a spec: a word, or a quoted text. */
export function name(text: string): string {
  return WORD.test(text) ? text : quoted(text)
}

export function quoted(text: string): string {
  // Control characters other than these three are escaped as in JSON, which is how a spec reads them.
  return JSON.stringify(text)
}

/** A path into the data: names between slashes, each quoted if it has to be; `@` is an attribute. */
export function path(text: string): string {
  const part = (field: string) => (field.startsWith('@') ? `@${name(field.slice(1))}` : /^\d+$/.test(field) ? field : name(field))
  return text.split('/').map(part).join('/')
}

function atom({ event, condition }: Action): string {
  const data = condition.trim()
  return data ? `${name(event)}[${data}]` : name(event)
}

function bounds({ direction, from, to, unit }: Window): string {
  const near = from.trim() || '0'
  const far = to.trim() || 'inf'
  const [first, second] = direction === 'after' ? [near, far] : [far, near]
  return `O[${first},${second}]${unit}`
}

/** Returns the events that a rule mentions, each once. */
export function events(rule: Rule): string[] {
  return [...new Set([...rule.suppositions, ...rule.context].map((action) => action.event).filter(Boolean))]
}

/** Returns the missing parts of the rule in the order of the form. */
export function missing(rule: Rule): string[] {
  const list: string[] = []
  if (!rule.name.trim()) list.push('give the rule a name')
  if (!rule.suppositions.some((action) => action.event)) list.push('choose the event that triggers the rule')
  if (!rule.context.some((action) => action.event)) list.push('choose the event that must or must not happen')
  const [from, to] = [rule.window.from.trim(), rule.window.to.trim()]
  const isAmount = (text: string) => /^\d+$/.test(text)
  if (from && !isAmount(from)) list.push('the window begins at a whole number, as 0 or 5')
  if (to && !isAmount(to)) list.push('the window ends at a whole number; leave it empty for no end')
  if (isAmount(from || '0') && isAmount(to) && BigInt(from || '0') > BigInt(to)) list.push('the window ends before it begins')
  // `O[3,3]` looks ahead: the notation has no other way to say "exactly 3 before".
  if (rule.window.direction === 'before' && to && to === (from || '0')) {
    list.push('a window before the event needs a beginning and an end that differ')
  }
  return list
}

/** Returns the rule as text; `null` while it is incomplete. */
export function write(rule: Rule): string | null {
  if (missing(rule).length > 0) return null
  const suppositions = rule.suppositions.filter((action) => action.event).map((action) => `start(${atom(action)})`)
  const context = rule.context
    .filter((action) => action.event)
    .map((action) => `done(${action.negated ? '!' : ''}${atom(action)})`)
  const joined = context.join(rule.join === 'all' ? ' && ' : ' || ')
  const wanted = context.length > 1 ? `(${joined})` : joined
  const sets = rule.correlations.map((correlation) => set(correlation, events(rule))).filter((text) => text !== null)
  const options = [
    rule.matching === 'any' ? 'matching any' : '',
    rule.severity ? `severity ${rule.severity}` : '',
    rule.critical ? 'critical' : '',
  ].filter(Boolean)
  const head = [
    `nomad ${name(rule.name.trim())}`,
    rule.title.trim() ? quoted(rule.title.trim()) : '',
    options.length > 0 ? `(${options.join(', ')})` : '',
  ].filter(Boolean)
  const letter = rule.mode === 'must' ? 'P' : 'F'
  const body = `  ${letter}(${suppositions.join(' || ')} | ${bounds(rule.window)} ${wanted})`
  const tail = sets.length > 0 ? `\n    / {${sets.join(', ')}}` : ''
  return `${head.join(' ')} {\n${body}${tail}\n}\n`
}

/** Removes fields of events that the rule no longer has. */
function set(correlation: Correlation, events: string[]): string | null {
  const fields = Object.entries(correlation).filter(([event, field]) => events.includes(event) && field.trim())
  if (fields.length < 2) return null
  return `{${fields.map(([event, field]) => member(event, field.trim())).join(', ')}}`
}

/** Quotes both names if one contains a dot, which would be ambiguous. */
function member(event: string, field: string): string {
  const [first = '', ...deeper] = field.split('/')
  const rest = deeper.length > 0 ? `/${path(deeper.join('/'))}` : ''
  if (!event.includes('.') && !first.includes('.')) return `${name(event)}.${path(first)}${rest}`
  const attribute = first.startsWith('@')
  return `${quoted(event)}.${attribute ? '@' : ''}${quoted(attribute ? first.slice(1) : first)}${rest}`
}
