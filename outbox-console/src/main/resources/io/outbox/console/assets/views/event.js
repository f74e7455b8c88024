// One event: what it carries, what became of it, and who stands beside it.

import {h, icon, put} from '../dom.js';
import {bytes, count, duration, exact, plural} from '../format.js';
import {ACTIONS, applicable, askForSome, askToSkip} from '../actions.js';
import {asText, decodeBase64, hexDump, prettyJson} from '../json.js';
import {button, card, copyButton, empty, iconButton, notice, pill, skeleton, when} from '../ui.js';

const HEX_SHOWN = 4096;
const FOLLOW_FOR = 20;

export function eventPage(context) {
  const id = context.query.get('id') || '';
  const request = new AbortController();
  const state = h('span', {});
  const title = h('h1', {class: 'event-title'}, 'Event');
  const original = h('div', {});
  const actions = h('div', {class: 'event-actions'});
  const body = h('div', {});
  const neighbors = h('div', {}, skeleton(3));
  const back = h('a', {class: 'back', href: context.link('events'), onclick: goBack}, icon('left'), 'Events');
  const element = h('div', {class: 'event-page'}, back, h('div', {class: 'event-top'}, h('div', {class: 'event-name'}, h('div', {class: 'event-name-line'}, title, state), idLine(id), original), actions), body);
  let event = null;
  let followed = context.query.get('follow') ? FOLLOW_FOR : 0;
  let timer = null;

  function goBack(e) {
    if (history.length > 1) {
      e.preventDefault();
      history.back();
    }
  }

  function showActions() {
    const names = applicable(event);
    // where it does something: a dead event that holds up its key
    const skippable = event.blocksKey;
    put(
      actions,
      iconButton('Refresh (r)', 'refresh', {onclick: load}),
      context.mayAct &&
        names.map((name) =>
          button(ACTIONS[name].label, ACTIONS[name].icon, {
            kind: name === 'replay' ? 'primary' : ACTIONS[name].danger ? 'danger-text' : '',
            'data-action': name,
            onclick: () => askForSome(context.outbox, name, [event], follow),
          })),
      context.mayAct && skippable && button('Skip', 'skip', {onclick: () => askToSkip(context.outbox, id, follow), title: 'Let its key continue past it'}));
  }

  /** After an action: look until it has come to rest. */
  function follow() {
    followed = FOLLOW_FOR;
    load();
  }

  function show() {
    title.textContent = event.type;
    put(state, pill(event));
    put(original, event.copyOf && originalLine(context, event.copyOf));
    showActions();
    put(
      body,
      timeline(event),
      h(
        'div',
        {class: 'event-columns'},
        h('div', {class: 'stack'}, event.error && errorCard(event), payloadCard(event, context.outbox.payloadAddress(id)), headersCard(event)),
        h('div', {class: 'stack'}, event.copies.length > 0 && copiesCard(context, event), factsCard(context, event), card('Same key', h('span', {class: 'faint clip', title: event.deliveryKey}, event.deliveryKey === event.id ? '' : event.deliveryKey), neighbors))));
  }

  async function load() {
    clearTimeout(timer);
    try {
      const before = event && JSON.stringify(event);
      event = await context.outbox.event(id, request.signal);
      if (JSON.stringify(event) !== before) {
        show();
        loadNeighbors();
      }
      if (followed-- > 0 && event.status !== 'DONE' && event.status !== 'DEAD') {
        timer = setTimeout(load, 500);
      }
    } catch (failure) {
      if (failure.name !== 'AbortError') {
        put(actions);
        put(body, failure.status === 404 ? h('section', {class: 'card'}, empty('search', failure.message)) : notice('bad', failure.message));
      }
    }
  }

  async function loadNeighbors() {
    try {
      const answer = await context.outbox.neighbors(id, request.signal);
      showNeighbors(answer.events);
    } catch (failure) {
      if (failure.name !== 'AbortError') {
        put(neighbors, h('p', {class: 'quiet'}, failure.message));
      }
    }
  }

  function showNeighbors(others) {
    if (!others.length) {
      put(neighbors, h('p', {class: 'quiet'}, event.deliveryKey === event.id ? 'This event has no key.' : 'No other event of its key is nearby.'));
      return;
    }
    const all = [...others, event].sort((a, b) => a.seq - b.seq);
    put(
      neighbors,
      h(
        'ol',
        {class: 'neighbors'},
        all.map((each) =>
          h(
            'li',
            {class: each.id === id ? 'self' : null},
            h('i', {class: 'node', 'data-state': each.state, 'data-status': each.status}),
            each.id === id ? h('span', {class: 'row-main'}, each.type, ' (this one)') : h('a', {class: 'row-main', href: context.link('event', {id: each.id})}, each.type),
            h('span', {class: 'row-side'}, when(each.createdAt))))));
  }

  load();
  return {
    title: 'Event ' + id,
    heading: h('span', {class: 'crumb'}, 'Event'),
    element,
    refresh: load,
    key: (name) => {
      if (name === 'Escape') {
        back.click();
        return true;
      }
      const replay = actions.querySelector('[data-action=replay]');
      if (name === 'p' && replay) {
        replay.click();
        return true;
      }
      if (name === 'y') {
        element.querySelector('.event-id-line .icon-button').click();
        return true;
      }
      return false;
    },
    close: () => {
      clearTimeout(timer);
      request.abort();
    },
  };
}

/** Which event a copy was made of, and for whom. */
function originalLine(context, copyOf) {
  return h('p', {class: 'copy-of'}, icon('subscriptions'), h('span', {}, 'Copy for the subscription ', h('b', {}, copyOf.subscription), ' of event ', h('a', {href: context.link('event', {id: copyOf.id})}, h('code', {}, copyOf.id))));
}

/** What became of the event in each subscription. */
function copiesCard(context, event) {
  return card(
    'Subscriptions',
    h('a', {class: 'faint', href: context.link('subscriptions')}, 'All'),
    h(
      'ul',
      {class: 'rows copies'},
      event.copies.map((copy) =>
        copy.event
          ? h(
              'li',
              {},
              h(
                'a',
                {class: 'row-link', href: context.link('event', {id: copy.id})},
                h('span', {class: 'row-main'}, copy.subscription),
                copy.event.attempts > 0 && h('span', {class: 'row-side'}, plural(copy.event.attempts, 'failure')),
                h('span', {class: 'copy-state'}, pill(copy.event))))
          : h('li', {title: 'Not written, or purged'}, h('span', {class: 'row-main'}, copy.subscription), h('span', {class: 'row-side'}, copy.ended ? 'ended' : 'no copy in the table')))));
}

export function idLine(id) {
  return h('div', {class: 'event-id-line'}, h('code', {}, id), copyButton(id, 'Copy the id'));
}

export function timeline(event) {
  const now = Date.now();
  const steps = [['Written', event.createdAt, 'past']];
  if (event.replayedAt) {
    steps.push(['Replayed', event.replayedAt, 'past']);
  }
  if (event.status === 'NEW' || event.status === 'RETRY') {
    if (event.lockedAt) {
      steps.push(['Leased', event.lockedAt, 'claimed']);
    } else {
      const due = Date.parse(event.availableAt) <= now;
      steps.push([event.status === 'RETRY' ? (due ? 'Retry is due' : 'Next attempt') : due ? 'Due' : 'Due at', event.availableAt, due ? 'retry' : 'future']);
    }
    steps.push(['Done', null, 'open']);
  } else {
    steps.push([event.status === 'DONE' ? 'Done' : 'Dead', event.doneAt, event.status === 'DONE' ? 'published' : 'dead']);
  }
  const taken = event.doneAt ? Date.parse(event.doneAt) - Date.parse(event.replayedAt || event.createdAt) : null;
  return h(
    'section',
    {class: 'card timeline'},
    h('ol', {}, steps.map(([label, time, kind]) => h('li', {'data-kind': kind}, h('span', {class: 'step-label'}, label), h('span', {class: 'step-time'}, time ? exact(time) : '–'), time && h('span', {class: 'step-ago'}, when(time))))),
    event.waitsFor && h('p', {class: 'taken waits'}, waitsFor(event.waitsFor)),
    taken !== null && taken >= 0 && h('p', {class: 'taken'}, (event.status === 'DONE' ? 'Delivered after ' : 'Given up after ') + duration(taken)));
}

const UNTIL = {OUTAGE: 'next trial at', RETRY: 'at'};

function waitsFor(reason) {
  return ['Waits for ' + reason.what, reason.since && [', since ', exact(reason.since)], reason.until && [', ' + (UNTIL[reason.kind] || 'until') + ' ', exact(reason.until)], '.'];
}

export function errorCard(event) {
  return h(
    'section',
    {class: 'card error-card'},
    h('header', {class: 'card-head'}, h('h2', {}, event.status === 'DEAD' ? 'Why it is dead' : 'Last error'), h('span', {class: 'tools'}, h('span', {class: 'faint'}, event.attempts === 1 ? '1 failed attempt' : count(event.attempts) + ' failed attempts'), copyButton(event.error, 'Copy the error'))),
    h('pre', {class: 'code wrap'}, event.error));
}

export function factsCard(context, event) {
  const link = (name, value) => (value ? h('a', {href: context.link('events', {[name]: value})}, value) : null);
  const facts = [
    ['Aggregate type', event.aggregateType === '__GLOBAL__' ? null : link('aggregateType', event.aggregateType)],
    ['Aggregate id', link('aggregateId', event.aggregateId)],
    ['Tenant', link('tenant', event.tenant)],
    ['Ordering key', link('key', event.key)],
    ['Partition key', event.partitionKey],
    ['Content type', event.contentType],
    ['Failed attempts', count(event.attempts)],
    ['Claims without outcome', event.claims || event.starts ? event.claims + (event.starts ? ', started alone ' + event.starts + '×' : '') : null],
    ['Leased by', event.lockedBy],
    [event.status === 'NEW' || event.status === 'RETRY' ? 'Next attempt' : 'Available from', exact(event.availableAt)],
    ['Sequence', count(event.seq)],
  ];
  return card('Facts', null, h('dl', {class: 'facts'}, facts.filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value)))));
}

export function headersCard(event) {
  let headers = null;
  try {
    headers = event.headers ? Object.entries(JSON.parse(event.headers)) : [];
  } catch (e) {
    headers = null; // shown as they are
  }
  if (event.headersHidden) {
    return card('Headers', null, h('p', {class: 'quiet'}, 'Hidden by the payload mask.'));
  }
  if (headers === null) {
    return card('Headers', null, h('pre', {class: 'code wrap'}, event.headers));
  }
  if (!headers.length) {
    return card('Headers', null, h('p', {class: 'quiet'}, 'None.'));
  }
  return card('Headers', h('span', {class: 'faint'}, count(headers.length)), h('dl', {class: 'facts mono'}, headers.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, typeof value === 'string' ? value : JSON.stringify(value))))));
}

/** The ways to look at a payload: [label, element or text]. */
function waysToSee(event) {
  const payload = event.payload;
  if (payload.kind === 'text') {
    const pretty = payload.cut ? null : prettyJson(payload.text);
    return {ways: [...(pretty ? [['Pretty', pretty]] : []), ['Raw', payload.text]], copy: payload.text};
  }
  const data = decodeBase64(payload.base64);
  const text = asText(data);
  const pretty = text !== null && !payload.cut ? prettyJson(text) : null;
  const ways = [];
  if (pretty) {
    ways.push(['Pretty', pretty]);
  }
  if (text !== null && /[\p{L}\p{N}]/u.test(text)) {
    ways.push(['Text', text]);
  }
  ways.push(['Hex', hexDump(data.subarray(0, HEX_SHOWN)) + (data.length > HEX_SHOWN ? '\n…' : '')], ['Base64', payload.base64.replace(/.{76}/g, '$&\n')]);
  return {ways, copy: payload.base64};
}

/** address: where all of it can be downloaded. */
export function payloadCard(event, address) {
  const payload = event.payload;
  if (payload.kind === 'hidden' || payload.kind === 'none') {
    return card('Payload', null, payload.kind === 'hidden' ? h('p', {class: 'quiet masked'}, icon('lock'), 'Hidden by the payload mask.') : h('p', {class: 'quiet'}, 'None.'));
  }
  const {ways, copy} = waysToSee(event);
  const code = h('pre', {class: 'code payload', tabindex: '0'});
  const tabs = h('div', {class: 'tabs', role: 'tablist', 'aria-label': 'How the payload is shown'});
  const select = (index) => {
    [...tabs.children].forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === index));
      tab.tabIndex = i === index ? 0 : -1;
    });
    code.classList.toggle('wrap', ways[index][0] === 'Raw' || ways[index][0] === 'Text');
    put(code, ways[index][1]);
  };
  ways.forEach(([label], i) => tabs.append(h('button', {type: 'button', role: 'tab', class: 'tab', onclick: () => select(i)}, label)));
  tabs.addEventListener('keydown', (e) => {
    const all = [...tabs.children];
    const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? all.length - 1 : 0;
    if (step) {
      const next = (all.indexOf(document.activeElement) + step) % all.length;
      select(next);
      all[next].focus();
    }
  });
  select(0);
  return h(
    'section',
    {class: 'card payload-card'},
    h(
      'header',
      {class: 'card-head'},
      h('h2', {}, 'Payload'),
      tabs,
      h('span', {class: 'tools'}, payload.masked && h('span', {class: 'masked-note'}, icon('lock'), 'masked'), h('span', {class: 'faint'}, bytes(payload.size)), copyButton(copy, 'Copy the payload'), h('a', {class: 'icon-button', href: address, download: '', 'aria-label': 'Download the payload', title: 'Download the payload'}, icon('download')))),
    payload.cut && h('p', {class: 'quiet'}, 'Only the beginning is shown; download the payload to see the rest.'),
    code);
}
