// SPDX-License-Identifier: MIT OR Apache-2.0
// The token that requests bear. It lives as long as the tab, so that it is on no disk.

const KEY = 'gnomon.token'

function stored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? ''
  } catch {
    // Storage may be forbidden; the token then lives as long as the page.
    return ''
  }
}

class Token {
  value = $state(stored())
  /** Whether the watch asked for one, or refused the one it got. */
  wanted = $state(false)

  set(value: string) {
    this.value = value.trim()
    this.wanted = false
    try {
      if (this.value) sessionStorage.setItem(KEY, this.value)
      else sessionStorage.removeItem(KEY)
    } catch {
      // See `stored`.
    }
  }

  headers(): Record<string, string> {
    return this.value ? { Authorization: `Bearer ${this.value}` } : {}
  }
}

export const token = new Token()
