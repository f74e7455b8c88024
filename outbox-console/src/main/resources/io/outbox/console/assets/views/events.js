// The list: filters in the address, pages by cursor, actions on some or all.

import {h, icon, put} from '../dom.js';
import {count, exact, plural, shortError} from '../format.js';
import {ACTIONS, applicable, askForAll, askForSome} from '../actions.js';
import {button, empty, field, iconButton, linkButton, menuButton, notice, pill, skeleton, when} from '../ui.js';

const STATES = [['', 'All'], ['PENDING', 'Pending'], ['LEASED', 'Leased'], ['DONE', 'Done'], ['DEAD', 'Dead']];
const RANGES = [['', 'Any time'], ['15m', 'Last 15 minutes'], ['1h', 'Last hour'], ['24h', 'Last 24 hours'], ['7d', 'Last 7 days'], ['custom', 'Between …']];
const MILLIS = {'15m': 9e5, '1h': 36e5, '24h': 864e5, '7d': 6048e5};
const FIELDS = [
  ['type', 'Event type', 'OrderPlaced'],
  ['aggregateType', 'Aggregate type', 'Order'],
  ['aggregateId', 'Aggregate id', ''],
  ['tenant', 'Tenant', ''],
  ['key', 'Ordering key', ''],
  ['id', 'Id begins with', ''],
];
const LABELS = {
  state: 'State', status: 'Status', error: 'Error', errorPattern: 'Errors like', type: 'Type', aggregateType: 'Aggregate type', aggregateId: 'Aggregate id', tenant: 'Tenant',
  key: 'Key', id: 'Id', attempts: 'Attempts ≥', from: 'From', until: 'Until', last: 'Created', stuck: 'Stuck leases', leased: 'Leased',
};

/** What the server understands: "the last hour" becomes a time. */
export function serverFilter(query) {
  const filter = new URLSearchParams(query);
  filter.delete('after');
  const last = filter.get('last');
  filter.delete('last');
  if (MILLIS[last]) {
    filter.set('from', new Date(Date.now() - MILLIS[last]).toISOString());
  }
  return filter;
}

/** The aggregate of an event in a list, and below it key and tenant. */
export function aggregate(event) {
  const name = event.aggregateType && event.aggregateType !== '__GLOBAL__' ? event.aggregateType : null;
  const text = [name, event.aggregateId].filter(Boolean).join(' ');
  const second = [event.key && 'key ' + event.key, event.tenant && 'tenant ' + event.tenant].filter(Boolean).join(' · ');
  return [h('span', {class: 'clip', title: text}, text || '–'), second && h('span', {class: 'clip faint', title: second}, second)];
}

export function localInput(iso) {
  if (!iso) {
    return '';
  }
  const date = new Date(iso);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

export function eventsPage(context) {
  let query = context.query;
  let request = null;
  let current = null;
  const selected = new Map();
  // on a phone they would hide the list; the chips say what is set
  let moreOpen = innerWidth > 760 && (FIELDS.some(([name]) => query.has(name)) || ['attempts', 'status', 'from', 'until'].some((name) => query.has(name)));

  const search = h('input', {type: 'search', placeholder: 'Error contains …', 'aria-label': 'Error contains', name: 'error', spellcheck: 'false'});
  const range = h('select', {'aria-label': 'Created', name: 'last'}, RANGES.map(([value, label]) => h('option', {value}, label)));
  const states = h('div', {class: 'segments', role: 'group', 'aria-label': 'State'});
  const inputs = Object.fromEntries(FIELDS.map(([name, , placeholder]) => [name, h('input', {type: 'text', name, placeholder, spellcheck: 'false', autocapitalize: 'none'})]));
  inputs.attempts = h('input', {type: 'number', name: 'attempts', min: 0});
  inputs.status = h('select', {name: 'status'}, [['', 'Any'], ['NEW', 'NEW'], ['RETRY', 'RETRY'], ['DONE', 'DONE'], ['DEAD', 'DEAD'], ['NEW,RETRY', 'NEW or RETRY'], ['RETRY,DEAD', 'RETRY or DEAD']].map(([value, label]) => h('option', {value}, label)));
  inputs.from = h('input', {type: 'datetime-local', name: 'from'});
  inputs.until = h('input', {type: 'datetime-local', name: 'until'});
  const moreToggle = button('Filters', 'filter', {'aria-expanded': 'false', onclick: () => openMore(!moreOpen), title: 'All filters (f)'});
  const more = h(
    'div',
    {class: 'more-filters'},
    FIELDS.map(([name, label]) => field(label, inputs[name])),
    field('Attempts at least', inputs.attempts),
    field('Status in the table', inputs.status),
    field('Created from', inputs.from),
    field('Created until', inputs.until),
    h('div', {class: 'more-foot'}, button('Search', 'search', {kind: 'primary', type: 'submit'})));
  const form = h(
    'form',
    {class: 'filters', role: 'search', onsubmit: (e) => { e.preventDefault(); apply(); }},
    states,
    h('div', {class: 'filter-row'}, h('div', {class: 'search'}, icon('search'), search), range, moreToggle),
    more);
  const chips = h('div', {class: 'chips'});
  const listCount = h('span', {class: 'list-count'});
  const bar = h('div', {class: 'list-bar'});
  let barOf = null;
  const list = h('div', {class: 'list', 'aria-live': 'off'});
  const foot = h('div', {class: 'list-foot'});
  const element = h('div', {class: 'events'}, form, chips, h('section', {class: 'card flush'}, bar, list, foot));

  range.addEventListener('change', () => {
    if (range.value === 'custom') {
      openMore(true);
      inputs.from.focus();
    } else {
      inputs.from.value = inputs.until.value = '';
      apply();
    }
  });
  inputs.status.addEventListener('change', apply);

  function openMore(yes) {
    moreOpen = yes;
    more.hidden = !yes;
    moreToggle.setAttribute('aria-expanded', String(yes));
    moreToggle.classList.toggle('active', yes);
  }

  /** What stands in the form becomes the address. */
  function apply() {
    const next = new URLSearchParams();
    const state = query.get('state');
    if (state && !inputs.status.value) {
      next.set('state', state);
    }
    if (query.get('stuck')) {
      next.set('stuck', 'true');
    }
    if (query.get('errorPattern')) {
      next.set('errorPattern', query.get('errorPattern'));
    }
    const set = (name, value) => value && next.set(name, value);
    set('error', search.value.trim());
    Object.entries(inputs).forEach(([name, input]) => {
      const value = input.value.trim();
      set(name, value && (name === 'from' || name === 'until') ? new Date(value).toISOString() : value);
    });
    if (!next.has('from') && !next.has('until') && range.value !== 'custom') {
      set('last', range.value);
    }
    context.go('events', next);
  }

  function without(...names) {
    const next = new URLSearchParams(query);
    [...names, 'after'].forEach((name) => next.delete(name));
    return next;
  }

  function showForm() {
    search.value = query.get('error') || '';
    Object.entries(inputs).forEach(([name, input]) => {
      input.value = name === 'from' || name === 'until' ? localInput(query.get(name)) : query.get(name) || '';
    });
    range.value = query.has('from') || query.has('until') ? 'custom' : query.get('last') || '';
    const state = query.get('state') || '';
    put(
      states,
      STATES.map(([value, label]) => {
        const next = without('state', 'status', 'stuck');
        if (value) {
          next.set('state', value);
        }
        return h('a', {class: 'segment', href: context.link('events', next), 'data-state': value || null, 'aria-current': value === state && !query.get('status') && !query.get('stuck') ? 'true' : null}, value && h('i', {class: 'dot'}), label);
      }));
    const active = [...query].filter(([name]) => LABELS[name] && name !== 'state');
    put(
      chips,
      active.map(([name, value]) =>
        h('a', {class: 'chip', href: context.link('events', without(name)), 'aria-label': 'Remove the filter ' + LABELS[name]}, LABELS[name], h('b', {}, chipText(name, value)), icon('close'))),
      active.length > 1 && h('a', {class: 'chip-clear', href: context.link('events')}, 'Clear all'));
    chips.hidden = !active.length;
    openMore(moreOpen);
  }

  function chipText(name, value) {
    if (name === 'last') {
      return (RANGES.find(([each]) => each === value) || [value, value])[1].toLowerCase();
    }
    return name === 'from' || name === 'until' ? exact(value) : name === 'stuck' ? 'yes' : value;
  }

  /** The actions are only made anew when others are needed: a menu that is open stays open. */
  function showBar() {
    const some = selected.size;
    listCount.textContent = some ? plural(some, 'event') + ' selected' : current ? pageText(current) : 'Searching …';
    const wanted = [...selected.keys()].join(' ');
    if (bar.firstChild && wanted === barOf) {
      return;
    }
    barOf = wanted;
    put(
      bar,
      listCount,
      h(
        'div',
        {class: 'list-actions'},
        iconButton('Refresh (r)', 'refresh', {onclick: load}),
        context.mayAct && (some ? selectionActions() : menuButton('Act on all', 'replay', allActions(), {kind: 'small', title: 'Act on all that match (b)', 'data-bulk': true}))));
  }

  function pageText(page) {
    const n = page.events.length;
    return (n === 0 ? 'No events' : plural(n, 'event')) + (page.next || query.get('after') ? ' on this page' : '');
  }

  function allActions() {
    return Object.entries(ACTIONS).map(([name, action]) => ({
      label: action.label + ' all matching …',
      icon: action.icon,
      kind: action.danger ? 'danger' : '',
      run: () => askForAll(context, name, serverFilter(query), (changed) => changed && load()),
    }));
  }

  function selectionActions() {
    const events = [...selected.values()];
    const names = Object.keys(ACTIONS).filter((name) => events.some((event) => applicable(event).includes(name)));
    return [
      names.map((name) =>
        button(ACTIONS[name].label, ACTIONS[name].icon, {
          kind: 'small' + (ACTIONS[name].danger ? ' danger-text' : ''),
          onclick: () => askForSome(context.outbox, name, events, () => { selected.clear(); load(); }),
        })),
      button('Clear', 'close', {kind: 'small', onclick: () => { selected.clear(); showList(); }}),
    ];
  }

  function toggle(event) {
    if (selected.has(event.id)) {
      selected.delete(event.id);
    } else {
      selected.set(event.id, event);
    }
    showBar();
  }

  function row(event) {
    const check = context.mayAct && h('input', {type: 'checkbox', 'aria-label': 'Select ' + event.id, checked: selected.has(event.id), onchange: () => toggle(event)});
    const link = context.link('event', {id: event.id});
    return h(
      'li',
      {class: 'event-row', 'data-id': event.id},
      check && h('span', {class: 'cell-check'}, check),
      h('span', {class: 'cell-state'}, pill(event)),
      h('span', {class: 'cell-type'}, h('a', {class: 'event-link', href: link}, event.type), h('code', {class: 'event-id'}, event.id)),
      h('span', {class: 'cell-aggregate'}, aggregate(event)),
      h('span', {class: 'cell-attempts', title: 'Failed attempts'}, event.attempts ? count(event.attempts) + '×' : ''),
      h('span', {class: 'cell-time'}, when(event.createdAt)),
      h('span', {class: 'cell-next', title: 'Next attempt'}, next(event)),
      h('span', {class: 'cell-error'}, event.error && h('span', {class: 'error-line', title: event.error}, shortError(event.error)), note(event)));
  }

  function note(event) {
    if (event.lockedBy) {
      return h('span', {class: 'waits-line'}, 'leased by ' + event.lockedBy);
    }
    if (event.waitsFor && event.waitsFor.obstacle) {
      return h('span', {class: 'waits-line obstacle', title: event.waitsFor.what}, 'waits for ' + event.waitsFor.what);
    }
    return null;
  }

  function next(event) {
    if (event.status !== 'NEW' && event.status !== 'RETRY') {
      return '';
    }
    return event.lockedBy ? 'leased' : Date.parse(event.availableAt) > Date.now() ? when(event.availableAt) : when(event.availableAt, 'due');
  }

  function showList() {
    showBar();
    const page = current;
    if (!page.events.length) {
      put(list, empty('search', page.scanLimited ? 'Nothing found so far.' : 'No event matches.', page.scanLimited ? null : [...query].length ? 'Try fewer filters.' : 'The table is empty.'));
    } else {
      put(
        list,
        h('div', {class: 'event-head', 'aria-hidden': 'true'}, context.mayAct && h('span', {}), h('span', {}, 'State'), h('span', {}, 'Event'), h('span', {}, 'Aggregate, key'), h('span', {}, 'Failed'), h('span', {}, 'Created'), h('span', {}, 'Next attempt'), h('span', {}, 'Last error, waits for')),
        h('ul', {class: 'event-list' + (context.mayAct ? ' selectable' : '')}, page.events.map(row)));
    }
    showFoot(page);
  }

  function showFoot(page) {
    const next = new URLSearchParams(query);
    if (page.next) {
      next.set('after', page.next);
    }
    put(
      foot,
      page.scanLimited &&
        h('p', {class: 'scan-note'}, icon('alert'), 'The search looked at ' + count(page.scanned) + ' rows and stopped at its limit. There may be more.'),
      h(
        'div',
        {class: 'pager'},
        query.get('after') && linkButton('Newest', null, context.link('events', without()), 'small'),
        page.next && linkButton(page.scanLimited ? 'Continue the search' : 'Next page', 'right', context.link('events', next), page.scanLimited ? 'primary' : 'small')));
    foot.hidden = !page.scanLimited && !page.next && !query.get('after');
  }

  async function load() {
    if (request) {
      request.abort();
    }
    request = new AbortController();
    list.classList.add('loading');
    if (!current) {
      put(list, skeleton(8));
      showBar();
    }
    try {
      const ask = serverFilter(query);
      if (query.get('after')) {
        ask.set('after', query.get('after'));
      }
      current = await context.outbox.events(ask, request.signal);
      showList();
    } catch (failure) {
      if (failure.name === 'AbortError') {
        return;
      }
      current = null;
      put(list, notice('bad', failure.message));
      put(foot);
      put(bar);
    }
    list.classList.remove('loading');
  }

  function move(step) {
    const links = [...list.querySelectorAll('.event-link')];
    if (links.length) {
      const at = links.indexOf(document.activeElement);
      links[at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.max(0, Math.min(links.length - 1, at + step))].focus();
    }
  }

  function key(name) {
    const inList = document.activeElement && document.activeElement.closest('.event-row');
    const bulk = bar.querySelector('[data-bulk]');
    const next = foot.querySelector('.pager a:last-child');
    switch (name) {
      case '/':
        search.focus();
        search.select();
        return true;
      case 'f':
        openMore(!moreOpen);
        if (moreOpen) {
          inputs.type.focus();
        }
        return true;
      case 'j':
      case 'k':
        move(name === 'j' ? 1 : -1);
        return true;
      case 'x':
        if (inList && inList.querySelector('input')) {
          inList.querySelector('input').click();
        }
        return Boolean(inList);
      case 'n':
        if (next && current && current.next) {
          next.click();
        }
        return Boolean(next);
      case 'b':
        if (bulk) {
          bulk.click();
        }
        return Boolean(bulk);
      default:
        return false;
    }
  }

  // a click anywhere in a row opens it, except on what has a meaning of its own
  list.addEventListener('click', (e) => {
    const clicked = e.target.closest('.event-row');
    if (clicked && !e.target.closest('a, input, button, .cell-check') && !String(window.getSelection())) {
      clicked.querySelector('.event-link').click();
    }
  });

  showForm();
  load();
  return {
    title: 'Events',
    heading: h('h1', {}, 'Events'),
    element,
    key,
    refresh: load,
    update: (next) => {
      query = next;
      selected.clear();
      showForm();
      load();
      window.scrollTo(0, 0);
      return true;
    },
    close: () => request && request.abort(),
  };
}
