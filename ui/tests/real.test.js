// SPDX-License-Identifier: MIT OR Apache-2.0
// The dashboard of a real watch, as it is built into the command. GNOMON_BIN names the command.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'

import { overflow, until, withBrowser } from './browser.js'

const SPEC = `time in s
mtl answered "Every request is answered" (severity high) { forall id. G(request(id) -> F[0,5] response(id)) }
mtl quiet { G !alarm }
`

/** A watch in a folder of its own. */
async function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'gnomon-ui-'))
  writeFileSync(join(folder, 'shop.rv'), SPEC)
  const options = ['watch', 'shop.rv', '--store', 'var', '--time', 'replay', '--listen-http', '127.0.0.1:0']
  const child = spawn(resolve(process.env.GNOMON_BIN), options, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const address = await new Promise((found, failed) => {
    child.stderr.on('data', (data) => {
      said += data
      const match = said.match(/dashboard and API: (http:[^ ]*[0-9])\//)
      if (match) found(match[1])
    })
    child.on('exit', () => failed(new Error(`it did not start: ${said}`)))
  })
  const close = () =>
    new Promise((closed) => {
      child.removeAllListeners('exit')
      child.on('exit', () => {
        rmSync(folder, { recursive: true, force: true })
        closed()
      })
      child.kill('SIGTERM')
    })
  return { address, close }
}

async function send(address, events) {
  const body = events.map((event) => JSON.stringify(event)).join('\n')
  const answer = await fetch(`${address}/api/v1/events`, { method: 'POST', body })
  assert.equal(answer.status, 200, await answer.text())
}

const skip = process.env.GNOMON_BIN ? false : 'GNOMON_BIN does not name the command'

describe('a real watch', { skip }, () => {
  const world = withBrowser(begin)

  test('shows what it is sent, and why it is a violation', async () => {
    const page = await world.visit('')
    await page.getByText('answered').first().waitFor()
    await send(world.mock.address, [
      { event: 'request', time: 1, id: 7 },
      { event: 'request', time: 2, id: 8 },
      { event: 'response', time: 3, id: 8 },
      { event: 'alarm', time: 9 },
      { event: 'end', time: 10 },
    ])
    await until('the counts are shown', async () => /violated/i.test(await page.locator('main').innerText()))
    await page.goto(`${world.mock.address}/#/violations`)
    await page.getByText('no `response` within 5').first().waitFor()
    await page.goto(`${world.mock.address}/#/events`)
    await page.getByText('alarm').first().waitFor()
    assert.ok((await overflow(page)) <= 0)
  })

  test('checks a spec as it is typed, and tries it on what has come', async () => {
    await send(world.mock.address, [{ event: 'hello', time: 1 }])
    const page = await world.visit('#/spec')
    const editor = page.getByRole('textbox').first()
    await editor.fill('mtl quiet { G !alarm ')
    await page.getByText(/G0\d\d\d/).first().waitFor()
    await editor.fill('mtl quiet { G !hello }')
    await until('the dry run is shown', async () => /violated/i.test(await page.locator('main').innerText()))
  })
})
