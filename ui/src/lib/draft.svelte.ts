// SPDX-License-Identifier: MIT OR Apache-2.0
// The spec as somebody is changing it, kept while they look at other views.

import { api } from './api'

class Draft {
  text = $state('')
  name = $state('')
  /** The revision it began from; `null` until it was loaded. */
  revision = $state<number | null>(null)
  /** What the watch has, as far as is known. */
  saved = $state('')
  /** What was added last by the assistant or the builder, for the editor to tell. */
  added = $state('')

  isChanged = $derived(this.revision !== null && this.text !== this.saved)

  async load() {
    const spec = await api.spec()
    this.name = spec.name
    this.revision = spec.revision
    this.saved = spec.text
    this.text = spec.text
  }

  /** Loads the spec unless something was begun. */
  async begin() {
    if (this.revision === null || !this.isChanged) await this.load()
  }

  async append(block: string, what: string) {
    await this.begin()
    this.text = joined(this.text, block)
    this.added = what
  }
}

/** One text after the other, with an empty line between. */
export function joined(text: string, block: string): string {
  const before = text.trimEnd()
  return before ? `${before}\n\n${block.trim()}\n` : `${block.trim()}\n`
}

export const draft = new Draft()
