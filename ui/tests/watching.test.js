// SPDX-License-Identifier: MIT OR Apache-2.0
// The views that show what happens.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { overflow, until, withBrowser } from './browser.js'
import { event, violation } from './data.js'

const world = withBrowser()

test('properties have live counts, verdicts in words, and filters', async () => {
  // So wide that the list is a table.
  const page = await world.visit('', { width: 1400 })
  const row = page.locator('[data-property=paid]')
  await row.waitFor()
  assert.match(await row.innerText(), /violated[\s\S]*31[\s\S]*17[\s\S]*56\.67 %[\s\S]*0 \/ 1\.25 \/ 4/)
  assert.match(await page.locator('[data-property=quiet]').innerText(), /never activated/)
  await row.getByRole('img', { name: '17 violations in the last hour' }).waitFor()
  await until('the page listens', () => world.mock.listeners === 1)
  world.mock.properties[0].violated = 18
  world.mock.tell('statistics', world.mock.properties)
  await row.getByRole('cell', { name: '18', exact: true }).waitFor()
  await page.getByLabel('Verdict').selectOption('holds')
  assert.equal(await page.locator('[data-property]').count(), 1)
  await page.getByLabel('Verdict').selectOption('')
  await page.getByLabel('Severity').selectOption('critical')
  assert.equal(await page.locator('[data-property]').count(), 1)
  await page.getByLabel('Name or title').fill('nothing like it')
  await page.getByText('No property matches the filter.').waitFor()
})

test('columns sort both ways and back', async () => {
  const page = await world.visit('')
  const names = () => page.locator('[data-property]').evaluateAll((rows) => rows.map((row) => row.dataset.property))
  await page.locator('[data-property=paid]').waitFor()
  const button = page.getByRole('button', { name: 'Satisfied' })
  await button.click()
  assert.deepEqual(await names(), ['answered', 'paid', 'quiet'])
  await button.click()
  assert.deepEqual(await names(), ['quiet', 'paid', 'answered'])
  assert.equal(await page.getByRole('columnheader', { name: 'Satisfied' }).getAttribute('aria-sort'), 'ascending')
  await button.click()
  assert.deepEqual(await names(), ['paid', 'answered', 'quiet'])
})

test('a blocked session is released after a second question', async () => {
  const page = await world.visit('')
  await page.getByRole('button', { name: 'Release s17' }).click()
  assert.equal(world.mock.blocks.length, 1)
  await page.getByRole('button', { name: 'Yes' }).click()
  await until('it is released', () => world.mock.blocks.length === 0)
  await page.getByRole('heading', { name: 'Blocked sessions' }).waitFor({ state: 'detached' })
})

test('the dashboard shows the state of the watch', async () => {
  const page = await world.visit('')
  await until('the page listens', () => world.mock.listeners === 1)
  world.mock.tell('status', { ...world.mock.status, state: 'full', note: 'the disk of `var` has no room' })
  await page.getByText('the disk of `var` has no room').waitFor()
})

test('a watch without events says how to send one', async () => {
  world.mock.status.events.accepted = 0
  world.mock.events = []
  const page = await world.visit('#/events')
  assert.match(await page.locator('pre').innerText(), new RegExp(`curl ${world.mock.address}/api/v1/events`))
})

test('a lost stream is marked, and taken up where it ended', async () => {
  const page = await world.visit('', { expected: /ERR_|Failed to load/ })
  await page.locator('header').getByText('live').waitFor()
  world.mock.tell('violation', violation(61), 61)
  await page.getByTestId('announcer').getByText('New violation').waitFor({ state: 'attached' })
  world.mock.outage = Object.assign(new Error(), { problem: { title: 'Starting', status: 503, detail: 'the watch is starting' } })
  world.mock.drop()
  await page.locator('header').getByText('offline').waitFor()
  await page.locator('main').getByText('the page tries again by itself').waitFor()
  world.mock.outage = null
  await page.locator('header').getByText('live').waitFor({ timeout: 20_000 })
  assert.equal(world.mock.asked('GET', '/api/v1/stream').at(-1).headers['last-event-id'], '61')
})

test('a token is asked for, sent as a header only, and kept for the tab', async () => {
  world.mock.token = 'sesame'
  const page = await world.visit('', { expected: /401/ })
  await page.getByText('A token is needed.').waitFor()
  await page.locator('main').getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Token' }).fill('sesame')
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.locator('header').getByText('live').waitFor()
  await page.reload()
  await page.locator('header').getByText('live').waitFor()
  assert.ok(world.mock.requests.every(({ query }) => !query.has('token')))
})

test('charts show activations, violations and durations over time, inside their card', async () => {
  for (const width of [1280, 800, 400]) {
    const page = await world.visit('#/statistics/paid', { width })
    await page.getByTestId('kept').getByText('121 instants').waitFor()
    const charts = page.getByRole('group', { name: 'Charts over time of paid' })
    assert.equal(await charts.getByRole('img').count(), 3)
    assert.ok((await charts.locator('rect').count()) > 30)
    assert.ok((await charts.locator('polyline').getAttribute('points')).split(' ').length > 30)
    const outside = await charts.evaluate((node) => {
      const card = node.closest('section').getBoundingClientRect()
      return [...node.querySelectorAll('figcaption, svg, p span')].filter((part) => part.getBoundingClientRect().right > card.right).length
    })
    assert.equal(outside, 0, String(width))
    assert.ok((await overflow(page)) <= 0, String(width))
  }
})

test('statistics are drawn, and a brush on an axis filters the table', async () => {
  const page = await world.visit('#/statistics/paid')
  const chart = page.getByTestId('parallel')
  await page.locator('[data-testid=parallel][data-ready=true] canvas').waitFor()
  await page.getByTestId('kept').getByText('121 instants').waitFor()
  assert.match(await page.locator('tr.now').innerText(), /now[\s\S]*31/)
  // The fourth of eight axes is `violated`: its lower half.
  const box = await chart.boundingBox()
  const x = box.x + 60 + ((box.width - 130) * 3) / 7
  const [top, bottom] = [box.y + 40, box.y + box.height - 24]
  await page.mouse.move(x, (top + bottom) / 2)
  await page.mouse.down()
  await page.mouse.move(x, bottom - 40, { steps: 8 })
  await page.mouse.move(x, bottom, { steps: 8 })
  await page.mouse.up()
  await page.getByRole('heading', { name: 'Selected range' }).waitFor()
  const text = await page.getByTestId('kept').innerText()
  const kept = Number(/(\d+) instants? of 121/.exec(text)?.[1])
  assert.ok(kept > 30 && kept < 90, text)
  const counts = await page.locator('tbody tr td:nth-child(4)').allInnerTexts()
  assert.ok(counts.every((count) => Number(count) <= 9), counts.join())
})

test('what can be brushed can be typed', async () => {
  const page = await world.visit('#/statistics/paid')
  await page.locator('[data-testid=parallel][data-ready=true] canvas').waitFor()
  await page.getByText('Select a range by numbers').click()
  const violated = page.getByRole('group', { name: 'violated' })
  await violated.getByLabel('from').fill('16')
  await violated.getByLabel('from').press('Tab')
  await page.getByTestId('kept').getByText(/^\d instants? of 121|^1\d instants of 121/).waitFor()
  await page.getByRole('button', { name: 'Keep all' }).click()
  await page.getByTestId('kept').getByText('121 instants').waitFor()
  await page.getByLabel('Property').selectOption('answered')
  assert.match(page.url(), /#\/statistics\/answered$/)
})

test('events stream in, are filtered, held back and opened', async () => {
  const page = await world.visit('#/events')
  const rows = page.locator('li[data-event]')
  await until('events are there', async () => (await rows.count()) === 100)
  await until('the page listens', () => world.mock.listeners === 1)
  world.mock.tell('event', event(1001, { event: 'refund', skipped: 7 }))
  await page.locator('li[data-event=refund]').waitFor()
  await page.getByText('7 more came too fast').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  world.mock.tell('event', event(1003, { event: 'late' }))
  await page.getByText('1 new event waiting').waitFor()
  assert.equal(await page.locator('li[data-event=late]').count(), 0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.locator('li[data-event=late]').waitFor()
  await page.getByLabel('only violating').check()
  await until('only violating ones are left', async () => (await rows.count()) === 15)
  await rows.first().locator('summary').click()
  await rows.first().getByRole('link', { name: 'paid' }).waitFor()
  await page.getByLabel('Text').fill('no such text')
  await page.getByText('No recent event matches the filter.').waitFor()
})

test('what came while the stream was lost is shown after all', async () => {
  const page = await world.visit('#/events', { expected: /ERR_/ })
  await page.locator('header').getByText('live').waitFor()
  world.mock.events.unshift(event(2001, { event: 'meanwhile' }))
  world.mock.drop()
  await page.locator('li[data-event=meanwhile]').waitFor()
})

test('older events come when asked for', async () => {
  const page = await world.visit('#/events')
  await page.getByRole('button', { name: 'Older events' }).click()
  await until('all are there', async () => (await page.locator('li[data-event]').count()) === 150)
})

test('violations are listed, arrive, and lead to their story', async () => {
  const page = await world.visit('#/violations?severity=high')
  const rows = page.locator('ol[aria-label^=Violations] li')
  await until('a page of them', async () => (await rows.count()) === 50)
  await until('the page listens', () => world.mock.listeners === 1)
  world.mock.violations.unshift(violation(61))
  world.mock.tell('violation', violation(61), 61)
  world.mock.tell('violation', violation(62, { severity: 'low' }), 62)
  await until('the new one', async () => (await rows.count()) === 51)
  await page.getByRole('button', { name: 'Older violations' }).click()
  await until('older ones', async () => (await rows.count()) === 61)
  await rows.first().getByRole('link').click()
  await page.getByText('no `charged` within 5 s of `order` for id 61', { exact: true }).waitFor()
})

test('a story is a sequence diagram with the property beside it', async () => {
  const page = await world.visit('#/violations/17')
  const diagram = page.locator('svg[aria-label^="Sequence diagram"]')
  await diagram.waitFor()
  for (const name of ['client', 'shop', 'warehouse']) await diagram.locator('.who', { hasText: name }).waitFor()
  assert.deepEqual(await diagram.locator('[data-row]').evaluateAll((rows) => rows.map((row) => row.dataset.role)), [
    'at',
    ...Array(3).fill('between'),
    'skipped',
    ...Array(3).fill('between'),
    'because',
    'deadline',
    'decided',
  ])
  const failed = await page.locator('mark').allInnerTexts()
  assert.equal(failed.join(''), 'F[0,5] charged(id)')
  await page.getByText('The same as a list').click()
  await page.getByText('order from client to shop at 217 (violation)').waitFor()
  await page.getByText('As JSON').click()
  assert.match(await page.locator('details pre').last().innerText(), /"number": 17/)
})

test('a violation that is gone says so', async () => {
  const page = await world.visit('#/violations/999', { expected: /404/ })
  await page.getByRole('alert').getByText('there is no violation 999').waitFor()
})

test('groups can be muted', async () => {
  const page = await world.visit('#/violations?by=group')
  await page.getByRole('button', { name: /^Mute for a day/ }).click()
  await page.getByText('muted, see').waitFor()
  assert.equal(world.mock.mutes[0].group, 'paid/F[0,5] charged(id)')
  await page.getByRole('link', { name: 'Settings' }).last().click()
  await page.getByRole('button', { name: /^Unmute/ }).click()
  await page.getByText('Nothing is muted.').waitFor()
})
