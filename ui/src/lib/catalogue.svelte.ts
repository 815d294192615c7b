// SPDX-License-Identifier: MIT OR Apache-2.0
// Events of service descriptions, kept while the page is open and offered by builder and assistant.

import type { CatalogueEvent } from './types'

class EventCatalogue {
  events = $state.raw<CatalogueEvent[]>([])

  add(events: CatalogueEvent[]) {
    this.events = merged(this.events, events)
  }
}

/** Merges both lists by name. Declarations of the spec take precedence; fields are combined. */
export function merged(known: CatalogueEvent[], more: CatalogueEvent[]): CatalogueEvent[] {
  const all = new Map(known.map((event) => [event.name, event]))
  for (const event of more) {
    const before = all.get(event.name)
    const fields = [...new Set([...(before?.fields ?? []), ...event.fields])]
    all.set(event.name, before?.declared ? { ...before, fields } : { ...before, ...event, fields })
  }
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name))
}

export const eventCatalogue = new EventCatalogue()
