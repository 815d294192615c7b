// SPDX-License-Identifier: MIT OR Apache-2.0
// Shows a table as a list of cards in windows that are too narrow for its columns.

/** Width in pixels up to which a table with few columns becomes cards. */
const NARROW = 760

/** An action for a table: up to this width of the window it has the class `as-cards`. */
export function cards(table: HTMLElement, width: number = NARROW) {
  const query = window.matchMedia(`(max-width: ${width}px)`)
  const apply = () => table.classList.toggle('as-cards', query.matches)
  apply()
  query.addEventListener('change', apply)
  return { destroy: () => query.removeEventListener('change', apply) }
}
