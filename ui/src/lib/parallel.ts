// SPDX-License-Identifier: MIT OR Apache-2.0
// Rows of statistics as lines across parallel axes, and what a brush leaves of them.

import type { Figure, StatisticsRow } from './types'

export const AXES = [
  { key: 'at', name: 'time' },
  { key: 'activated', name: 'activated' },
  { key: 'satisfied', name: 'satisfied' },
  { key: 'violated', name: 'violated' },
  { key: 'failure', name: 'failure %' },
  { key: 'min', name: 'min time' },
  { key: 'max', name: 'max time' },
  { key: 'mean', name: 'mean time' },
] as const satisfies readonly { key: keyof StatisticsRow; name: string }[]

export type Key = (typeof AXES)[number]['key']

/** What is kept of each axis: a value within any of its intervals. An axis without intervals keeps all. */
export type Brush = Partial<Record<Key, [number, number][]>>

/** More lines than this are a solid block. */
export const MOST_LINES = 500

export function number(figure: Figure | null): number | null {
  if (figure === null) return null
  const value = Number(figure)
  return Number.isFinite(value) ? value : null
}

/** The row as the numbers of its line, in the order of the axes. */
export function coordinates(row: StatisticsRow): (number | null)[] {
  return AXES.map(({ key }) => number(row[key]))
}

/** An even choice of at most so many, with the first and the last. */
export function sample<T>(rows: readonly T[], most = MOST_LINES): T[] {
  if (rows.length <= most) return [...rows]
  const step = (rows.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => rows[Math.round(index * step)] as T)
}

export function isKept(row: StatisticsRow, brush: Brush): boolean {
  return AXES.every(({ key }) => {
    const intervals = brush[key]
    if (!intervals || intervals.length === 0) return true
    const value = number(row[key])
    return value !== null && intervals.some(([low, high]) => low <= value && value <= high)
  })
}

export function isBrushed(brush: Brush): boolean {
  return AXES.some(({ key }) => (brush[key]?.length ?? 0) > 0)
}
