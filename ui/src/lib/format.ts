// SPDX-License-Identifier: MIT OR Apache-2.0
// Numbers, times and values as text.

import type { Figure, JudgedEvent, Time } from './types'

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 })
const thousandths = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 3 })
const significant = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** The severities of properties, highest first. */
export const SEVERITIES = ['high', 'medium', 'low'] as const

/** The counts of a property, with the headings of their columns. */
export const COUNTS = [
  { key: 'activated', name: 'Activated' },
  { key: 'satisfied', name: 'Satisfied' },
  { key: 'violated', name: 'Violated' },
  { key: 'pending', name: 'Pending' },
] as const

export function count(value: number | null | undefined): string {
  return typeof value === 'number' ? whole.format(value) : '–'
}

/** A figure rounded as in reports; all digits are in the API. */
export function figure(value: Figure | null | undefined): string {
  if (value === null || value === undefined) return '–'
  const number = Number(value)
  if (!Number.isFinite(number)) return String(value)
  const needsRounding = Math.abs(number) < 1000 && number !== Number(number.toFixed(3))
  return (needsRounding ? significant : Math.abs(number) < 1000 ? thousandths : whole).format(number)
}

export function percent(value: Figure | null | undefined): string {
  return value === null || value === undefined ? '–' : `${figure(value)} %`
}

/** A moment of the watch's clock. */
export function moment(at: number | null | undefined, now = Date.now()): string {
  if (typeof at !== 'number' || !Number.isFinite(at)) return '–'
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return '–'
  return date.toDateString() === new Date(now).toDateString() ? clock.format(date) : day.format(date)
}

/** The same for programs: what the attribute `datetime` wants. */
export function stamp(at: number): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** A time of the trace, as the trace has it. */
export function time(value: Time | null | undefined, unit: string | null = null): string {
  if (value === null || value === undefined) return '–'
  return unit && typeof value === 'number' ? `${value} ${unit}` : String(value)
}

export function bytes(value: number | null | undefined): string {
  if (typeof value !== 'number') return '–'
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let rest = value
  let step = 0
  while (rest >= 1000 && step < units.length - 1) {
    rest /= 1000
    step += 1
  }
  return `${short.format(rest)} ${units[step]}`
}

/** A value of an event or binding. */
export function value(what: unknown): string {
  return typeof what === 'string' ? what : JSON.stringify(what)
}

/** Formats fields on one line, truncated. */
export function line(fields: Record<string, unknown>, longest = 160): string {
  const text = Object.entries(fields)
    .map(([name, what]) => `${name}: ${value(what)}`)
    .join(', ')
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

export function isViolating(event: JudgedEvent): boolean {
  return event.verdict === false || event.verdict === 'violated' || event.violated.length > 0
}

/** `plural(2, 'event')` is "2 events". */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${number === 1 ? noun : noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`
}
