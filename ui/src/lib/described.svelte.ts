// SPDX-License-Identifier: MIT OR Apache-2.0
// Events that descriptions of services told of, kept while the page is open: the builder and the assistant offer them.

import type { CatalogueEvent } from './types'

class Described {
  events = $state.raw<CatalogueEvent[]>([])

  add(events: CatalogueEvent[]) {
    this.events = merged(this.events, events)
  }
}

/** Both lists as one, by name. What the spec declares stays as it is; fields are those of both. */
export function merged(known: CatalogueEvent[], more: CatalogueEvent[]): CatalogueEvent[] {
  const all = new Map(known.map((event) => [event.name, event]))
  for (const event of more) {
    const before = all.get(event.name)
    const fields = [...new Set([...(before?.fields ?? []), ...event.fields])]
    all.set(event.name, before?.declared ? { ...before, fields } : { ...before, ...event, fields })
  }
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name))
}

export const described = new Described()
