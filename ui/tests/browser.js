// SPDX-License-Identifier: MIT OR Apache-2.0
// A real browser before a watch, or its mock. Every page is watched for errors and for requests to other hosts.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'

import { chromium } from 'playwright-core'

import { Mock } from './mock.js'

const FLAGS = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Opens a browser for the tests of a file, and for each of them a watch, the mock unless told otherwise, and pages. */
export function withBrowser(begin = () => new Mock().open()) {
  const world = { mock: null, browser: null, visit: null }
  let contexts = []
  let complaints = []

  before(async () => {
    const executablePath = process.env.GNOMON_BROWSER || '/usr/bin/chromium'
    world.browser = await chromium.launch({ executablePath, args: FLAGS.split(' ') })
  })
  after(() => world.browser?.close())

  beforeEach(async () => {
    world.mock = await begin()
    complaints = []
  })
  afterEach(async () => {
    for (const context of contexts) await context.close()
    contexts = []
    await world.mock.close()
    assert.deepEqual(complaints, [], 'the page complained')
  })

  /** Opens the dashboard there. `expected` are complaints that belong to the test. */
  world.visit = async (hash, { width = 1200, height = 900, expected = null, ...more } = {}) => {
    const context = await world.browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce', ...more })
    contexts.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    const complain = (text) => {
      if (!expected?.test(text)) complaints.push(text)
    }
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complain(message.text())
    })
    page.on('pageerror', (error) => complain(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(world.mock.address)) complain(`asked ${request.url()}`)
    })
    await page.goto(`${world.mock.address}/${hash}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  return world
}

/** Whether the page itself would have to be scrolled sideways. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** Waits until something is true. */
export async function until(what, condition) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail(`waited in vain: ${what}`)
}
