// SPDX-License-Identifier: MIT OR Apache-2.0
// The views that change something.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { until, withBrowser } from './browser.js'

const world = withBrowser()

test('answers lead to a property, and that to the editor', async () => {
  // The picture in the mock is hostile; that its handler is refused is said on the console.
  const page = await world.visit('#/assistant', { expected: /inline event handler|422/ })
  await page.getByText('Why is this asked?').click()
  await page.getByText('A rule may hold always').waitFor()
  await page.getByLabel('Always').check()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('heading', { name: 'Which event never happens?' }).waitFor()
  await page.getByRole('textbox').or(page.getByRole('combobox')).fill('not an event!')
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('alert').getByText('is not an event: write a name').waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByLabel('Always').check()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('button', { name: 'order', exact: true }).click()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByText('order never happens.').waitFor()
  await page.getByText('other. order').waitFor()
  await page.getByText('No examples: no short trace was found').waitFor()
  assert.equal(await page.locator('svg script').count(), 0)
  assert.equal(await page.locator('svg [onclick]').count(), 0)
  await page.getByRole('button', { name: 'Add to the spec' }).click()
  const editor = page.getByLabel('Text of the spec')
  assert.match(await editor.inputValue(), /A shop[\s\S]*\n\npattern never-order \{ globally: absence of order \}\n$/)
})

test('the editor checks while typing, marks places, and saves', async () => {
  const page = await world.visit('#/spec')
  const editor = page.getByLabel('Text of the spec')
  await editor.waitFor()
  await page.getByText('✓ No errors').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await editor.press('Control+End')
  await editor.pressSequentially('mtl x { F shiped }')
  await page.getByText('error G0203').waitFor()
  assert.equal(await page.locator('pre .error').innerText(), 'shiped')
  await page.getByRole('button', { name: 'line 15, column 11' }).click()
  assert.equal(await editor.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), 'shiped')
  assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await page.keyboard.type('shipped')
  await page.getByText('✓ No errors').waitFor()
  await page.getByRole('table', { name: 'Dry run' }).getByRole('row', { name: /^x/ }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved as revision 2').waitFor()
  const saved = await page.getByRole('status', { name: 'What was saved' }).innerText()
  assert.match(saved, /kept their state\s*paid, answered\s*restarted\s*never-order\s*ended\s*quiet/)
  assert.match(world.mock.spec.text, /mtl x \{ F shipped \}$/)
})

test('what somebody else saved is not overwritten unasked', async () => {
  const page = await world.visit('#/spec')
  const editor = page.getByLabel('Text of the spec')
  await editor.press('Control+End')
  await editor.pressSequentially('# mine')
  await page.getByText('✓ No errors').waitFor()
  world.mock.spec = { ...world.mock.spec, text: '# theirs', revision: 5 }
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Another user saved revision 5 in the meantime').waitFor()
  assert.equal(world.mock.spec.text, '# theirs')
  await page.getByRole('button', { name: 'Discard this text and load theirs' }).click()
  await until('theirs is there', async () => (await editor.inputValue()) === '# theirs')
})

test('the coloured copy lies exactly under the text', async () => {
  const page = await world.visit('#/spec')
  const editor = page.getByLabel('Text of the spec')
  await editor.waitFor()
  const [area, copy] = await Promise.all([editor.boundingBox(), page.locator('.layers pre').boundingBox()])
  assert.ok(Math.abs(area.x - copy.x) < 1 && Math.abs(area.y - copy.y) < 1)
  assert.equal(await editor.evaluate((element) => element.scrollHeight <= element.clientHeight && element.scrollWidth <= element.clientWidth), true)
  const [one, other] = await page.evaluate(() =>
    ['.layers pre', '.layers textarea'].map((selector) => {
      const { fontFamily, fontSize, lineHeight, paddingLeft, paddingTop } = getComputedStyle(document.querySelector(selector))
      return [fontFamily, fontSize, lineHeight, paddingLeft, paddingTop].join()
    }),
  )
  assert.equal(one, other)
})

test('a rule is built from a dropped description, checked, and added', async () => {
  const page = await world.visit('#/builder', { expected: /422|inline event handler/ })
  await page.getByText('Still to do:').waitFor()
  await page.locator('input[type=file]').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
  await page.getByRole('alert').getByText('notes.txt:1:1: this is not a description of a service').waitFor()
  // Dropped, as from a desktop.
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['<definitions/>'], 'library.wsdl'))
    return transfer
  })
  await page.getByRole('group', { name: 'Add a description of a service' }).dispatchEvent('drop', { dataTransfer: dropped })
  await page.getByText('library.wsdl describes 1 event.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('back')
  await page.getByLabel('At each', { exact: true }).fill('lend')
  await page.getByLabel('must not happen').check()
  await page.getByLabel('Event', { exact: true }).fill('order')
  await page.getByLabel('to (empty: no end)').fill('30')
  await page.getByLabel('unit').selectOption('D')
  await page.getByRole('button', { name: 'Add equal fields' }).click()
  await page.getByLabel('field of lend').fill('book')
  await page.getByLabel('field of order').fill('id')
  await page.getByLabel('Severity').selectOption('high')
  const rule =
    'event lend(book) = lendRequest[body/book as book] from reader to library\n\n' +
    'nomad back (severity high) {\n  F(start(lend) | O[0,30]D done(order))\n    / {{lend.book, order.id}}\n}\n'
  await until('the rule is written', async () => (await page.getByTestId('rule').locator('pre').textContent()) === rule)
  await page.getByText('✓ No errors').waitFor()
  await page.getByRole('table', { name: 'Dry run' }).getByRole('row', { name: /^back/ }).waitFor()
  assert.ok(JSON.parse(world.mock.asked('POST', '/api/v1/spec/check').at(-1).text).text.endsWith(rule))
  await page.getByRole('link', { name: 'Assistant' }).click()
  await page.getByText('When is the rule in force?').waitFor()
  assert.deepEqual(JSON.parse(world.mock.asked('POST', '/api/v1/assist').at(-1).text).events, [{ name: 'lend', fields: ['book'] }])
})

test('a rule that is built goes to the editor', async () => {
  const page = await world.visit('#/builder')
  await page.getByLabel('Name', { exact: true }).fill('back')
  await page.getByLabel('At each', { exact: true }).fill('ask')
  await page.getByLabel('Event', { exact: true }).fill('order')
  const rule = 'nomad back {\n  P(start(ask) | O[0,10]s done(order))\n}\n'
  await page.getByRole('button', { name: 'Add to the spec' }).click()
  await page.getByText('Added at the end: the rule back').waitFor()
  assert.ok((await page.getByLabel('Text of the spec').inputValue()).endsWith(rule))
})

test('equal fields are suggested where all events have one', async () => {
  const page = await world.visit('#/builder')
  await page.getByText('seen 500 times').waitFor()
  await page.getByLabel('At each', { exact: true }).fill('order')
  await page.getByLabel('Event', { exact: true }).fill('charged')
  await page.getByRole('button', { name: 'Add equal fields' }).click()
  assert.equal(await page.getByLabel('field of order').inputValue(), 'id')
  assert.equal(await page.getByLabel('field of charged').inputValue(), 'id')
})

test('hooks are added, tested and removed; what is refused says why', async () => {
  const page = await world.visit('#/settings', { expected: /400/ })
  const form = page.getByRole('form', { name: 'New hook' })
  await form.getByLabel('Address').fill('ftp://there')
  await form.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('alert').getByText('a hook begins with http:// or https://').waitFor()
  await form.getByLabel('Address').fill('http://127.0.0.1:9/hook')
  await form.getByLabel('At least').selectOption('medium')
  await form.getByRole('button', { name: 'Add' }).click()
  await page.getByText('medium and above').waitFor()
  await page.getByRole('button', { name: /^Test/ }).click()
  await page.getByText('The hook accepted the test.').waitFor()
  world.mock.hookAnswers = false
  await page.getByRole('button', { name: /^Test/ }).click()
  await page.getByRole('alert').getByText('did not accept the test: connection refused').waitFor()
  await page.getByRole('button', { name: /^Remove/ }).click()
  await page.getByRole('button', { name: 'Yes' }).click()
  await page.getByText('No hooks yet.').waitFor()
  assert.equal(world.mock.hooks.length, 0)
})
