// SPDX-License-Identifier: MIT OR Apache-2.0
// The diagrams of the book's concepts, by the name of their file.

import { Diagram } from './svg.js'

/** A scale: `start` is the place of time `from`, `step` the width of a second. */
const scale = (start, step, from = 0) => (time) => Math.round(start + (time - from) * step)

function positions() {
  const diagram = new Diagram(720, 230, 'Five events on a line of time, their positions, and the reach of an interval')
  const x = scale(60, 56)
  const events = [[1, 'request(a)', 0], [3, 'request(b)', 1], [4, 'reply(b)', 0], [9, 'reply(a)', 1], [9, 'logout(a)', 0]]
  diagram.axis(x, 110, 0, 10.4, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  events.forEach(([time, name, row], index) => {
    const shift = index === 4 ? 14 : 0
    const y = row ? 42 : 68
    diagram.line(x(time) + shift, y + 6, x(time) + shift, 104, 'tick').dot(x(time) + shift, 110)
    diagram.text(x(time) + shift, y, name, index === 4 ? 'code' : 'code middle')
  })
  diagram.text(16, 158, 'position', 'soft small')
  events.forEach(([time], index) => diagram.text(x(time) + (index === 4 ? 14 : 0) + (index === 3 ? -3 : 0), 158, index + 1, 'small middle'))
  diagram.line(x(1), 184, x(9), 184, 'span good')
  diagram.text(x(1), 208, 'F[0,8s] from position 1: positions 1 to 5', 'small')
  return diagram
}

function obligations() {
  const diagram = new Diagram(720, 250, 'Three requests: one is satisfied, one is violated, one is pending')
  const x = scale(100, 23)
  const rows = [
    ['id = a', 1, 9, 'good', 'satisfied after 8 s'],
    ['id = b', 3, 13, 'bad', 'violated at 13: no reply within 10 s'],
    ['id = c', 12, 16, 'open', 'pending: the deadline is 22'],
  ]
  rows.forEach(([name, from, to, kind, text], index) => {
    const y = 44 + index * 58
    diagram.text(20, y + 4, name, 'code').line(x(from), y, x(to), y, `span ${kind}`).dot(x(from), y)
    diagram.text(x(from), y - 12, 'request', 'code')
    if (kind === 'good') diagram.dot(x(to), y).text(x(to), y - 12, 'reply', 'code')
    if (kind === 'bad') diagram.cross(x(to), y)
    diagram.text((kind === 'good' ? x(to) : Math.max(x(to), x(16))) + 14, y + 5, text, `small ${kind}`)
  })
  diagram.line(x(16), 20, x(16), 206, 'cut').text(x(16) + 6, 26, 'end of the log', 'soft small')
  diagram.axis(x, 206, 0, 18, [0, 5, 10, 15])
  return diagram
}

function slices() {
  const diagram = new Diagram(720, 220, 'A log with two values of id, and the slice of each')
  const x = scale(130, 52)
  const events = [[1, 'request(a)', 0], [3, 'request(b)', 1], [4, 'reply(b)', 1], [9, 'reply(a)', 0]]
  const rows = [['the log', null, 40], ['slice id = a', 0, 100], ['slice id = b', 1, 150]]
  for (const [name, slice, y] of rows) {
    diagram.text(16, y + 4, name, 'small').line(x(0), y, x(10), y, 'axis')
    for (const [time, event, of] of events.filter(([, , of]) => slice === null || slice === of)) {
      diagram.dot(x(time), y, of ? 'good' : 'event').text(x(time), event === 'reply(b)' ? y + 22 : y - 12, event, 'code middle')
    }
  }
  diagram.axis(x, 192, 0, 10, [0, 2, 4, 6, 8, 10])
  return diagram
}

function prefixes() {
  const diagram = new Diagram(720, 240, 'Three prefixes of a log and their verdicts for the rule that a reply follows within ten seconds')
  const x = scale(60, 30)
  const rows = [
    [4, 'request at 1, log cut at 4: a reply may still come', 'inconclusive', 'open'],
    [12, 'log cut at 12: the deadline 11 has passed', 'violated', 'bad'],
    [6, 'reply at 5, log cut at 6: another request may come', 'inconclusive', 'open'],
  ]
  rows.forEach(([cut, text, verdict, kind], index) => {
    const y = 50 + index * 62
    diagram.line(x(0), y, x(cut), y, 'axis').dot(x(1), y).text(x(1), y - 12, 'request', 'code middle')
    if (index === 2) diagram.dot(x(5), y).text(x(5), y - 12, 'reply', 'code middle')
    if (index === 1) diagram.cross(x(11), y)
    diagram.line(x(cut), y - 22, x(cut), y + 16, 'cut')
    const place = Math.max(x(cut), x(6)) + 16
    diagram.text(place, y - 4, text, 'small').text(place, y + 14, verdict, `small ${kind}`)
  })
  diagram.axis(x, 206, 0, 14, [0, 5, 10])
  return diagram
}

function deadlines() {
  const diagram = new Diagram(720, 220, 'Event time advances without events, and a deadline expires')
  const x = scale(60, 36)
  diagram.text(16, 24, 'request at 1, F[0,10s] reply, --lateness 2s', 'code')
  diagram.line(x(1), 80, x(11), 80, 'span open').dot(x(1), 80).text(x(1), 62, 'request', 'code middle')
  diagram.dot(x(4), 80, 'soft').text(x(4), 62, 'another event', 'small middle')
  diagram.line(x(11), 50, x(11), 150, 'cut').text(x(11) - 6, 46, 'deadline', 'small end')
  diagram.line(x(11), 110, x(13), 110, 'span bad').text(x(13) + 12, 114, 'waits for late events', 'soft small')
  diagram.line(x(13), 50, x(13), 150, 'cut').cross(x(13), 80).text(x(13) + 12, 84, 'violation reported', 'small bad')
  diagram.line(x(4), 110, x(11), 110, 'arrow').text(x(7.5), 132, 'no events: the clock advances', 'soft small middle')
  diagram.axis(x, 170, 0, 15, [0, 2, 4, 6, 8, 10, 12, 14], 'event time (s)')
  return diagram
}

function instances() {
  const diagram = new Diagram(720, 210, 'The instances after each of four events')
  const steps = [
    ['request(a)', ['root', 'a until 11']],
    ['reply(b)', ['root', 'a until 11']],
    ['reply(a)', ['root']],
    ['request(c)', ['root', 'c until 15']],
  ]
  steps.forEach(([event, instances], index) => {
    const left = 20 + index * 176
    diagram.text(left + 70, 30, event, 'code middle')
    instances.forEach((instance, row) => {
      diagram.box(left, 50 + row * 64, 140, 44).text(left + 70, 77 + row * 64, instance, 'code middle')
      if (row > 0) diagram.line(left + 70, 94, left + 70, 114, 'arrow')
    })
    if (index < 3) diagram.arrow(left + 146, 72, left + 170, 72)
  })
  diagram.text(20, 192, 'The root stands for all values without an instance of their own.', 'soft small')
  return diagram
}

export const diagrams = { positions, obligations, slices, prefixes, deadlines, instances }
