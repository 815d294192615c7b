// SPDX-License-Identifier: MIT OR Apache-2.0
// Requests to the watch. Whatever goes wrong is an `ApiError` with a sentence to show.

import { token } from './token.svelte'
import type {
  Assisted,
  Block,
  CatalogueEvent,
  Checked,
  Group,
  Hook,
  JudgedEvent,
  Mute,
  Problem,
  Property,
  Replaced,
  Reply,
  Severity,
  Spec,
  StatisticsRow,
  Status,
  Violation,
  ViolationPage,
} from './types'

const TIMEOUT = 30_000

export class ApiError extends Error {
  problem: Problem

  constructor(problem: Problem) {
    super(problem.detail || problem.title)
    this.problem = problem
  }
}

/** What to show of anything that was thrown. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) {
    const { title, status, detail } = error.problem
    if (status === 401) return `${detail || title}. Enter a token under Settings.`
    if (status === 403) return `${detail || title}. The token under Settings does not allow this.`
    return detail || title
  }
  return error instanceof Error ? error.message : String(error)
}

export function wasAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** Returns the problem that an answer describes. A proxy in between may answer without a problem document. */
export async function problemOf(answer: Response): Promise<Problem> {
  const fallback = { title: answer.statusText || 'The watch refused', status: answer.status, detail: '' }
  try {
    const problem = (await answer.json()) as Partial<Problem>
    return { ...fallback, ...problem }
  } catch {
    return { ...fallback, detail: `The watch answered ${answer.status} ${answer.statusText}`.trim() }
  }
}

interface Options {
  body?: unknown
  /** A body that is sent as it is. */
  raw?: string
  signal?: AbortSignal | undefined
}

async function request<T>(method: string, path: string, { body, raw, signal }: Options = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json', ...token.headers() }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (raw !== undefined) headers['Content-Type'] = 'application/octet-stream'
  const limit = AbortSignal.timeout(TIMEOUT)
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: raw ?? (body === undefined ? null : JSON.stringify(body)),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
  } catch (error) {
    if (signal?.aborted) throw new DOMException('', 'AbortError')
    const slow = limit.aborted
    throw new ApiError({
      title: slow ? 'Too slow' : 'No answer',
      status: 0,
      detail: slow ? 'The watch did not respond in time. Try again.' : 'The watch does not respond. Is it still running?',
    })
  }
  if (!answer.ok) {
    if (answer.status === 401) token.wanted = true
    throw new ApiError(await problemOf(answer))
  }
  const text = await answer.text()
  try {
    return (text ? JSON.parse(text) : null) as T
  } catch {
    throw new ApiError({ title: 'No JSON', status: answer.status, detail: `${path} was not answered by a watch: check the address` })
  }
}

/** A query string of what is there. */
export function query(parts: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text ? `?${text}` : ''
}

export interface ViolationFilter {
  property?: string
  case?: string
  group?: string
  severity?: string
  before?: number
  limit?: number
}

export interface EventFilter {
  event?: string
  case?: string
  text?: string
  verdict?: string
  before?: number
  limit?: number
}

const at = (path: string, id: string | number) => `api/v1/${path}/${encodeURIComponent(id)}`

export const api = {
  status: (signal?: AbortSignal) => request<Status>('GET', 'api/v1/status', { signal }),
  properties: (signal?: AbortSignal) => request<Property[]>('GET', 'api/v1/properties', { signal }),
  statistics: (name: string, range: { from?: number; to?: number; limit?: number }, signal?: AbortSignal) =>
    request<StatisticsRow[]>('GET', `${at('properties', name)}/statistics${query(range)}`, { signal }),
  violations: (filter: ViolationFilter, signal?: AbortSignal) =>
    request<{ violations: Violation[]; next: number | null }>('GET', `api/v1/violations${query({ ...filter })}`, { signal }),
  violation: (number: number, signal?: AbortSignal) => request<ViolationPage>('GET', at('violations', number), { signal }),
  groups: (signal?: AbortSignal) => request<Group[]>('GET', 'api/v1/groups', { signal }),
  events: (filter: EventFilter, signal?: AbortSignal) =>
    request<JudgedEvent[]>('GET', `api/v1/events${query({ ...filter })}`, { signal }),
  blocks: (signal?: AbortSignal) => request<Block[]>('GET', 'api/v1/blocks', { signal }),
  release: (id: string | number) => request<null>('DELETE', at('blocks', id)),
  mutes: () => request<Mute[]>('GET', 'api/v1/mutes'),
  mute: (body: { property: string | null; group: string | null; until: number | null; reason: string }) =>
    request<Mute>('POST', 'api/v1/mutes', { body }),
  unmute: (id: string | number) => request<null>('DELETE', at('mutes', id)),
  hooks: () => request<Hook[]>('GET', 'api/v1/hooks'),
  hook: (body: { url: string; severity: Severity | null; property: string | null; secret: string | null }) =>
    request<Hook>('POST', 'api/v1/hooks', { body }),
  removeHook: (id: string | number) => request<null>('DELETE', at('hooks', id)),
  testHook: (id: string | number) => request<{ delivered: boolean; error: string | null }>('POST', `${at('hooks', id)}/test`),
  spec: (signal?: AbortSignal) => request<Spec>('GET', 'api/v1/spec', { signal }),
  check: (text: string, signal?: AbortSignal) => request<Checked>('POST', 'api/v1/spec/check', { body: { text }, signal }),
  replace: (text: string) => request<Replaced>('PUT', 'api/v1/spec', { body: { text } }),
  catalogue: (signal?: AbortSignal) => request<CatalogueEvent[]>('GET', 'api/v1/catalogue', { signal }),
  describe: (name: string, document: string) =>
    request<{ events: CatalogueEvent[]; spec: string }>('POST', `api/v1/catalogue${query({ name })}`, { raw: document }),
  assist: (answers: Reply[], events: CatalogueEvent[]) => {
    const offered = events.map(({ name, fields }) => ({ name, fields }))
    return request<Assisted>('POST', 'api/v1/assist', { body: { answers, events: offered } })
  },
}
