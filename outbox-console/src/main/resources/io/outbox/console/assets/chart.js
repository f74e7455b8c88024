// Line charts over time, drawn as SVG.

import {h, s, put} from './dom.js';
import {clockTime} from './format.js';

const HEIGHT = 148;
const LEFT = 40;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 22;
const GAP = 90 * 1000;
const MIN_SPAN = 2 * 60 * 1000;
let ids = 0;

/** A round number that is at least this. */
function ceiling(value) {
  if (value <= 0) {
    return 1;
  }
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * magnitude).find((step) => step >= value * 0.999);
}

/** Pieces of a line, cut where nobody has looked for a while. */
function pieces(points, column) {
  const all = [];
  let piece = [];
  let last = null;
  for (const point of points) {
    if (point[column] === null || (last && point[0] - last > GAP)) {
      all.push(piece);
      piece = [];
    }
    if (point[column] !== null) {
      piece.push(point);
    }
    last = point[0];
  }
  all.push(piece);
  return all.filter((each) => each.length > 0);
}

const tickSteps = [15, 30, 60, 120, 300, 600].map((seconds) => seconds * 1000);

/**
 * title, series [{column, name, color}], format (of values), axis (of its labels), headline (of a
 * single series). Colors are names of CSS variables.
 */
export class Chart {
  constructor(options) {
    this.options = options;
    this.points = [];
    this.id = 'chart-' + ++ids;
    this.headline = h('strong', {class: 'chart-value'}, '–');
    this.plot = s('svg', {class: 'chart-plot', height: HEIGHT, role: 'img', 'aria-label': options.title});
    this.tip = h('div', {class: 'chart-tip', hidden: true});
    const legend =
      options.series.length > 1 &&
      h('span', {class: 'legend'}, options.series.map((each) => h('span', {class: 'legend-item'}, dot(each.color), each.name)));
    this.area = h('div', {class: 'chart-area'}, this.plot, this.tip);
    this.element = h(
      'figure',
      {class: 'card chart'},
      h('figcaption', {class: 'chart-head'}, h('span', {class: 'chart-title'}, options.title), legend || this.headline),
      this.area);
    this.area.addEventListener('pointermove', (e) => this.point(e));
    this.area.addEventListener('pointerleave', () => this.unpoint());
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.area);
  }

  close() {
    this.observer.disconnect();
  }

  set(points) {
    this.points = points;
    const last = points[points.length - 1];
    this.headline.textContent = last ? this.options.headline(last) : '–';
    this.plot.setAttribute('aria-label', this.options.title + ': ' + this.headline.textContent);
    this.draw();
  }

  scale() {
    const width = this.area.clientWidth;
    const points = this.points;
    const end = points.length ? points[points.length - 1][0] : Date.now();
    const start = Math.min(points.length ? points[0][0] : end, end - MIN_SPAN);
    const highest = Math.max(this.options.min || 0, ...points.map((p) => Math.max(...this.options.series.map((each) => p[each.column] || 0))));
    const top = ceiling(highest);
    return {
      width,
      start,
      end,
      top,
      x: (time) => LEFT + ((time - start) / (end - start)) * (width - LEFT - RIGHT),
      y: (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM),
    };
  }

  draw() {
    const scale = this.scale();
    if (scale.width < 50) {
      return;
    }
    this.plot.setAttribute('width', scale.width);
    put(this.plot, this.gradients(), this.grid(scale), this.options.series.map((each, i) => this.line(scale, each, i)), (this.cursor = s('g', {class: 'chart-cursor'})));
  }

  gradients() {
    return s('defs', {}, this.options.series.map((each, i) => {
      const stops = [s('stop', {offset: '0'}), s('stop', {offset: '1'})];
      stops[0].style.stopColor = stops[1].style.stopColor = 'var(--' + each.color + ')';
      stops[0].style.stopOpacity = '0.22';
      stops[1].style.stopOpacity = '0';
      return s('linearGradient', {id: this.id + '-' + i, x1: 0, y1: 0, x2: 0, y2: 1}, stops);
    }));
  }

  grid(scale) {
    const lines = [0, 0.5, 1].map((part) => {
      const y = Math.round(scale.y(scale.top * part)) + 0.5;
      return [
        s('line', {class: 'chart-grid', x1: LEFT, x2: scale.width - RIGHT, y1: y, y2: y}),
        s('text', {class: 'chart-label', x: LEFT - 8, y: y + 3.5, 'text-anchor': 'end'}, this.options.axis(scale.top * part)),
      ];
    });
    const span = scale.end - scale.start;
    const room = Math.max(2, Math.floor((scale.width - LEFT - RIGHT) / 80));
    const step = tickSteps.find((each) => span / each <= room) || tickSteps[tickSteps.length - 1];
    const ticks = [];
    for (let time = Math.ceil(scale.start / step) * step; time <= scale.end; time += step) {
      const x = scale.x(time);
      if (x > LEFT + 12 && x < scale.width - RIGHT - 12) {
        ticks.push(s('text', {class: 'chart-label', x, y: HEIGHT - 5, 'text-anchor': 'middle'}, clockTime(time, step < 60000)));
      }
    }
    return s('g', {}, lines, ticks);
  }

  line(scale, series, index) {
    return pieces(this.points, series.column).map((piece) => {
      const path = piece.map((p, i) => (i ? 'L' : 'M') + scale.x(p[0]).toFixed(1) + ' ' + scale.y(p[series.column]).toFixed(1)).join('');
      const floor = scale.y(0);
      const first = scale.x(piece[0][0]).toFixed(1);
      const last = scale.x(piece[piece.length - 1][0]).toFixed(1);
      const stroke = s('path', {class: 'chart-line', d: path});
      stroke.style.stroke = 'var(--' + series.color + ')';
      return [s('path', {d: path + 'L' + last + ' ' + floor + 'L' + first + ' ' + floor + 'Z', fill: 'url(#' + this.id + '-' + index + ')'}), stroke];
    });
  }

  point(event) {
    const scale = this.scale();
    if (!this.points.length || !this.cursor) {
      return;
    }
    const at = event.clientX - this.area.getBoundingClientRect().left;
    const nearest = this.points.reduce((best, p) => (Math.abs(scale.x(p[0]) - at) < Math.abs(scale.x(best[0]) - at) ? p : best));
    const x = scale.x(nearest[0]);
    put(
      this.cursor,
      s('line', {x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}),
      this.options.series.filter((each) => nearest[each.column] !== null).map((each) => {
        const mark = s('circle', {cx: x, cy: scale.y(nearest[each.column]), r: 3.5});
        mark.style.fill = 'var(--' + each.color + ')';
        return mark;
      }));
    put(
      this.tip,
      h('span', {class: 'chart-tip-time'}, clockTime(nearest[0], true)),
      this.options.series.map((each) => h('span', {class: 'chart-tip-row'}, dot(each.color), each.name, h('b', {}, nearest[each.column] === null ? '–' : this.options.format(nearest[each.column])))));
    this.tip.hidden = false;
    const left = x + 14 + this.tip.offsetWidth > scale.width ? x - 14 - this.tip.offsetWidth : x + 14;
    this.tip.style.transform = 'translate(' + Math.max(0, left) + 'px, ' + TOP + 'px)';
  }

  unpoint() {
    this.tip.hidden = true;
    if (this.cursor) {
      put(this.cursor);
    }
  }
}

function dot(color) {
  const element = h('i', {class: 'dot'});
  element.style.background = 'var(--' + color + ')';
  return element;
}
