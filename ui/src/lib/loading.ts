// SPDX-License-Identifier: MIT OR Apache-2.0
// Lists that follow a filter: asked for a moment after the last change, and dropped when they are no longer wanted.

import { explain, wasAborted } from './api'

/** Waits, loads, and tells what came of it; answers how to call it off. */
export function loadSoon<T>(
  wait: number,
  load: (signal: AbortSignal) => Promise<T>,
  loaded: (found: T) => void,
  failed: (why: string) => void,
): () => void {
  const gone = new AbortController()
  const timer = setTimeout(() => {
    load(gone.signal).then(loaded, (error: unknown) => {
      if (!wasAborted(error)) failed(explain(error))
    })
  }, wait)
  return () => {
    clearTimeout(timer)
    gone.abort()
  }
}
