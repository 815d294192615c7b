// SPDX-License-Identifier: MIT OR Apache-2.0
// Live data of the watch: one stream, shared by all views.

import { api, ApiError, explain, wasAborted } from './api'
import { follow, type Message, pause } from './sse'
import { token } from './token.svelte'
import type { Block, JudgedEvent, Property, Status, Violation } from './types'

/** Number of events and violations kept in addition to those that views load. */
const KEPT = 500
/** Minimum interval between updates of the page. */
const FLUSH_DELAY = 200

type Subscriber<T> = (items: T[]) => void

class Live {
  status = $state.raw<Status | null>(null)
  properties = $state.raw<Property[] | null>(null)
  blocks = $state.raw<Block[]>([])
  connection = $state<'connecting' | 'live' | 'offline'>('connecting')
  /** Number of times the stream was opened; messages in between are lost. */
  sessions = $state(0)
  /** Why there is no connection. */
  failure = $state('')
  /** The violations that came since the page was opened, newest first. */
  fresh = $state.raw<Violation[]>([])

  #started = false
  #attempt = 0
  #ended = new AbortController()
  #lastId: string | null = null
  #waiting: { events: JudgedEvent[]; violations: Violation[] } = { events: [], violations: [] }
  #timer: ReturnType<typeof setTimeout> | undefined
  #events = new Set<Subscriber<JudgedEvent>>()
  #violations = new Set<Subscriber<Violation>>()

  start() {
    if (this.#started) return
    this.#started = true
    window.addEventListener('online', () => this.#wake())
    void this.#run()
  }

  /** Connects anew, as after another token was given. */
  restart() {
    this.#attempt = 0
    this.#ended.abort()
    this.#wake()
  }

  /** Calls with events as they come; answers how to stop that. */
  onEvents(subscriber: Subscriber<JudgedEvent>): () => void {
    this.#events.add(subscriber)
    return () => this.#events.delete(subscriber)
  }

  onViolations(subscriber: Subscriber<Violation>): () => void {
    this.#violations.add(subscriber)
    return () => this.#violations.delete(subscriber)
  }

  async reload() {
    const [status, properties, blocks] = await Promise.all([api.status(), api.properties(), api.blocks()])
    this.status = status
    this.properties = properties
    this.blocks = blocks
  }

  property(name: string): Property | undefined {
    return this.properties?.find((property) => property.name === name)
  }

  #wake = () => {}

  async #run() {
    for (;;) {
      this.#ended = new AbortController()
      try {
        await this.reload()
        const headers = { ...token.headers(), ...(this.#lastId === null ? {} : { 'Last-Event-ID': this.#lastId }) }
        await follow(
          'api/v1/stream?types=violation,event,statistics,status',
          headers,
          this.#ended.signal,
          () => {
            this.connection = 'live'
            this.sessions += 1
            this.failure = ''
            this.#attempt = 0
          },
          (message) => this.#take(message),
        )
        this.failure = 'The watch ended the stream.'
      } catch (error) {
        if (wasAborted(error)) this.failure = ''
        else if (error instanceof ApiError) this.failure = explain(error)
        else this.failure = 'The connection was lost.'
        if (error instanceof ApiError && error.problem.status === 401) token.wanted = true
      }
      this.connection = 'offline'
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#ended.signal.aborted ? 0 : pause(this.#attempt))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#attempt += 1
      this.connection = 'connecting'
    }
  }

  #take(message: Message) {
    if (message.id !== null) this.#lastId = message.id
    let data: unknown
    try {
      data = JSON.parse(message.data)
    } catch {
      return
    }
    if (message.type === 'event') this.#waiting.events.push(data as JudgedEvent)
    else if (message.type === 'violation') this.#waiting.violations.push(data as Violation)
    else if (message.type === 'statistics') this.properties = data as Property[]
    else if (message.type === 'status') {
      const status = data as Status
      if (status.blocked !== this.blocks.length) void this.#blocks()
      this.status = status
    }
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_DELAY)
  }

  #flush() {
    this.#timer = undefined
    const { events, violations } = this.#waiting
    this.#waiting = { events: [], violations: [] }
    if (events.length > 0) {
      const newest = events.slice(-KEPT).reverse()
      for (const subscriber of this.#events) subscriber(newest)
    }
    if (violations.length > 0) {
      const known = new Set(this.fresh.map((violation) => violation.number))
      const newest = violations.filter((violation) => !known.has(violation.number)).reverse()
      this.fresh = [...newest, ...this.fresh].slice(0, KEPT)
      for (const subscriber of this.#violations) subscriber(newest)
      if (newest.some((violation) => violation.critical)) void this.#blocks()
    }
  }

  async #blocks() {
    try {
      this.blocks = await api.blocks()
    } catch {
      // The next status tells again how many there are.
    }
  }
}

export const live = new Live()
