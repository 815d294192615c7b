// SPDX-License-Identifier: MIT OR Apache-2.0
// Specs and logs for the pictures, the same every time.

/** Random numbers from 0 to 1 that depend on the seed alone. */
function numbers(seed) {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A service that becomes slow for half an hour of two. */
export function slowService() {
  const random = numbers(7)
  const events = []
  for (let id = 1, time = 0; time < 7200; id += 1) {
    const isSlow = time > 3000 && time < 4800
    time += 4 + random() * 16
    const busy = isSlow ? 6 + 8 * Math.sin(((time - 3000) / 1800) * Math.PI) : 2
    const took = 0.5 + busy * random() * (isSlow ? 1.4 : 1)
    events.push([time, 'request', id])
    if (random() > (isSlow ? 0.06 : 0.004)) events.push([time + took, 'reply', id])
    if (random() < (isSlow ? 0.15 : 0.02)) events.push([time + took + 0.1, 'error', id])
  }
  events.push([7230, 'stop', 0])
  events.sort((left, right) => left[0] - right[0])
  const rows = events.map(([time, event, id]) => `${event},${time.toFixed(2)},${id}`)
  const spec = `time in s
mtl answered "Every request is answered within twelve seconds" {
  forall id. G(request(id) -> F[0,12s] reply(id))
}
mtl few-errors "At most three errors in five minutes" {
  G(error -> count[5m](error) <= 3)
}
`
  return { spec, log: `event,time,id\n${rows.join('\n')}\n` }
}

/** An hour of a web shop that ends now. */
export function shop(now) {
  const random = numbers(11)
  const events = []
  const begin = now - 3600_000
  for (let id = 1, time = begin; time < now - 30_000; id += 1) {
    time += 4000 + random() * 14_000
    const session = `s${1 + Math.floor(random() * 40)}`
    const add = (event, seconds, more = {}) => events.push({ event, at: time + seconds * 1000, session, id, ...more })
    add('login', 0)
    const ordered = 1 + random() * 5
    add('order', ordered, { total: Math.round(random() * 900) / 10 })
    const isUnpaid = random() < 0.01
    if (!isUnpaid) add('pay', ordered + (random() < 0.03 ? 14 : 2 + random() * 7))
    if (random() > 0.1 && !(isUnpaid && random() > 0.3)) add('ship', 22 + random() * 5)
    if (random() < 0.12) add('failed', 3)
  }
  events.sort((left, right) => left.at - right.at)
  const spec = `time in s

mtl paid "Every order is paid within ten seconds" (severity high) {
  forall id. G(order(id) -> F[0,10s] pay(id))
}
mtl shipped "Only paid orders are shipped" {
  forall id. G(ship(id) -> P pay(id))
}
mtl guesses "At most one failed login of a session in ten minutes" (severity low) {
  G(failed -> count[10m](failed) <= 1)
}
pattern login "Customers log in before they order" {
  globally: login precedes order
}
soloist budget "Fewer than ten orders of a session in an hour" {
  G(order -> C^{1h}_{<10}(order))
}

event order(id)
event pay(id)
event ship(id)
`
  const past = events.filter((event) => event.at < now)
  return { spec, events: past.map(({ at, ...event }) => ({ time: new Date(at).toISOString(), ...event })) }
}
