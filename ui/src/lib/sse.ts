// SPDX-License-Identifier: MIT OR Apache-2.0
// Server-sent events over `fetch`. `EventSource` can set no header, so that a token would stand in addresses and their
// logs; and it does not tell why it was refused.

import { ApiError, problemOf } from './api'

export interface Message {
  type: string
  data: string
  id: string | null
}

/** Maximum length of a message. */
const LONGEST = 32 * 1024 * 1024

/** Splits incoming text into messages. */
export class Splitter {
  #rest = ''

  push(text: string): Message[] {
    this.#rest += text
    const messages: Message[] = []
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(this.#rest)
      if (!end) break
      const message = read(this.#rest.slice(0, end.index))
      this.#rest = this.#rest.slice(end.index + end[0].length)
      if (message) messages.push(message)
    }
    if (this.#rest.length > LONGEST) throw new Error('a message of the stream is too long')
    return messages
  }
}

function read(block: string): Message | null {
  let type = 'message'
  let id: string | null = null
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') type = value
    else if (name === 'data') data.push(value)
    else if (name === 'id') id = value
  }
  return data.length > 0 ? { type, data: data.join('\n'), id } : null
}

/** Timeout of a stream: a watch sends at least a comment every fifteen seconds. */
const SILENCE = 60_000

/** Reads a stream to its end. `opened` is called once it is accepted. */
export async function follow(
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  opened: () => void,
  receive: (message: Message) => void,
): Promise<void> {
  const answer = await fetch(path, { headers: { Accept: 'text/event-stream', ...headers }, signal, cache: 'no-store' })
  if (!answer.ok || !answer.body) throw new ApiError(await problemOf(answer))
  opened()
  const splitter = new Splitter()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    // Detects broken connections, which would otherwise look open forever.
    const silence = setTimeout(() => void reader.cancel(), SILENCE)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    for (const message of splitter.push(value)) receive(message)
  }
}

/** Returns the delay before the next attempt: exponential backoff with jitter. */
export function pause(attempt: number, random = Math.random()): number {
  const longest = 30_000
  return Math.min(longest, 1000 * 2 ** Math.min(attempt, 10)) * (0.75 + random / 4)
}
