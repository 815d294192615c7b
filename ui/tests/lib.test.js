// SPDX-License-Identifier: MIT OR Apache-2.0
// The parts that need no page.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { createServer } from 'vite'

let vite
const load = (name) => vite.ssrLoadModule(`/src/lib/${name}.ts`)

before(async () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  vite = await createServer({ root, logLevel: 'error', server: { middlewareMode: true, hmr: false, ws: false, watch: null }, optimizeDeps: { noDiscovery: true } })
})
after(() => vite.close())

const rule = (more = {}) => ({
  name: 'answered',
  title: '',
  mode: 'must',
  suppositions: [{ event: 'ask', condition: '', negated: false }],
  context: [{ event: 'reply', condition: '', negated: false }],
  join: 'all',
  window: { direction: 'after', from: '0', to: '3', unit: 's' },
  correlations: [],
  matching: 'paired',
  severity: '',
  critical: false,
  ...more,
})

test('a rule is written as the language has it', async () => {
  const { write } = await load('rule')
  assert.equal(write(rule()), 'nomad answered {\n  P(start(ask) | O[0,3]s done(reply))\n}\n')
  const large = rule({
    title: 'No "large" one',
    mode: 'must not',
    suppositions: [
      { event: 'order', condition: 'total > 10', negated: false },
      { event: 'my order', condition: '', negated: false },
    ],
    context: [
      { event: 'login', condition: '', negated: false },
      { event: 'logout', condition: '', negated: true },
    ],
    window: { direction: 'before', from: '', to: '', unit: '' },
    correlations: [{ order: '@number', login: 'order/id', logout: '', gone: 'x' }, { order: 'user', gone: 'x' }, { 'my order': 'a.c', login: '@d/e f' }],
    matching: 'any',
    severity: 'high',
    critical: true,
  })
  assert.equal(
    write(large),
    'nomad answered "No \\"large\\" one" (matching any, severity high, critical) {\n' +
      '  F(start(order[total > 10]) || start("my order") | O[inf,0] (done(login) && done(!logout)))\n' +
      '    / {{order.@number, login.order/id}, {"my order"."a.c", login.@d/"e f"}}\n}\n',
  )
})

test('a rule that is not whole says what is missing', async () => {
  const { missing, write } = await load('rule')
  const empty = rule({ name: '', suppositions: [], window: { direction: 'before', from: '3', to: '3', unit: 's' } })
  assert.equal(write(empty), null)
  assert.equal(missing(empty).length, 3)
  assert.deepEqual(missing(rule({ window: { direction: 'after', from: '9', to: '3', unit: '' } })), ['the window ends before it begins'])
})

test('places in bytes become places in the text', async () => {
  const { fromBytes } = await load('span')
  assert.deepEqual(fromBytes('aäb😀c', [0, 1, 3, 4, 8, 9, 99]), [0, 1, 2, 3, 5, 6, 6])
  assert.deepEqual(fromBytes('', [0, 5]), [0, 0])
})

test('the words of a spec cover it without gaps', async () => {
  const { tokens, pieces } = await load('tokens')
  const text = 'mtl a "t" { G (b -> F[0,5] c && p99.9[5m](b.v) < 3 && rate[v = 1]) } # ä\nevent x = "open'
  const all = tokens(text)
  assert.equal(all.map(({ start, end }) => text.slice(start, end)).join(''), text)
  const kinds = Object.fromEntries(all.map(({ kind, start, end }) => [text.slice(start, end), kind]))
  assert.equal(kinds.mtl, 'keyword')
  assert.equal(kinds.event, 'keyword')
  assert.equal(kinds.G, 'operator')
  assert.equal(kinds['p99.9'], 'operator')
  assert.equal(kinds.rate, 'word')
  assert.equal(kinds['# ä'], 'comment')
  assert.equal(kinds['"open'], 'text')
  const marked = pieces(text, [{ start: 5, end: 13, kind: 'error' }])
  assert.equal(marked.map((piece) => piece.text).join(''), text)
  assert.equal(marked.filter(({ marks }) => marks.includes('error')).map((piece) => piece.text).join(''), text.slice(5, 13))
})

test('an even choice has the first and the last', async () => {
  const { sample } = await load('parallel')
  const chosen = sample(Array.from({ length: 20_000 }, (_, index) => index))
  assert.equal(chosen.length, 500)
  assert.equal(chosen[0], 0)
  assert.equal(chosen.at(-1), 19_999)
  assert.equal(new Set(chosen).size, 500)
  assert.deepEqual(sample([1, 2]), [1, 2])
})

test('a brush keeps rows that are within it on every axis', async () => {
  const { isKept } = await load('parallel')
  const row = { at: 5, activated: 3, satisfied: 2, violated: 1, pending: 0, failure: '33.3', min: null, max: null, mean: null }
  assert.ok(isKept(row, {}))
  assert.ok(isKept(row, { failure: [[30, 40]], at: [] }))
  assert.ok(isKept(row, { violated: [[9, 10], [0, 1]] }))
  assert.ok(!isKept(row, { violated: [[2, 3]] }))
  assert.ok(!isKept(row, { min: [[0, 9]] }), 'what is not there crosses no axis')
})

test('growth belongs to the stretch in which it was seen', async () => {
  const { growth } = await load('bins')
  const samples = [{ at: 0, total: 5 }, { at: 10, total: 6 }, { at: 35, total: 9 }, { at: 40, total: 9 }]
  assert.deepEqual(growth(samples, 0, 40, 4), [0, 1, 0, 3])
  assert.deepEqual(growth([], 0, 40, 2), [0, 0])
})

test('a story has its deadline where it passed, and long stretches are short', async () => {
  const { diagram, words } = await load('sequence')
  const step = (time, role, more = {}) => ({ event_index: time, time, event: `e${time}`, fields: {}, source: null, destination: null, note: null, role, ...more })
  const story = [step(1, 'at', { source: 'a', destination: 'b' }), ...[2, 3, 4, 5, 6, 7, 8, 9].map((time) => step(time, 'between')), step(20, 'decided')]
  const { participants, rows } = diagram({ story, deadline: 10, decided: { event_index: 20, time: 20, event: 'e20' } })
  assert.deepEqual(participants, ['a', 'b', 'events'])
  assert.deepEqual(rows.map(({ kind }) => kind), ['message', 'message', 'message', 'message', 'skipped', 'message', 'message', 'message', 'deadline', 'message'])
  assert.equal(words(rows[0], participants), 'e1 from a to b at 1 (violation)')
  const silent = diagram({ story: [step(1, 'at')], deadline: '2026-01-01T00:00:05Z', decided: { event_index: null, time: '2026-01-01T00:00:05Z', event: null } })
  assert.deepEqual(silent.rows.map(({ kind }) => kind), ['message', 'deadline'])
  assert.equal(words(silent.rows[1], silent.participants), 'deadline at 2026-01-01T00:00:05Z, which decided it')
  const later = diagram({ story: [step(1, 'at')], deadline: 5, decided: { event_index: null, time: 9, event: null } })
  assert.deepEqual(later.rows.map(({ kind }) => kind), ['message', 'deadline', 'decided'])
  assert.deepEqual(diagram({ story: [], decided: { event_index: null, time: 1, event: null } }).participants, ['events'])
})

test('a stream is cut into messages wherever the pieces end', async () => {
  const { Splitter, pause } = await load('sse')
  const text = ': hello\n\nid: 7\nevent: violation\ndata: {"a":\ndata: 1}\n\nevent: status\r\ndata:{}\r\n\r\n'
  for (let cut = 0; cut <= text.length; cut += 1) {
    const splitter = new Splitter()
    const found = [...splitter.push(text.slice(0, cut)), ...splitter.push(text.slice(cut))]
    assert.deepEqual(found, [{ type: 'violation', data: '{"a":\n1}', id: '7' }, { type: 'status', data: '{}', id: null }])
  }
  assert.ok(pause(0) <= 1000 && pause(3) > pause(0) && pause(99) <= 30_000)
})
