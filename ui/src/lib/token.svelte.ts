// SPDX-License-Identifier: MIT OR Apache-2.0
// The token of requests. It is kept for the life of the tab and not written to disk.

import { read, write } from './stored'

const KEY = 'gnomon.token'

class Token {
  value = $state(read(() => sessionStorage, KEY))
  /** True if the watch requires a token or refused the current one. */
  wanted = $state(false)

  set(value: string) {
    this.value = value.trim()
    this.wanted = false
    write(() => sessionStorage, KEY, this.value)
  }

  headers(): Record<string, string> {
    return this.value ? { Authorization: `Bearer ${this.value}` } : {}
  }
}

export const token = new Token()
