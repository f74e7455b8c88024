// Draws docs/images/chart-*.svg from docs/data/*.csv, which are result files of ./outbox bench.
//   npm run charts             writes them
//   npm run charts -- --check  fails if one of them is not what its data says
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import * as echarts from 'echarts'

const docs = new URL('../docs/', import.meta.url)
const width = 760
const font = 'system-ui, sans-serif'

// Each color with its counterpart in dark mode; a chart has a background of its own, so that it can be read on any page.
const color = {
  background: ['#ffffff', '#1b1b1f'],
  text: ['#24292f', '#e6edf3'],
  quiet: ['#59636e', '#9aa4af'],
  line: ['#d8dee4', '#33383f'],
  ours: ['#1a7f64', '#3fb68b'],
  oursPale: ['#9fd5c3', '#24624f'],
  loop: ['#57606a', '#9da7b1'],
  loopPale: ['#b9c0c8', '#555d66'],
  peer: ['#b7791f', '#d9a441'],
  peerPale: ['#ecd1a0', '#75571f'],
  whisker: ['#101418', '#ffffff'],
}
const light = Object.fromEntries(Object.entries(color).map(([name, [value]]) => [name, value]))

const textStyle = { fontFamily: font, fontSize: 13, color: light.text }

const charts = {
  drain: (rows) =>
    bars({
      title: 'Drain: events per second',
      subtitle: '50,000 waiting events; whiskers: lowest to highest round; longer is better',
      rows,
      value: (row) => row.events_per_second,
    }),
  steady: (rows) =>
    bars({
      title: 'Steady: events per second',
      subtitle: 'four writers, delivery beside them; whiskers: lowest to highest round; longer is better',
      rows,
      value: (row) => row.events_per_second,
    }),
  latency: (rows) =>
    bars({
      title: 'Commit to listener: milliseconds',
      subtitle: '200 events per second, logarithmic scale; shorter is better',
      rows,
      parts: [
        { name: 'median (p50)', value: (row) => row.p50_ms },
        { name: '99 % are faster (p99)', value: (row) => row.p99_ms, pale: true },
      ],
      log: true,
      unit: ' ms',
    }),
  growth: (rows) =>
    bars({
      title: 'Growth: events per second',
      subtitle: 'drain of 50,000 waiting events; the two bars of a pair are from the same run; longer is better',
      rows: rows.filter((row) => row.workload === 'drain'),
      parts: [
        { name: 'new table', value: (row) => row.events_per_second },
        {
          name: 'with 1,000,000 finished rows',
          value: (row) => rows.find((other) => other.workload === 'growth' && other.contestant === row.contestant).events_per_second,
          pale: true,
        },
      ],
    }),
  cost: (rows) =>
    bars({
      title: 'Cost: CPU time per event',
      subtitle: 'drain of 50,000 waiting events, microseconds; shorter is better',
      rows,
      parts: [
        { name: 'JVM', value: (row) => row.jvm_cpu_us },
        { name: 'database', value: (row) => row.database_cpu_us, pale: true },
      ],
      stacked: true,
      unit: ' µs',
    }),
}
const sources = { drain: 'drain', steady: 'steady', latency: 'latency', growth: 'growth', cost: 'drain' }

/** One row of bars for each contestant, its name on the left and its figures on the right. */
function bars({ title, subtitle, rows, value, parts = [{ value }], log = false, stacked = false, unit = '' }) {
  const barHeight = stacked || parts.length === 1 ? 20 : 15
  const step = (stacked ? 1 : parts.length) * barHeight + 16
  const spread = parts.length === 1
  const legend = !spread
  const top = legend ? 92 : 68
  const height = top + rows.length * step + 20
  const left = 28 + 7.3 * Math.max(...rows.map((row) => name(row).length))
  const lowest = log ? Math.min(...rows.flatMap((row) => parts.map((part) => Number(part.value(row))))) / 2 : 0
  const label = (text) => ({ ...textStyle, show: true, position: 'right', distance: 8, formatter: () => text })
  // On the last part of a stack; where there are whiskers, behind them instead.
  const text = (row, index) => {
    if (spread || (stacked && index < parts.length - 1)) return undefined
    return label((stacked ? parts : [parts[index]]).map((part) => figure(part.value(row))).join(' + ') + unit)
  }
  const option = {
    animation: false,
    backgroundColor: light.background,
    textStyle: { fontFamily: font },
    title: {
      text: title,
      subtext: subtitle,
      left: 16,
      top: 10,
      itemGap: 6,
      textStyle: { fontFamily: font, fontSize: 17, fontWeight: 600, color: light.text },
      subtextStyle: { fontFamily: font, fontSize: 12.5, color: light.quiet },
    },
    grid: { left, right: 110, top, bottom: 20 },
    xAxis: {
      type: log ? 'log' : 'value',
      min: lowest,
      startValue: lowest,
      axisLabel: { show: false },
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { lineStyle: { color: light.line } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: rows.map(name),
      axisLine: { show: false },
      axisTick: { show: false },
      silent: true,
      axisLabel: { ...textStyle, margin: 12 },
    },
    series: parts.map((part, index) => ({
      type: 'bar',
      silent: true,
      stack: stacked ? 'all' : undefined,
      barWidth: barHeight,
      barGap: '10%',
      data: rows.map((row) => ({
        value: Number(part.value(row)),
        itemStyle: { color: light[kind(row) + (part.pale ? 'Pale' : '')] },
        label: text(row, index),
      })),
    })),
  }
  if (spread) option.series.push(whiskers(rows))
  if (legend) {
    option.graphic = parts.flatMap((part, index) => {
      const start = left + index * 190
      return [
        ...['ours', 'loop', 'peer'].map((each, i) => ({
          type: 'rect',
          silent: true,
          left: start + i * 11,
          top: 67,
          shape: { width: 11, height: 11 },
          style: { fill: light[each + (part.pale ? 'Pale' : '')] },
        })),
        { type: 'text', silent: true, left: start + 40, top: 66, style: { text: part.name, font: `12.5px ${font}`, fill: light.quiet } },
      ]
    })
  }
  return { option, height }
}

/** From the lowest to the highest round, and the figure behind them. */
function whiskers(rows) {
  return {
    type: 'custom',
    silent: true,
    z: 5,
    data: rows.map((row, index) => [Number(row.lowest), Number(row.highest), index]),
    encode: { x: [0, 1], y: 2 },
    renderItem: (_, api) => {
      const [low, y] = api.coord([api.value(0), api.value(2)])
      const [high] = api.coord([api.value(1), api.value(2)])
      const line = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: light.whisker, lineWidth: 1.5 } })
      const text = { type: 'text', x: high + 8, y, style: { text: figure(rows[api.value(2)].events_per_second), font: `13px ${font}`, fill: light.text, verticalAlign: 'middle' } }
      return { type: 'group', children: [line(low, y, high, y), line(low, y - 4, low, y + 4), line(high, y - 4, high, y + 4), text] }
    },
  }
}

const kind = (row) => (row.contestant.startsWith('outbox ') ? 'ours' : row.version ? 'peer' : 'loop')
const name = (row) => (kind(row) === 'peer' ? `${row.contestant} ${row.version}` : row.contestant)
// As in the file, 1.0 and not 1, with a comma before thousands.
const figure = (number) => number.replace(/^\d+/, (whole) => Number(whole).toLocaleString('en-US'))

function parse(csv) {
  const [header, ...lines] = csv.split('\n').filter((line) => line && !line.startsWith('#')).map(cells)
  return lines.map((line) => Object.fromEntries(header.map((column, i) => [column, line[i]])))
}

function cells(line) {
  return [...line.matchAll(/("([^"]*)"|[^,"]*)(,|$)/g)].slice(0, line.endsWith(',') ? undefined : -1).map((match) => match[2] ?? match[1])
}

function draw(chart) {
  const file = `data/${sources[chart]}.csv`
  const csv = readFileSync(new URL(file, docs), 'utf8')
  const { option, height } = charts[chart](parse(csv))
  const instance = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height })
  instance.setOption(option)
  const svg = instance.renderToSVGString({ useViewBox: true })
  instance.dispose()
  const hash = createHash('sha256').update(csv).digest('hex')
  // Nothing moves or is clicked: the rules for a pointer go.
  return svg.replace(/<style >[^]*<\/style>\n/, '').replace('>', `>\n<!-- made by site/charts.mjs from docs/${file}, sha256 ${hash} -->\n${darkMode()}\n`) + '\n'
}

function darkMode() {
  const rules = Object.values(color).flatMap(([day, night]) => [`[fill="${day}"]{fill:${night}}`, `[stroke="${day}"]{stroke:${night}}`])
  return `<style>@media (prefers-color-scheme: dark){${rules.join('')}}</style>`
}

const check = process.argv.includes('--check')
let stale = false
for (const chart of Object.keys(charts)) {
  const file = new URL(`images/chart-${chart}.svg`, docs)
  const svg = draw(chart)
  if (!check) {
    writeFileSync(file, svg)
  } else if (readFileSync(file, 'utf8') !== svg) {
    console.error(`docs/images/chart-${chart}.svg is not what its data says: run "npm run charts" in site/`)
    stale = true
  }
}
process.exitCode = stale ? 1 : 0
