// SPDX-License-Identifier: MIT OR Apache-2.0
// Types of the API of `gnomon watch` (docs/contracts/api.md).

/** A time of the trace: a number in its unit, or a date-time. */
export type Time = number | string

/** A number; one that is not whole comes as text with all its digits. */
export type Figure = number | string

export type Severity = 'low' | 'medium' | 'high'
export type Verdict = 'holds' | 'violated' | 'inconclusive'

export interface Problem {
  type?: string
  title: string
  status: number
  detail?: string
  line?: number
}

export interface Status {
  gnomon: string
  state: 'starting' | 'running' | 'full' | 'failed' | 'limited'
  note: string | null
  since: number
  spec: { name: string; revision: number; properties: number }
  time: { source: string; kind: string | null; unit: string | null; lateness: string | null; now: Time | null; first: Time | null; last: Time | null }
  events: { accepted: number; judged: number; waiting: number; late: number; ahead: number; duplicates: number; refused: number; per_second: number }
  cases: { field: string; open: number; total: number; violating: number; events_without: number; live: number; ended: number; expired: number; evicted: number } | null
  violations: number
  blocked: number
  bindings: number
  store: { path: string; journal_bytes: number; durable: number; last: number; snapshot: number | null; free_bytes: number | null } | null
  late: { event: string; time: Time; behind: string }[]
  ahead: { event: string; time: Time; ahead: string }[]
  warnings: string[]
  proxy: { unreadable: number; unjudged: number; refused: number } | null
}

export interface Span {
  min: Figure
  max: Figure
  mean: Figure
}

/** Counts of a property. */
export interface Counts {
  activated: number
  satisfied: number
  violated: number
  pending: number
}

export interface Property extends Counts {
  name: string
  title: string | null
  language: string
  severity: Severity | null
  critical: boolean
  text: string
  line: number
  english: string | null
  verdict: Verdict
  /** For an inconclusive verdict: true if it would hold if nothing more happened. */
  presumably: boolean | null
  positions: number
  exercised: boolean
  failure: number | null
  duration: Span | null
  violating_cases: number | null
  muted: boolean
  note: string | null
}

export interface StatisticsRow extends Counts {
  at: number
  failure: Figure | null
  min: Figure | null
  max: Figure | null
  mean: Figure | null
}

export interface Place {
  event_index: number | null
  position?: number
  time: Time | null
  event: string | null
}

export interface Reason extends Place {
  note: string | null
}

export type Fields = Record<string, unknown>

export interface Violation {
  number: number
  property: string
  title: string | null
  severity: Severity | null
  critical: boolean
  case: string | null
  group: string
  noted_at: number
  at: Place | null
  until_position: number | null
  decided: Place | null
  binding: Fields | null
  failed: string | null
  because: Reason[] | null
  summary: string
}

export type Role = 'at' | 'because' | 'decided' | 'between'

export interface StoryEvent {
  event_index: number | null
  time: Time
  event: string
  fields: Fields
  source?: unknown
  destination?: unknown
  note: string | null
  role: Role
}

export interface ViolationPage extends Violation {
  story?: StoryEvent[]
  deadline?: Time | null
  property_text?: string | null
  /** In bytes. */
  failed_span?: { start: number; end: number } | null
}

export interface Group {
  group: string
  property: string
  severity: Severity | null
  count: number
  first_noted: number
  last_noted: number
  last_number: number
  muted: boolean
}

export interface JudgedEvent {
  event_index: number
  time: Time
  event: string
  fields: Fields
  verdict: boolean | Verdict
  violated: string[]
  bindings?: { property: string; binding: Fields }[]
  case?: string | null
  noted_at: number
  skipped?: number
}

export interface Block {
  id: number | string
  property: string
  case?: string | null
  key?: unknown
  number: number
  since: number
}

export interface Mute {
  id: number | string
  property: string | null
  group: string | null
  until: number | null
  reason: string | null
}

export interface Hook {
  id: number | string
  /** Null unless the token is for an administrator. */
  url: string | null
  severity: Severity | null
  property: string | null
}

export interface Spec {
  name: string
  text: string
  revision: number
}

export interface Diagnostic {
  severity: 'error' | 'warning' | 'note'
  code: string | null
  message: string
  /** Position in UTF-8 bytes. */
  start: number
  end: number
  line: number
  column: number
  label: string | null
  help: string | null
  notes?: string[]
}

export interface DryProperty extends Counts {
  name: string
  title?: string | null
  verdict: Verdict
  presumably: boolean | null
  exercised?: boolean
}

export interface Checked {
  diagnostics: Diagnostic[]
  dry_run: DryProperty[] | null
  events: number
}

export interface Replaced {
  revision: number
  kept: string[]
  begun: string[]
  ended: string[]
}

export interface CatalogueEvent {
  name: string
  fields: string[]
  count?: number
  declared?: boolean
  declaration?: string
}

export interface Reply {
  question: string
  answer: string
}

export interface Question {
  id: string
  text: string
  why: string
  kind: 'choice' | 'event' | 'field' | 'value' | 'variable' | 'number' | 'time' | 'name' | 'text'
  options: { id: string; text: string; example?: string | null; picture?: string | null }[]
  suggestions?: string[]
  default?: string | null
  hint?: string | null
}

export interface Made {
  text: string
  english: string | null
  mtl: string | null
  mu: string | null
  svg: string | null
  accepts: string | null
  rejects: string | null
  /** Doubts about whether the property is what was meant, as sentences. */
  warnings?: string[]
  /** Reasons why artefacts could not be generated, by name. */
  why_not?: Record<string, string>
}

export interface Assisted {
  question: Question | null
  answered: { topic: string; answer: string }[]
  property: Made | null
}
