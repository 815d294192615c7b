// SPDX-License-Identifier: MIT OR Apache-2.0
// Converts rows of statistics to lines across parallel axes and filters them by selected ranges.

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

/** Selected intervals of each axis; an axis without intervals selects everything. */
export type Brush = Partial<Record<Key, [number, number][]>>

/** Maximum number of lines that can be distinguished. */
export const MOST_LINES = 500

export function number(figure: Figure | null): number | null {
  if (figure === null) return null
  const value = Number(figure)
  return Number.isFinite(value) ? value : null
}

/** Returns the values of a row in the order of the axes. */
export function coordinates(row: StatisticsRow): (number | null)[] {
  return AXES.map(({ key }) => number(row[key]))
}

/** Selects at most this many items evenly, including the first and the last. */
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
