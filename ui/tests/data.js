// SPDX-License-Identifier: MIT OR Apache-2.0
// What the mock of a watch says: a shop whose orders are sometimes not charged in time.

export const SPEC = `# A shop. Äpfel und Birnen: bytes are not characters.
time time in s

mtl paid "An order is paid within five seconds" (critical, severity high) {
  forall id. G (order(id) -> F[0,5] charged(id))
}

nomad answered "Every request is answered" (severity medium) {
  P(start(ask) | O[0,3]s done(reply)) / {{ask.id, reply.id}}
}

pattern quiet "Nothing is written while it is closed" (severity low) {
  between close and open: absence of write
}
`

const HOUR = 3_600_000

export const status = () => ({
  gnomon: '0.1.0',
  state: 'running',
  note: null,
  since: Date.now() - HOUR,
  spec: { name: 'shop.rv', revision: 1, properties: 3 },
  time: { source: 'event', kind: 'number', unit: 's', lateness: '5s', now: 310, first: 0, last: 310 },
  events: { accepted: 1000, judged: 998, waiting: 2, late: 1, duplicates: 0, refused: 0, per_second: 120.5 },
  cases: { field: 'session', open: 12, total: 40, violating: 3, events_without: 0, live: 20, ended: 15, expired: 5, evicted: 0 },
  violations: 17,
  blocked: 1,
  bindings: 1200,
  store: { path: 'var', journal_bytes: 123456, durable: 17, last: 17, snapshot: 9, free_bytes: 1e8 },
  late: [],
})

const property = (name, more) => ({
  name,
  title: null,
  language: 'mtl',
  severity: 'medium',
  critical: false,
  text: `mtl ${name} { G ok }`,
  line: 1,
  english: null,
  verdict: 'holds',
  presumably: null,
  positions: 900,
  activated: 31,
  satisfied: 30,
  violated: 0,
  pending: 1,
  exercised: true,
  failure: 0,
  duration: { min: 0, max: 4, mean: '1.25' },
  violating_cases: null,
  muted: false,
  note: null,
  ...more,
})

export const properties = () => [
  property('paid', {
    title: 'An order is paid within five seconds',
    severity: 'high',
    critical: true,
    verdict: 'violated',
    text: 'mtl paid "An order is paid within five seconds" (critical, severity high) {\n  forall id. G (order(id) -> F[0,5] charged(id))\n}',
    english: 'Whenever an order happens, it is charged within five seconds.',
    satisfied: 13,
    violated: 17,
    failure: 56.67,
  }),
  property('answered', { title: 'Every request is answered', verdict: 'inconclusive', presumably: true }),
  property('quiet', {
    title: 'Nothing is written while it is closed',
    severity: 'low',
    activated: 0,
    satisfied: 0,
    pending: 0,
    exercised: false,
    failure: null,
    duration: null,
  }),
]

/** Rows over the last hour; the violated count grows by one every few rows. */
export const statistics = (rows = 120) =>
  Array.from({ length: rows }, (_, index) => {
    const violated = Math.floor((index * 17) / rows)
    const satisfied = Math.floor((index * 13) / rows)
    return {
      at: Date.now() - HOUR + Math.floor((index * HOUR) / rows),
      activated: violated + satisfied + 1,
      satisfied,
      violated,
      pending: 1,
      failure: violated + satisfied === 0 ? null : String((violated * 100) / (violated + satisfied)),
      min: satisfied === 0 ? null : 0,
      max: satisfied === 0 ? null : 4,
      mean: satisfied === 0 ? null : '1.25',
    }
  })

export const violation = (number, more = {}) => ({
  number,
  property: 'paid',
  title: 'An order is paid within five seconds',
  severity: 'high',
  critical: true,
  case: `s${number}`,
  group: 'paid/F[0,5] charged(id)',
  noted_at: Date.now() - (100 - number) * 1000,
  at: { event_index: 100 + number, position: 90 + number, time: 200 + number, event: 'order' },
  until_position: null,
  decided: { event_index: null, time: 205 + number, event: null },
  binding: { id: number },
  failed: 'F[0,5] charged(id)',
  because: [{ event_index: 100 + number, time: 200 + number, event: 'order', note: 'obligation opened' }],
  summary: `no \`charged\` within 5 s of \`order\` for id ${number}`,
  ...more,
})

const TEXT = 'mtl paid "Größe" {\n  forall id. G (order(id) -> F[0,5] charged(id))\n}'

export const page = (number) => {
  const failed = 'F[0,5] charged(id)'
  const start = Buffer.byteLength(TEXT.slice(0, TEXT.indexOf(failed)))
  const step = (index, event, role, source, destination, note = null) => ({
    event_index: index,
    time: 200 + number + index,
    event,
    fields: { id: number, note: '<img src=x onerror=alert(1)>' },
    source,
    destination,
    note,
    role,
  })
  return {
    ...violation(number),
    story: [
      step(0, 'order', 'at', 'client', 'shop', 'obligation opened, due by 5 later'),
      ...Array.from({ length: 9 }, (_, index) => step(index / 2, 'ping', 'between', 'shop', 'shop')),
      step(2, 'reserve', 'because', 'shop', 'warehouse'),
      step(7, 'order', 'decided', 'client', 'shop', 'first event past the deadline'),
    ],
    deadline: 205 + number,
    property_text: TEXT,
    failed_span: { start, end: start + failed.length },
  }
}

export const event = (index, more = {}) => ({
  event_index: index,
  time: index,
  event: index % 2 === 0 ? 'order' : 'charged',
  fields: { id: index, session: `s${index % 3}`, item: 'lamp' },
  verdict: index % 10 !== 0,
  violated: index % 10 === 0 ? ['paid'] : [],
  bindings: index % 10 === 0 ? [{ property: 'paid', binding: { id: index } }] : [],
  case: `s${index % 3}`,
  noted_at: Date.now(),
  ...more,
})

export const groups = () => [
  {
    group: 'paid/F[0,5] charged(id)',
    property: 'paid',
    severity: 'high',
    count: 17,
    first_noted: Date.now() - HOUR,
    last_noted: Date.now(),
    last_number: 17,
    muted: false,
  },
]

export const catalogue = () => [
  { name: 'order', fields: ['id', 'amount', 'session'], count: 500, declared: false },
  { name: 'charged', fields: ['id', 'session'], count: 480, declared: false },
  { name: 'ask', fields: ['id'], count: 0, declared: true },
]

const picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><script>window.hacked = 1</script><rect width="40" height="10" onclick="window.hacked = 1"/></svg>'

/** A short way through the tree: when, which event, a name. */
export function assist(answers) {
  const questions = [
    {
      id: 'interval',
      text: 'When is the rule in force?',
      why: 'A rule may hold always, or only between two events.',
      kind: 'choice',
      options: [
        { id: 'always', text: 'Always', example: 'No dog enters the kitchen.', picture },
        { id: 'both', text: 'Only between two events', example: 'No talking during the film.', picture: null },
      ],
    },
    { id: 'event', text: 'Which event never happens?', why: 'The rule is about it.', kind: 'event', options: [], suggestions: ['order', 'charged'], hint: 'a name' },
    { id: 'name', text: 'What is the rule called?', why: 'Reports name it.', kind: 'name', options: [], suggestions: [], default: 'never-order' },
  ]
  const wrong = answers.findIndex(({ question }, index) => questions[index]?.id !== question)
  if (wrong >= 0) return null
  if (answers[1]?.answer === 'not an event!') return null
  const answered = answers.map(({ question, answer }) => ({ topic: question, answer }))
  const question = questions[answers.length] ?? null
  const name = answers[2]?.answer || 'never-order'
  return {
    question,
    answered,
    property: question
      ? null
      : {
          text: `pattern ${name} { globally: absence of ${answers[1].answer} }`,
          english: `${answers[1].answer} never happens.`,
          mtl: 'G !order',
          mu: '[true*.order]false',
          svg: picture,
          accepts: 'other. other',
          rejects: 'other. order',
          why_not: { examples: 'no short trace was found' },
        },
  }
}

/** Errors where the text has the word `shiped`, at its place in bytes. */
export function check(text) {
  const diagnostics = [...text.matchAll(/shiped/g)].map(({ index }) => {
    const before = text.slice(0, index)
    const start = Buffer.byteLength(before)
    return {
      severity: 'error',
      code: 'G0203',
      message: '`shiped` is not an event of this trace or spec',
      start,
      end: start + 6,
      line: before.split('\n').length,
      column: index - before.lastIndexOf('\n'),
      label: 'never seen, never declared',
      help: 'write `shipped`',
    }
  })
  const names = [...text.matchAll(/^(?:mtl|nomad|pattern) (\S+)/gm)].map(([, name]) => name)
  const dry = names.map((name) => ({ name, verdict: 'holds', presumably: null, activated: 3, satisfied: 3, violated: 0, pending: 0, exercised: true }))
  return { diagnostics, dry_run: diagnostics.length > 0 ? null : dry, events: 500 }
}
