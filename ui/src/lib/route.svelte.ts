// SPDX-License-Identifier: MIT OR Apache-2.0
// The current route: `#/view/argument?name=value`. A hash, so that the server has one page only.

export interface Route {
  view: string
  argument: string | null
  query: URLSearchParams
}

export function parse(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view = '', ...rest] = path.split('/')
  return { view: view || 'properties', argument: rest.length > 0 ? decode(rest.join('/')) : null, query: new URLSearchParams(search) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function link(view: string, argument?: string | number | null, query?: Record<string, string | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value) search.set(name, value)
  const tail = search.size > 0 ? `?${search}` : ''
  const middle = argument === undefined || argument === null ? '' : `/${encodeURIComponent(argument)}`
  return `#/${view}${middle}${tail}`
}

class Router {
  current = $state.raw(parse(location.hash))
  /** Counts navigations. A filter that changes the address is not a navigation. */
  visit = $state(0)

  constructor() {
    window.addEventListener('hashchange', () => {
      this.current = parse(location.hash)
      this.visit += 1
    })
  }

  go(hash: string) {
    location.hash = hash
  }

  /** Changes the address without a history entry, for filters. */
  replace(hash: string) {
    if (hash === location.hash) return
    history.replaceState(history.state, '', hash)
    this.current = parse(hash)
  }
}

export const router = new Router()
