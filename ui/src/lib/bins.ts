// SPDX-License-Identifier: MIT OR Apache-2.0
// Increase of a total in each of several equal intervals of time.

export interface Sample {
  at: number
  total: number
}

/** Samples are in order of time; an increase between two belongs to the interval of the later one. */
export function growth(samples: readonly Sample[], from: number, to: number, bins: number): number[] {
  const added = new Array<number>(bins).fill(0)
  let before: number | null = null
  for (const { at, total } of samples) {
    if (before !== null && at >= from && at <= to && total > before) {
      const bin = Math.min(bins - 1, Math.floor(((at - from) / (to - from)) * bins))
      added[bin] = (added[bin] ?? 0) + total - before
    }
    before = total
  }
  return added
}
