// SPDX-License-Identifier: MIT OR Apache-2.0
// Checks a spec with the watch shortly after the last change.

import { api, explain, wasAborted } from './api'
import { fromBytes } from './span'
import type { Checked, Diagnostic } from './types'
import type { Mark } from './tokens'

const PAUSE = 400

export class Checker {
  result = $state.raw<Checked | null>(null)
  /** The checked text. */
  text = $state('')
  isBusy = $state(false)
  failure = $state('')

  errors = $derived(this.result?.diagnostics.filter(({ severity }) => severity === 'error').length ?? 0)
  /** Marks in the text, with the index of the diagnostic. */
  marks = $derived(place(this.text, this.result?.diagnostics ?? []))

  #timer: ReturnType<typeof setTimeout> | undefined
  #running: AbortController | undefined

  /** Schedules a check and aborts the previous one. */
  ask(text: string) {
    this.stop()
    this.isBusy = true
    this.#timer = setTimeout(() => void this.#check(text), PAUSE)
  }

  stop() {
    clearTimeout(this.#timer)
    this.#running?.abort()
    this.isBusy = false
  }

  async #check(text: string) {
    const running = new AbortController()
    this.#running = running
    try {
      this.result = await api.check(text, running.signal)
      this.text = text
      this.failure = ''
    } catch (error) {
      if (wasAborted(error)) return
      this.failure = explain(error)
    }
    this.isBusy = false
  }
}

export function place(text: string, diagnostics: Diagnostic[]): Mark[] {
  const places = fromBytes(text, diagnostics.flatMap(({ start, end }) => [start, end]))
  return diagnostics.map(({ severity }, index) => {
    const start = places[index * 2] ?? 0
    // An empty span is shown on the next character.
    const end = Math.max(places[index * 2 + 1] ?? 0, Math.min(start + 1, text.length))
    return { start, end, kind: severity }
  })
}
