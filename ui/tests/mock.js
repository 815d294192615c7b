// SPDX-License-Identifier: MIT OR Apache-2.0
// A small watch for tests: it serves the built dashboard under the policy that the real one has, and plausible answers.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

import * as data from './data.js'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'"

class Refusal extends Error {
  constructor(status, title, detail, more = {}) {
    super(detail)
    this.problem = { type: 'about:blank', title, status, detail, ...more }
  }
}

export class Mock {
  status = data.status()
  properties = data.properties()
  statistics = data.statistics()
  spec = { name: 'shop.rv', text: data.SPEC, revision: 1 }
  events = Array.from({ length: 150 }, (_, index) => data.event(149 - index))
  violations = Array.from({ length: 60 }, (_, index) => data.violation(60 - index))
  groups = data.groups()
  blocks = [{ id: 1, property: 'paid', case: 's17', number: 17, since: Date.now() }]
  mutes = []
  hooks = []
  hookAnswers = true
  /** The token that is asked for; none if empty. */
  token = ''
  /** What was asked: method, path, headers, body. */
  requests = []
  /** While set, every request of the API is refused so. */
  outage = null
  #streams = new Set()
  #server
  #ids = 10

  async open() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.address = `http://127.0.0.1:${this.#server.address().port}`
    return this
  }

  async close() {
    this.drop()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Tells all who listen. */
  tell(type, value, id = null) {
    for (const stream of this.#streams) stream.write(`${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(value)}\n\n`)
  }

  /** Ends all streams. */
  drop() {
    for (const stream of this.#streams) stream.destroy()
    this.#streams.clear()
  }

  get listeners() {
    return this.#streams.size
  }

  asked(method, path) {
    return this.requests.filter((request) => request.method === method && request.path === path)
  }

  async #serve(request, response) {
    const url = new URL(request.url, this.address)
    if (!url.pathname.startsWith('/api/')) return this.#file(url.pathname, response)
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    this.requests.push({ method: request.method, path: url.pathname, query: url.searchParams, headers: request.headers, text })
    try {
      if (this.outage) throw this.outage
      if (this.token && request.headers.authorization !== `Bearer ${this.token}`) {
        throw new Refusal(401, 'Unauthorized', 'this watch asks for a token')
      }
      if (url.pathname === '/api/v1/stream') return this.#stream(response)
      const answer = this.#answer(request.method, url.pathname.slice('/api/v1/'.length), url.searchParams, text)
      response.writeHead(answer === null ? 204 : 200, { 'Content-Type': 'application/json' })
      response.end(answer === null ? '' : JSON.stringify(answer))
    } catch (error) {
      const problem = error.problem ?? { title: 'Internal', status: 500, detail: String(error) }
      response.writeHead(problem.status, { 'Content-Type': 'application/problem+json' })
      response.end(JSON.stringify(problem))
    }
  }

  #stream(response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(': hello\n\n')
    this.#streams.add(response)
    response.on('close', () => this.#streams.delete(response))
  }

  #answer(method, path, query, text) {
    const [kind, id, more] = path.split('/').map(decodeURIComponent)
    const body = () => JSON.parse(text)
    switch (`${method} ${kind}${id === undefined ? '' : '/*'}${more === undefined ? '' : `/${more}`}`) {
      case 'GET status':
        return this.status
      case 'GET properties':
        return this.properties
      case 'GET properties/*/statistics':
        return this.statistics
          .filter(({ at }) => at >= Number(query.get('from') ?? 0) && at < Number(query.get('to') ?? Infinity))
          .slice(-Number(query.get('limit') ?? 500))
      case 'GET violations': {
        const fits = (item) => ['property', 'severity', 'case', 'group'].every((name) => !query.get(name) || item[name] === query.get(name))
        const found = this.violations.filter((item) => fits(item) && item.number < Number(query.get('before') ?? Infinity))
        const limit = Number(query.get('limit') ?? 100)
        return { violations: found.slice(0, limit), next: found.length > limit ? found[limit - 1].number : null }
      }
      case 'GET violations/*': {
        if (!this.violations.some(({ number }) => number === Number(id))) throw new Refusal(404, 'Not found', `there is no violation ${id}`)
        return data.page(Number(id))
      }
      case 'GET groups':
        return this.groups
      case 'GET events': {
        const fits = (item) =>
          (!query.get('event') || item.event === query.get('event')) &&
          (!query.get('case') || item.case === query.get('case')) &&
          (!query.get('text') || JSON.stringify(item).includes(query.get('text'))) &&
          (!query.get('verdict') || !item.verdict) &&
          item.event_index < Number(query.get('before') ?? Infinity)
        return this.events.filter(fits).slice(0, Number(query.get('limit') ?? 100))
      }
      case 'GET blocks':
        return this.blocks
      case 'GET mutes':
        return this.mutes
      case 'POST mutes':
        this.mutes.push({ id: (this.#ids += 1), ...body() })
        for (const group of this.groups) group.muted ||= group.group === body().group
        return this.mutes.at(-1)
      case 'GET hooks':
        return this.hooks
      case 'POST hooks':
        if (!body().url.startsWith('http')) throw new Refusal(400, 'Bad address', 'a hook begins with http:// or https://')
        this.hooks.push({ id: (this.#ids += 1), ...body(), secret: undefined })
        return this.hooks.at(-1)
      case 'POST hooks/*/test':
        return { delivered: this.hookAnswers, error: this.hookAnswers ? null : 'connection refused' }
      case 'DELETE blocks/*':
      case 'DELETE mutes/*':
      case 'DELETE hooks/*':
        this[kind] = this[kind].filter((item) => String(item.id) !== id)
        return null
      case 'GET spec':
        return this.spec
      case 'POST spec/*':
        return data.check(body().text)
      case 'PUT spec':
        this.spec = { ...this.spec, text: body().text, revision: this.spec.revision + 1 }
        return { revision: this.spec.revision, kept: ['paid', 'answered'], begun: ['never-order'], ended: ['quiet'] }
      case 'GET catalogue':
        return data.catalogue()
      case 'POST catalogue': {
        if (!text.includes('definitions')) throw new Refusal(422, 'Unknown', `${query.get('name')}:1:1: this is not a description of a service`, { line: 1 })
        const declaration = 'event lend(book) = lendRequest[body/book as book] from reader to library'
        return { events: [{ name: 'lend', fields: ['book'], declaration }], spec: declaration }
      }
      case 'POST assist': {
        const answer = data.assist(body().answers)
        if (!answer) throw new Refusal(422, 'Wrong answer', '`not an event!` is not an event: write a name')
        return answer
      }
      default:
        throw new Refusal(404, 'Not found', `there is no ${method} ${path}`)
    }
  }

  async #file(path, response) {
    const file = join(DIST, normalize(path === '/' ? '/index.html' : path))
    try {
      const content = await readFile(file)
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': POLICY })
      response.end(content)
    } catch {
      response.writeHead(404).end()
    }
  }
}
