// SPDX-License-Identifier: MIT OR Apache-2.0
// Small screens, keyboards, dark rooms.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { overflow, until, withBrowser } from './browser.js'

const world = withBrowser()
const VIEWS = ['properties', 'statistics/paid', 'events', 'violations', 'violations?by=group', 'violations/17', 'assistant', 'builder', 'spec', 'settings']
/** The picture in the mock is hostile; that its handler is refused is said on the console. */
const HANDLER = /inline event handler/

test('no view is wider than a phone', async () => {
  const page = await world.visit('', { width: 360, height: 740, expected: HANDLER })
  for (const view of VIEWS) {
    await page.goto(`${world.mock.address}/#/${view}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('load')
    await until(`${view} has its data`, async () => !(await page.getByText('Loading…').isVisible()))
    await page.evaluate(() => document.querySelectorAll('main details').forEach((details) => (details.open = true)))
    assert.ok((await overflow(page)) <= 0, `${view} is wider than the screen`)
  }
})

test('a phone has a menu', async () => {
  const page = await world.visit('', { width: 360, height: 740 })
  const menu = page.getByRole('button', { name: 'Menu' })
  assert.equal(await page.getByRole('link', { name: 'Events' }).isVisible(), false)
  await menu.click()
  assert.equal(await menu.getAttribute('aria-expanded'), 'true')
  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  assert.equal(await menu.getAttribute('aria-expanded'), 'false')
})

const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

test('keyboards reach everything', async () => {
  const page = await world.visit('')
  await page.locator('[data-property=paid]').waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Skip to the content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main')
  await page.keyboard.press('Tab')
  assert.match(await focused(page), /^violation 17/)
  await page.keyboard.press('Tab')
  assert.match(await focused(page), /^Release/)
  await page.keyboard.press('Enter')
  assert.equal(await focused(page), 'Yes')
  await page.keyboard.press('Escape')
  assert.match(await focused(page), /^Release/)
  // Backwards to the menu, and through it to another view, whose heading then has the focus.
  for (let step = 0; step < 30 && (await focused(page)) !== 'Violations'; step += 1) await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await until('the heading has the focus', async () => (await page.evaluate(() => document.activeElement.tagName)) === 'H1')
  assert.equal(await focused(page), 'Violations')
  await page.keyboard.press('Tab')
  const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle)
  assert.equal(ring, 'solid')
})

test('every control of every view has a name, and can be reached', async () => {
  const page = await world.visit('', { expected: HANDLER })
  for (const view of VIEWS) {
    await page.goto(`${world.mock.address}/#/${view}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await until(`${view} has its data`, async () => !(await page.getByText('Loading…').isVisible()))
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll('button, a, input, select, textarea, summary, [role=img], [role=region]')]
        .filter((element) => !element.closest('[aria-hidden=true]'))
        .filter((element) => {
          const label = element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') || element.labels?.length
          return !label && !element.textContent?.trim()
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    )
    assert.deepEqual(nameless, [], view)
    const skipped = await page.evaluate(() => [...document.querySelectorAll('button, a, input, select, textarea')].filter((element) => element.tabIndex < 0).length)
    assert.equal(skipped, 0, view)
    const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id))
    assert.equal(new Set(ids).size, ids.length, `${view} has an id twice`)
  }
})

/** The contrast of two colours, after WCAG. */
function contrast(one, other) {
  const light = (text) => {
    const [r, g, b] = text.match(/[\d.]+/g).slice(0, 3).map((part) => {
      const value = Number(part) / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

test('light and dark are both readable', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await world.visit('', { colorScheme })
    const colours = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('span'))
      const colour = (name) => {
        probe.style.color = `var(--${name})`
        return getComputedStyle(probe).color
      }
      const inks = ['ink', 'soft', 'accent', 'good', 'bad', 'unsure']
      const found = Object.fromEntries([...inks, 'page', 'sheet', 'sunken', 'bad-sheet', 'unsure-sheet', 'on-accent'].map((name) => [name, colour(name)]))
      probe.remove()
      return found
    })
    for (const ink of ['ink', 'soft', 'accent', 'good', 'bad', 'unsure']) {
      for (const paper of ['page', 'sheet', 'sunken']) {
        const ratio = contrast(colours[ink], colours[paper])
        assert.ok(ratio >= 4.5, `${ink} on ${paper}, ${colorScheme}: ${ratio.toFixed(2)}`)
      }
    }
    assert.ok(contrast(colours.bad, colours['bad-sheet']) >= 4.5)
    assert.ok(contrast(colours['on-accent'], colours.accent) >= 4.5)
  }
})

test('colours can be chosen, whatever the system says', async () => {
  const page = await world.visit('#/settings', { colorScheme: 'light' })
  await page.getByLabel('Colours').selectOption('dark')
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.reload()
  await page.getByLabel('Colours').waitFor()
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), dark)
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
})

test('an unknown address says where to go', async () => {
  const page = await world.visit('#/nowhere/%E0%A4')
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
})

test('the first page is small', async () => {
  const { gzipSync } = await import('node:zlib')
  const { readFile } = await import('node:fs/promises')
  const page = await world.visit('')
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/assets/')))
  let size = 0
  for (const path of loaded) size += gzipSync(await readFile(new URL(`../dist${path}`, import.meta.url))).length
  assert.ok(loaded.length > 0 && size < 60_000, `${size} bytes`)
  assert.ok(!loaded.some((path) => path.includes('chart')))
})
