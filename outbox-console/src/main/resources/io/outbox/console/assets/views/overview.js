// How it goes: numbers, charts, and what needs somebody.

import {h, icon, put} from '../dom.js';
import {count, counted, duration, plural, short, shortError} from '../format.js';
import {Chart} from '../chart.js';
import {askToSkip} from '../actions.js';
import {button, card, empty, skeleton, when} from '../ui.js';

const NODES_NAMED = 3;

export function overviewPage(context) {
  const {live} = context;
  const verdict = h('div', {class: 'verdict'});
  const tiles = h('div', {class: 'tiles'});
  const charts = [
    new Chart({
      title: 'Throughput',
      series: [{column: 1, name: 'Delivered per minute', color: 'published'}],
      headline: (p) => (p[1] === null ? 'not known' : short(p[1]) + ' / min'),
      format: (v) => short(v) + ' / min',
      axis: short,
    }),
    new Chart({
      title: 'Lag',
      series: [{column: 2, name: 'Oldest undelivered event', color: 'retry'}],
      headline: (p) => (p[2] === 0 ? 'none' : duration(p[2] * 1000)),
      format: (v) => duration(v * 1000),
      axis: (v) => (v >= 3600 ? short(v / 3600) + ' h' : v >= 120 ? short(v / 60) + ' m' : short(v) + ' s'),
    }),
    new Chart({
      title: 'Backlog',
      series: [
        {column: 3, name: 'Pending', color: 'pending'},
        {column: 4, name: 'Leased', color: 'claimed'},
        {column: 5, name: 'Dead', color: 'dead'},
      ],
      headline: (p) => short(p[3] + p[4]),
      format: count,
      axis: short,
      min: 4,
    }),
  ];
  const errors = h('div', {});
  const errorsHint = h('span', {class: 'faint'});
  const blocked = h('div', {});
  const stuck = h('div', {});
  const outages = h('div', {});
  const unheard = h('div', {});
  const pauses = h('div', {});
  const nodes = h('div', {});
  const sides = {blocked: '', stuck: ''};

  const element = h(
    'div',
    {class: 'overview'},
    verdict,
    tiles,
    h('div', {class: 'charts'}, charts.map((chart) => chart.element)),
    h(
      'div',
      {class: 'columns'},
      card('Most frequent errors', errorsHint, errors),
      h('section', {class: 'card watch'}, watch('Blocked keys', blocked), watch('Stuck leases', stuck), watch('Listeners that are down', outages), watch('Types without a listener', unheard), watch('Paused delivery', pauses), watch('Nodes', nodes))));
  put(tiles, Array.from({length: 4}, () => h('div', {class: 'tile'}, skeleton(2))));

  function tile(state, label, value, note, query) {
    return h(
      'a',
      {class: 'tile', 'data-state': state, href: context.link('events', query)},
      h('span', {class: 'tile-label'}, h('i', {class: 'dot'}), label),
      h('strong', {class: 'tile-value'}, value),
      h('span', {class: 'tile-note'}, note));
  }

  function showTiles(o) {
    const retries = o.counts.RETRY;
    const waiting = o.lagMillis > 0 ? 'oldest due for ' + duration(o.lagMillis) : 'nothing is due';
    put(
      tiles,
      tile('PENDING', 'Pending', counted(o.states.PENDING), retries && retries.value ? counted(retries) + ' after a failure' : waiting, {state: 'PENDING'}),
      tile('LEASED', 'Leased', counted(o.states.LEASED), o.stuckLeases.value ? counted(o.stuckLeases) + ' stuck' : 'a node delivers them', {state: 'LEASED'}),
      tile('DONE', 'Done', counted(o.states.DONE), o.throughput ? short(o.throughput.perMinute) + ' per minute' : 'rate not known', {state: 'DONE'}),
      tile('DEAD', 'Dead', counted(o.states.DEAD), o.states.DEAD && o.states.DEAD.value ? 'waiting for you' : 'none', {state: 'DEAD'}));
    tiles.lastElementChild.classList.toggle('calm', !(o.states.DEAD && o.states.DEAD.value));
  }

  function showVerdict(o) {
    const found = [];
    if (o.states.DEAD && o.states.DEAD.value) {
      found.push(h('a', {href: context.link('events', {state: 'DEAD'})}, counted(o.states.DEAD) + ' dead ' + (o.states.DEAD.value === 1 ? 'event' : 'events')));
    }
    if (o.blockedKeys.value) {
      found.push(counted(o.blockedKeys) + ' blocked ' + (o.blockedKeys.value === 1 ? 'key' : 'keys'));
    }
    if (o.stuckLeases.value) {
      found.push(h('a', {href: context.link('events', {stuck: 'true'})}, counted(o.stuckLeases) + ' stuck ' + (o.stuckLeases.value === 1 ? 'lease' : 'leases')));
    }
    if (o.lagMillis > 0 && !o.nodes.some((node) => node.delivers)) {
      found.push('events are due, and no node is known that delivers');
    }
    if (o.lagMillis > 60000) {
      found.push('events undelivered for ' + duration(o.lagMillis));
    }
    if (o.outages.length) {
      found.push(o.outages.length === 1 ? 'listener ' + o.outages[0].name + ' is down' : plural(o.outages.length, 'listener') + ' or destinations down');
    }
    if (o.withoutListener.length) {
      found.push('no node has a listener for ' + (o.withoutListener.length === 1 ? o.withoutListener[0].name : plural(o.withoutListener.length, 'type')));
    }
    if (o.pauses.length) {
      found.push(h('a', {href: context.link('delivery')}, plural(o.pauses.length, 'pause')));
    }
    const second = o.nodes.filter((node) => node.second).length;
    if (second) {
      found.push(second + ' processes deliver in a single-process mode');
    }
    const waiting = o.nodes.filter((node) => !node.delivers).length;
    if (waiting) {
      found.push(plural(waiting, 'node') + ' waiting for another mode to end');
    }
    verdict.dataset.state = live.problem ? 'bad' : found.length ? 'warn' : 'good';
    put(
      verdict,
      icon(live.problem || found.length ? 'alert' : 'check'),
      live.problem
        ? h('span', {}, 'The database does not answer: ' + live.problem)
        : found.length
          ? h('span', {}, h('b', {}, 'Needs attention: '), found.map((each, i) => [i ? ', ' : '', each]))
          : h('span', {}, h('b', {}, 'All is well.'), o.lagMillis > 0 ? ' Nothing is dead, stuck or blocked; the oldest event has been due for ' + duration(o.lagMillis) + '.' : ' Nothing is dead, stuck, blocked or late.'));
  }

  function showErrors(o) {
    errorsHint.textContent = o.errors.length ? 'among the newest ' + count(o.errorsAmong) + ' failures' : '';
    if (!o.errors.length) {
      put(errors, empty('check', 'No errors.', 'Errors of failed events appear here.'));
      return;
    }
    const most = Math.max(...o.errors.map((each) => each.count));
    put(
      errors,
      h(
        'ol',
        {class: 'errors'},
        o.errors.map((group) => {
          const bar = h('i', {class: 'error-bar'});
          bar.style.width = Math.max(2, (group.count / most) * 100) + '%';
          return h(
            'li',
            {},
            h(
              'a',
              {class: 'error-row', title: group.error, href: context.link('events', {status: 'RETRY,DEAD', errorPattern: group.pattern})},
              h('span', {class: 'error-text'}, shortError(group.pattern)),
              h('span', {class: 'error-count'}, count(group.count)),
              h('span', {class: 'error-track'}, bar)));
        })));
  }

  function showOutages(o) {
    put(
      outages,
      o.outages.length
        ? h('ul', {class: 'rows'}, o.outages.map(outageRow), o.moreOutages > 0 && h('li', {}, h('span', {class: 'row-more'}, 'and ' + o.moreOutages + ' more')))
        : h('p', {class: 'quiet'}, 'none'));
  }

  function outageRow(outage) {
    const nodes = outage.nodes.slice(0, NODES_NAMED).join(', ') + (outage.nodes.length > NODES_NAMED ? ' and ' + (outage.nodes.length - NODES_NAMED) + ' more' : '');
    return h(
      'li',
      {class: 'outage'},
      h('span', {class: 'row-main', title: outage.name}, outage.name),
      h('span', {class: 'row-side'}, when(outage.since)),
      h('span', {class: 'row-more'}, outage.reason),
      h(
        'span',
        {class: 'row-more', title: 'On ' + outage.nodes.join(', ')},
        'circuit breaker ' + outage.state.toLowerCase().replaceAll('_', ' ') + ' on ' + nodes,
        outage.nextTrial && [' · next trial ', when(outage.nextTrial)]));
  }

  function showUnheard(o) {
    put(
      unheard,
      o.withoutListener.length
        ? h('ul', {class: 'rows'}, o.withoutListener.map((missing) => h('li', {class: 'missing', title: 'No node has a listener: its events wait, then become DEAD'}, h('span', {class: 'row-main'}, missing.name), h('span', {class: 'row-side'}, when(missing.since)), missing.nearMiss && h('span', {class: 'row-more'}, missing.nearMiss))))
        : h('p', {class: 'quiet'}, 'none'));
  }

  function showPauses(o) {
    put(
      pauses,
      o.pauses.length
        ? h('ul', {class: 'rows'}, o.pauses.map((pause) => h('li', {}, h('a', {class: 'row-link', href: context.link('delivery')}, h('span', {class: 'row-main'}, routeOf(pause)), h('span', {class: 'row-side'}, when(pause.since))))))
        : h('p', {class: 'quiet'}, 'none'));
  }

  function showNodes(o) {
    put(
      nodes,
      o.nodes.length
        ? h('ul', {class: 'rows'}, o.nodes.map((node) => h('li', {}, h('span', {class: 'row-main'}, node.node), h('span', {class: 'row-side'}, modeOf(node), ' · ', when(node.startedAt)))))
        : h('p', {class: 'quiet'}, 'not known'));
  }

  /** Asked for only when their number changes. */
  async function showSides(o) {
    const wanted = {blocked: counted(o.blockedKeys), stuck: counted(o.stuckLeases)};
    if (wanted.blocked !== sides.blocked) {
      sides.blocked = wanted.blocked;
      if (!o.blockedKeys.value) {
        put(blocked, h('p', {class: 'quiet'}, 'none'));
      } else {
        await fillFrom(blocked, () => context.outbox.blockedKeys(), (answer) => answer.blocks.slice(0, 6).map(blockRow));
      }
    }
    if (wanted.stuck !== sides.stuck) {
      sides.stuck = wanted.stuck;
      if (!o.stuckLeases.value) {
        put(stuck, h('p', {class: 'quiet'}, 'none'));
      } else {
        await fillFrom(stuck, () => context.outbox.events('stuck=true&limit=5'), (answer) => answer.events.map(stuckRow));
      }
    }
  }

  async function fillFrom(place, ask, rows) {
    try {
      put(place, h('ul', {class: 'rows'}, rows(await ask())));
    } catch (failure) {
      put(place, h('p', {class: 'quiet'}, failure.message));
    }
  }

  function blockRow(block) {
    return h(
      'li',
      {},
      h('a', {class: 'row-link', href: context.link('event', {id: block.event})}, h('span', {class: 'row-main'}, block.key), h('span', {class: 'row-side'}, when(block.since))),
      context.mayAct && button('Skip', 'skip', {kind: 'small', onclick: () => askToSkip(context.outbox, block.event, () => (sides.blocked = ''))}));
  }

  function stuckRow(event) {
    return h('li', {}, h('a', {class: 'row-link', href: context.link('event', {id: event.id})}, h('span', {class: 'row-main'}, event.type), h('span', {class: 'row-side'}, event.lockedBy, ' · ', when(event.lockedAt))));
  }

  function show() {
    const o = live.overview;
    if (!o) {
      return;
    }
    showVerdict(o);
    showTiles(o);
    charts.forEach((chart) => chart.set(live.points));
    showErrors(o);
    showOutages(o);
    showUnheard(o);
    showPauses(o);
    showNodes(o);
    showSides(o);
  }

  const stop = live.listen((what) => (what === 'overview' || what === 'state') && show());
  show();
  return {
    title: 'Overview',
    heading: h('h1', {}, 'Overview'),
    element,
    shown: show,
    refresh: async () => live.take(await context.outbox.overview()),
    close: () => {
      stop();
      charts.forEach((chart) => chart.close());
    },
  };
}

function watch(title, content) {
  return h('div', {class: 'watch-part'}, h('h2', {}, title), content);
}

export function routeOf(pause) {
  if (pause.tenant) {
    return 'Tenant ' + pause.tenant;
  }
  if (pause.destination) {
    return 'Destination ' + pause.destination;
  }
  if (!pause.aggregateType && !pause.eventType) {
    return 'Every event';
  }
  return (pause.aggregateType || 'any aggregate') + ' / ' + (pause.eventType || 'any event');
}

function modeOf(node) {
  const mode = node.mode.toLowerCase().replaceAll('_', ' ');
  return node.delivers ? mode + (node.second ? ', not alone' : '') : mode + ', waits';
}
