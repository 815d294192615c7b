// SPDX-License-Identifier: MIT OR Apache-2.0
// No view is wider than the window, from a phone to a desktop.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { overflow, until, withBrowser } from './browser.js'

const VIEWS = ['properties', 'statistics/paid', 'events', 'violations', 'violations?by=group', 'violations/17', 'assistant', 'builder', 'spec', 'settings']
const WIDTHS = [360, 760, 761, 768, 820, 912, 1024, 1100, 1180, 1270, 1280, 1281, 1440, 1920]
/** The picture in the mock is hostile; that its handler is refused is said on the console. */
const HANDLER = /inline event handler/

const world = withBrowser()

const LONG = 'every_order_of_a_customer_with_an_account_is_paid_and_shipped_within_the_time_that_the_contract_promises'

test('long names of properties fit into every window', async () => {
  world.mock.spec.text = `mtl ${LONG} { G !alarm }\n`
  for (const event of world.mock.events) event.violated = event.violated.map(() => LONG)
  for (const property of world.mock.properties) property.name = LONG + property.name
  for (const group of world.mock.groups) Object.assign(group, { group: LONG, property: LONG })
  for (const view of ['properties', 'events', 'violations?by=group', 'spec']) {
    const page = await world.visit(`#/${view}`, { width: 1920, expected: HANDLER })
    await until(`${view} has its data`, async () => (await page.locator('main').innerText()).includes(LONG))
    if (view === 'spec') await page.getByRole('table', { name: 'Dry run' }).waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      assert.ok((await overflow(page)) <= 0, `${view} is ${await overflow(page)} px too wide at ${width} px`)
    }
  }
})

for (const view of VIEWS) {
  test(`${view} fits into every window`, async () => {
    const page = await world.visit(`#/${view}`, { width: 1920, expected: HANDLER })
    await until(`${view} has its data`, async () => !(await page.getByText('Loading…').isVisible()))
    await page.evaluate(() => document.querySelectorAll('main details').forEach((details) => (details.open = true)))
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      // The layout follows in the next frame.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      assert.ok((await overflow(page)) <= 0, `${view} is ${await overflow(page)} px too wide at ${width} px`)
      if (process.env.GNOMON_SCREENSHOTS) {
        const name = `${view.replace(/[/?]/g, '-')}-${width}.png`
        await page.screenshot({ path: `${process.env.GNOMON_SCREENSHOTS}/${name}` })
      }
    }
  })
}
