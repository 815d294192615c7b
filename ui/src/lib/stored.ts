// SPDX-License-Identifier: MIT OR Apache-2.0
// Texts that outlive the page. Storage may be forbidden; then they live as long as the page.

export function read(storage: () => Storage, key: string): string {
  try {
    return storage().getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Stores a text; an empty one is removed. */
export function write(storage: () => Storage, key: string, text: string) {
  try {
    if (text) storage().setItem(key, text)
    else storage().removeItem(key)
  } catch {
    // See above.
  }
}
