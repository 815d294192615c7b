// SPDX-License-Identifier: MIT OR Apache-2.0
// Makes the pictures of the documents from the program itself: `node pictures/make.js [NAME]...`. GNOMON_BIN names the program,
// GNOMON_BROWSER the browser. Everything is written to docs/pictures.

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { chromium } from 'playwright-core'

import { diagrams } from './diagrams.js'
import { shop, slowService } from './logs.js'
import { terminal } from './terminal.js'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const OUT = join(ROOT, 'docs/pictures')
const GNOMON = resolve(process.env.GNOMON_BIN || join(ROOT, 'target/release/gnomon'))
const FLAGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--force-color-profile=srgb', '--font-render-hinting=none']
const LARGEST = 150 * 1024

const folder = mkdtempSync(join(tmpdir(), 'gnomon-pictures-'))
mkdirSync(OUT, { recursive: true })

/** Runs the program in the folder of the pictures; status 1 means that a property is violated. */
function gnomon(...words) {
  try {
    return execFileSync(GNOMON, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, COLUMNS: '110' } })
  } catch (error) {
    if (error.status === 1) return error.stdout
    throw error
  }
}

/** Opens a page, prepares it, and writes a picture of a part of it. */
async function picture(browser, name, address, { width, height, scale = 1.25, part = null, prepare = async () => {} }) {
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, reducedMotion: 'reduce', colorScheme: 'light' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(address)
  await prepare(page)
  const path = join(OUT, name)
  await (part ? page.locator(part).first() : page).screenshot({ path, animations: 'disabled' })
  await context.close()
}

const file = (name, text) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Starts a watch of the shop and sends it an hour of events. */
async function watchShop() {
  const { spec, events } = shop(Date.now())
  file('shop.rv', spec)
  const child = spawn(GNOMON, ['watch', 'shop.rv', '--by', 'session', '--listen-http', '127.0.0.1:0'], { cwd: folder })
  const address = await new Promise((found, failed) => {
    let said = ''
    child.stderr.on('data', (data) => {
      said += data
      const match = /events: POST (http:\/\/[^/]+)/.exec(said)
      if (match) found(match[1])
    })
    child.on('exit', () => failed(new Error(`the watch ended: ${said}`)))
  })
  child.stdout.resume()
  const send = async (batch) => {
    const answer = await fetch(`${address}/api/v1/events`, { method: 'POST', body: batch.map((event) => JSON.stringify(event)).join('\n') })
    if (!answer.ok) throw new Error(await answer.text())
  }
  for (let at = 0; at < events.length; at += 200) await send(events.slice(at, at + 200))
  await new Promise((done) => setTimeout(done, 3000))
  return { address, stop: () => child.kill() }
}

const makers = {
  async report(browser) {
    const words = ['check', 'atm.rv', 'b4.xml', '--color', 'always']
    for (const name of ['atm.rv', 'b4.xml']) execFileSync('cp', [join(ROOT, 'examples/atm', name), folder])
    const page = file('report.html', terminal('gnomon check atm.rv b4.xml', gnomon(...words)))
    await picture(browser, 'report.png', pathToFileURL(page).href, { width: 1100, height: 900, part: '.terminal' })
  },

  async statistics(browser) {
    const { spec, log } = slowService()
    file('service.rv', spec)
    file('service.csv', log)
    gnomon('stats', 'service.rv', 'service.csv', '--every', '4m', '--html', 'page.html')
    const address = pathToFileURL(join(folder, 'page.html')).href
    await picture(browser, 'statistics.png', address, { width: 1000, height: 940, scale: 1, part: '#view-0' })
  },

  async dashboard(browser) {
    const watch = await watchShop()
    const heading = (page) => page.getByRole('heading', { level: 1 }).waitFor()
    try {
      await picture(browser, 'dashboard.png', `${watch.address}/#/`, { width: 1400, height: 860, scale: 1, prepare: async (page) => {
        await heading(page)
        await page.waitForTimeout(1500)
      } })
      await picture(browser, 'assistant.png', `${watch.address}/#/assistant`, { width: 1000, height: 760, prepare: async (page) => {
        await heading(page)
        await page.waitForTimeout(500)
        await answer(page)
      } })
    } finally {
      watch.stop()
    }
  },

  async automaton() {
    file('order.rv', `time in s
qea order "Orders are paid before they are shipped" {
  forall(id)
  accept skip(start)   { order(id) -> open }
         skip(open)    { pay(id) -> paid, cancel(id) -> done, ship(id) -> wrong }
         skip(paid)    { ship(id) -> done, cancel(id) -> refund }
         skip(refund)  { repay(id) -> done }
         skip(wrong)   { }
  accept skip(done)    { }
}
mtl answered "Requests are answered or cancelled within a working day" {
  forall id. G(request(id) -> F[0,8h] (reply(id) || cancel(id)) && count[60s](request(id)) <= 3)
}
`)
    gnomon('automaton', 'order.rv', '--property', 'order', '-o', join(OUT, 'automaton.svg'))
    gnomon('automaton', 'order.rv', '--property', 'answered', '-o', join(OUT, 'operators.svg'))
  },

  async diagrams() {
    for (const [name, draw] of Object.entries(diagrams)) writeFileSync(join(OUT, `${name}.svg`), String(draw()))
  },
}

/** Answers the first questions of the assistant, so that the picture shows a few of them. */
async function answer(page) {
  for (let step = 0; step < 2; step += 1) {
    const choice = page.locator('main input[type=radio]').first()
    if (!(await choice.count())) return
    await choice.check()
    await page.locator('main button.main').first().click()
    await page.waitForTimeout(400)
  }
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(makers)
const executablePath = process.env.GNOMON_BROWSER || '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: FLAGS })
try {
  for (const name of wanted) await makers[name](browser)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true })
}
for (const name of execFileSync('ls', [OUT], { encoding: 'utf8' }).trim().split('\n')) {
  const { size } = statSync(join(OUT, name))
  console.log(`${name}: ${Math.ceil(size / 1024)} kB`)
  if (size > LARGEST) throw new Error(`${name} is larger than 150 kB`)
}
