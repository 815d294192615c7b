// SPDX-License-Identifier: MIT OR Apache-2.0
// Converts positions in a text: the watch counts UTF-8 bytes, a browser UTF-16 units.

/** Converts byte offsets to positions in the text. Offsets inside a character or beyond the end are moved to the next boundary. */
export function fromBytes(text: string, offsets: number[]): number[] {
  const order = offsets.map((offset, index) => ({ offset, index })).sort((a, b) => a.offset - b.offset)
  const places = offsets.map(() => text.length)
  let bytes = 0
  let units = 0
  let next = 0
  for (const character of text) {
    for (let wanted = order[next]; wanted && wanted.offset <= bytes; wanted = order[++next]) places[wanted.index] = units
    if (next >= order.length) break
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    units += character.length
  }
  return places
}
