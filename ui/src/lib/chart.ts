// SPDX-License-Identifier: MIT OR Apache-2.0
// Parallel coordinates drawn by ECharts. Only this file knows the library, and only the statistics load it.

import { ParallelChart } from 'echarts/charts'
import { AriaComponent, ParallelComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

import { moment } from './format'
import { AXES, type Brush, coordinates, type Key } from './parallel'
import type { StatisticsRow } from './types'

use([ParallelChart, ParallelComponent, AriaComponent, CanvasRenderer])

export interface Chart {
  draw: (rows: StatisticsRow[], current: StatisticsRow | null) => void
  /** Sets the selected ranges as if they had been brushed. */
  brush: (brush: Brush) => void
  resize: () => void
  close: () => void
}

const id = (key: Key) => `axis-${key}`

/** A colour of the page; canvases know no custom properties. */
function colour(element: Element, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

export function open(element: HTMLElement, brushed: (key: Key, intervals: [number, number][]) => void): Chart {
  const chart = init(element)
  const isNarrow = () => element.clientWidth < 640
  let last: { rows: StatisticsRow[]; current: StatisticsRow | null } = { rows: [], current: null }
  let wasNarrow = isNarrow()
  // Ranges set by the program are not reported as changes.
  let isSettingRanges = false

  chart.on('axisareaselected', (event) => {
    if (isSettingRanges) return
    const brush = event as { parallelAxisId?: string; intervals?: [number, number][] }
    const axis = AXES.find(({ key }) => id(key) === brush.parallelAxisId)
    if (axis) brushed(axis.key, brush.intervals ?? [])
  })

  function draw(rows: StatisticsRow[], current: StatisticsRow | null) {
    last = { rows, current }
    const [ink, soft, accent, bad] = ['--ink', '--soft', '--accent', '--bad'].map((name) => colour(element, name))
    const narrow = isNarrow()
    const all = current ? [...rows, current] : rows
    const data = (row: StatisticsRow) => coordinates(row).map((value) => value ?? '-')
    chart.setOption({
      animation: false,
      aria: { enabled: false },
      parallel: {
        layout: narrow ? 'vertical' : 'horizontal',
        left: narrow ? 70 : 60,
        right: narrow ? 24 : 70,
        top: narrow ? 20 : 40,
        bottom: narrow ? 20 : 24,
        parallelAxisDefault: {
          type: 'value',
          scale: true,
          nameLocation: narrow ? 'start' : 'end',
          nameTextStyle: { color: ink, fontSize: 12 },
          axisLabel: { color: soft, fontSize: 11, hideOverlap: true },
          axisLine: { lineStyle: { color: soft, width: 2 } },
          axisTick: { lineStyle: { color: soft } },
          splitNumber: narrow ? 3 : 5,
          areaSelectStyle: { width: 24, borderWidth: 1, borderColor: accent, color: accent, opacity: 0.25 },
        },
      },
      parallelAxis: AXES.map(({ key, name }, dim) => ({
        id: id(key),
        dim,
        name,
        ...extent(all, key),
        ...(key === 'at' ? { axisLabel: { formatter: (at: number) => moment(at) } } : {}),
      })),
      series: [
        {
          id: 'past',
          type: 'parallel',
          inactiveOpacity: 0.04,
          activeOpacity: 1,
          // Older lines are fainter; violations have their own colour.
          data: rows.map((row, index) => ({
            value: data(row),
            lineStyle: {
              width: 1.2,
              color: row.violated > (rows[index - 1]?.violated ?? row.violated) ? bad : soft,
              opacity: 0.15 + 0.6 * ((index + 1) / rows.length),
            },
          })),
          silent: true,
        },
        {
          id: 'current',
          type: 'parallel',
          inactiveOpacity: 0.25,
          z: 5,
          data: current ? [{ value: data(current), lineStyle: { width: 4, color: accent, opacity: 1 } }] : [],
          silent: true,
        },
      ],
    })
  }

  return {
    draw,
    brush(brush) {
      isSettingRanges = true
      for (const { key } of AXES) {
        // Typed ranges may be open or exceed the axis.
        const { min, max } = extent(last.current ? [...last.rows, last.current] : last.rows, key)
        const intervals = (brush[key] ?? []).map(([low, high]) => [Math.max(low, min), Math.min(high, max)])
        chart.dispatchAction({ type: 'axisAreaSelect', parallelAxisId: id(key), intervals })
      }
      isSettingRanges = false
    },
    resize() {
      chart.resize()
      if (isNarrow() !== wasNarrow) {
        wasNarrow = isNarrow()
        draw(last.rows, last.current)
      }
    },
    close: () => chart.dispose(),
  }
}

/** Returns the full range of an axis, even if all values are equal or there are none. */
function extent(rows: StatisticsRow[], key: Key): { min: number; max: number } {
  let [min, max] = [Infinity, -Infinity]
  for (const row of rows) {
    const value = row[key] === null ? NaN : Number(row[key])
    if (!Number.isFinite(value)) continue
    min = Math.min(min, value)
    max = Math.max(max, value)
  }
  if (min > max) return { min: 0, max: 1 }
  if (key !== 'at') min = Math.min(min, 0)
  return min === max ? { min, max: max + 1 } : { min, max }
}
