// SPDX-License-Identifier: MIT OR Apache-2.0
// Drawings that the watch sends as SVG. They are parsed and cleaned before they become part of the page: names of events
// come from outside.

const REFUSED = new Set(['script', 'foreignobject', 'iframe', 'object', 'embed', 'animate', 'set', 'use', 'image', 'a'])

function isSafe(attribute: Attr): boolean {
  const name = attribute.name.toLowerCase()
  if (name.startsWith('on')) return false
  if (name === 'href' || name.endsWith(':href')) return attribute.value.startsWith('#')
  return !/url\(\s*['"]?(?!#)/i.test(attribute.value)
}

/** The drawing as an element, or `null` if it is none. */
export function drawing(text: string): SVGElement | null {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
  const root = parsed.documentElement
  if (root.nodeName !== 'svg' || parsed.querySelector('parsererror')) return null
  for (const element of [root, ...root.querySelectorAll('*')]) {
    if (REFUSED.has(element.localName.toLowerCase())) {
      element.remove()
      continue
    }
    if (element.localName === 'style' && /@import|url\(/i.test(element.textContent ?? '')) element.remove()
    for (const attribute of [...element.attributes]) if (!isSafe(attribute)) element.removeAttributeNode(attribute)
  }
  return document.importNode(root, true) as unknown as SVGElement
}
