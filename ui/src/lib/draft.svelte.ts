// SPDX-License-Identifier: MIT OR Apache-2.0
// The draft of a changed spec, kept while other views are shown.

import { api } from './api'

class Draft {
  text = $state('')
  name = $state('')
  /** The base revision; `null` until loaded. */
  revision = $state<number | null>(null)
  /** The last known text of the watch. */
  saved = $state('')
  /** The last addition of the assistant or the builder, for the editor to report. */
  added = $state('')

  isChanged = $derived(this.revision !== null && this.text !== this.saved)

  async load() {
    const spec = await api.spec()
    this.name = spec.name
    this.revision = spec.revision
    this.saved = spec.text
    this.text = spec.text
  }

  /** Loads the spec unless there is a draft. */
  async begin() {
    if (this.revision === null || !this.isChanged) await this.load()
  }

  async append(block: string, what: string) {
    await this.begin()
    this.text = joined(this.text, block)
    this.added = what
  }
}

/** Joins two texts with an empty line in between. */
export function joined(text: string, block: string): string {
  const before = text.trimEnd()
  return before ? `${before}\n\n${block.trim()}\n` : `${block.trim()}\n`
}

export const draft = new Draft()
