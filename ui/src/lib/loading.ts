// SPDX-License-Identifier: MIT OR Apache-2.0
// Lists that follow a filter: loaded shortly after the last change, and aborted when outdated.

import type { Attempt } from './attempt.svelte'

/** Loads immediately the first time, later after a pause; returns a function that aborts it. */
export function loadSoon(attempt: Attempt, isLoaded: boolean, load: (signal: AbortSignal) => Promise<void>): () => void {
  const gone = new AbortController()
  const timer = setTimeout(() => void attempt.run(() => load(gone.signal)), isLoaded ? 250 : 0)
  return () => {
    clearTimeout(timer)
    gone.abort()
  }
}
