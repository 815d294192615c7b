// SPDX-License-Identifier: MIT OR Apache-2.0
// Layout of a violation's explanation as a sequence diagram.

import type { StoryEvent, Time, ViolationPage } from './types'

export type Row =
  | { kind: 'message'; event: StoryEvent; from: number; to: number }
  | { kind: 'skipped'; count: number }
  | { kind: 'deadline'; time: Time; decides: boolean }
  | { kind: 'decided'; time: Time | null; text: string }

export interface Diagram {
  participants: string[]
  rows: Row[]
}

/** Longer runs of other events are drawn as their number. */
const LONGEST_BETWEEN = 6
const MOST_PARTICIPANTS = 12

/** Name of the lifeline for events without participants. */
export const NOBODY = 'events'

function ends(event: StoryEvent): [string, string] {
  const destination = name(event.destination)
  const from = name(event.source) ?? destination ?? name(event.fields.service) ?? NOBODY
  return [from, destination ?? from]
}

/** Fields can have any type. */
function name(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns true if the first is later; times of different kinds are not compared. */
export function isLater(first: Time, second: Time): boolean {
  if (typeof first === 'number' && typeof second === 'number') return first > second
  const [a, b] = [Date.parse(String(first)), Date.parse(String(second))]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a > b
  return Number(first) > Number(second)
}

function shorten(story: StoryEvent[]): (StoryEvent | number)[] {
  const shown: (StoryEvent | number)[] = []
  for (let index = 0; index < story.length; ) {
    let end = index
    while (story[end]?.role === 'between') end += 1
    const run = story.slice(index, end)
    if (run.length > LONGEST_BETWEEN) {
      const half = LONGEST_BETWEEN / 2
      shown.push(...run.slice(0, half), run.length - LONGEST_BETWEEN, ...run.slice(-half))
    } else shown.push(...run)
    const next = story[end]
    if (next) shown.push(next)
    index = end + 1
  }
  return shown
}

export function diagram(page: Pick<ViolationPage, 'story' | 'deadline' | 'decided'>): Diagram {
  const { story = [], deadline, decided } = page
  const participants: string[] = []
  const place = (name: string) => {
    const known = participants.indexOf(name)
    if (known >= 0) return known
    // More lifelines would be unreadable: the rest share one.
    if (participants.length < MOST_PARTICIPANTS - 1) return participants.push(name) - 1
    const others = participants.indexOf('others')
    return others >= 0 ? others : participants.push('others') - 1
  }
  const rows: Row[] = []
  let open = deadline ?? null
  // Most violations that the clock finds are found at the deadline: one line says both.
  const decides = open !== null && decided?.event === null && decided.time === open
  for (const item of shorten(story)) {
    if (typeof item === 'number') {
      rows.push({ kind: 'skipped', count: item })
      continue
    }
    if (open !== null && isLater(item.time, open)) {
      rows.push({ kind: 'deadline', time: open, decides })
      open = null
    }
    const [from, to] = ends(item)
    rows.push({ kind: 'message', event: item, from: place(from), to: place(to) })
  }
  if (open !== null) rows.push({ kind: 'deadline', time: open, decides })
  if (decided && !decides && !story.some((event) => event.role === 'decided')) {
    const text = decided.event === null ? 'decided by the clock' : `decided at ${decided.event}`
    rows.push({ kind: 'decided', time: decided.time, text })
  }
  if (participants.length === 0) participants.push(NOBODY)
  return { participants, rows }
}

/** Returns a row in words, for screen readers. */
export function words(row: Row, participants: string[]): string {
  if (row.kind === 'skipped') return `${row.count} more events`
  if (row.kind === 'deadline') return `deadline at ${row.time}${row.decides ? ', which decided it' : ''}`
  if (row.kind === 'decided') return row.time === null ? row.text : `${row.text} at ${row.time}`
  const { event, from, to } = row
  const [source, destination] = [participants[from], participants[to]]
  const way = source === NOBODY ? '' : from === to ? ` in ${source}` : ` from ${source} to ${destination}`
  const roles = { at: ' (violation)', because: '', decided: ' (this decided it)', between: '' }
  return `${event.event}${way} at ${event.time}${roles[event.role]}${event.note ? `: ${event.note}` : ''}`
}
