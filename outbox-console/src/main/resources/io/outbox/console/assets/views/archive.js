// The archive: finished events that a purge has kept, searched and replayed.

import {h, icon, put} from '../dom.js';
import {count, plural, shortError} from '../format.js';
import {askForAll} from '../actions.js';
import {button, empty, field, iconButton, linkButton, notice, pill, skeleton, when} from '../ui.js';
import {aggregate, localInput} from './events.js';

const FIELDS = [
  ['type', 'Event type', 'OrderPlaced'],
  ['key', 'Ordering key', ''],
  ['aggregateType', 'Aggregate type', 'Order'],
  ['aggregateId', 'Aggregate id', ''],
];
const PREVIEWED = 200;

export function archivePage(context) {
  let query = context.query;
  let request = null;
  let current = null;
  const inputs = Object.fromEntries(FIELDS.map(([name, , placeholder]) => [name, h('input', {type: 'text', name, placeholder, spellcheck: 'false', autocapitalize: 'none'})]));
  inputs.from = h('input', {type: 'datetime-local', name: 'from'});
  inputs.until = h('input', {type: 'datetime-local', name: 'until'});
  inputs.status = h('select', {name: 'status'}, [['', 'Any'], ['DONE', 'DONE'], ['DEAD', 'DEAD']].map(([value, label]) => h('option', {value}, label)));
  const form = h(
    'form',
    {class: 'more-filters archive-filters', role: 'search', onsubmit: (e) => { e.preventDefault(); apply(); }},
    h('div', {class: 'archive-time'}, field('Created from', inputs.from), field('Created until', inputs.until)),
    FIELDS.map(([name, label]) => field(label, inputs[name])),
    field('Status', inputs.status),
    h('div', {class: 'archive-search'}, button('Search', 'search', {kind: 'primary', type: 'submit'})));
  const listCount = h('span', {class: 'list-count'}, 'Searching …');
  const actions = h('div', {class: 'list-actions'});
  const list = h('div', {class: 'list'}, skeleton(8));
  const foot = h('div', {class: 'list-foot', hidden: true});
  const found = h('section', {class: 'card flush'}, h('div', {class: 'list-bar'}, listCount, actions), list, foot);
  const element = h('div', {class: 'events'}, form, found);

  /** What stands in the form becomes the address. */
  function apply() {
    const next = new URLSearchParams();
    Object.entries(inputs).forEach(([name, input]) => {
      const value = input.value.trim();
      if (value) {
        next.set(name, name === 'from' || name === 'until' ? new Date(value).toISOString() : value);
      }
    });
    context.go('archive', next);
  }

  function filter() {
    const wanted = new URLSearchParams(query);
    wanted.delete('after');
    return wanted;
  }

  function showForm() {
    Object.entries(inputs).forEach(([name, input]) => {
      input.value = name === 'from' || name === 'until' ? localInput(query.get(name)) : query.get(name) || '';
    });
  }

  /** Some of them first, then all, up to a bound. */
  function replayAll() {
    askForAll(context, 'archive replay', filter(), () => {}, {
      preview: async (outbox, name, wanted) => {
        const asked = new URLSearchParams(wanted);
        asked.set('limit', PREVIEWED);
        const page = await outbox.archive(asked);
        return {count: {value: page.events.length, precision: page.next ? 'AT_LEAST' : 'EXACT'}, sample: page.events.slice(0, 10)};
      },
      begin: (outbox, name, wanted, expected) => outbox.beginArchived(wanted, expected),
      unfinished: 'The newest archived events do not match. The action itself reads all of them, the oldest first.',
      vague: Boolean(current.next),
    });
  }

  function row(event) {
    return h(
      'li',
      {class: 'event-row', 'data-id': event.id},
      h('span', {class: 'cell-state'}, pill(event)),
      h('span', {class: 'cell-type'}, h('a', {class: 'event-link', href: context.link('archived', {id: event.id})}, event.type), h('code', {class: 'event-id'}, event.id)),
      h('span', {class: 'cell-aggregate'}, aggregate(event)),
      h('span', {class: 'cell-attempts', title: 'Failed attempts'}, event.attempts ? count(event.attempts) + '×' : ''),
      h('span', {class: 'cell-time'}, when(event.createdAt)),
      h('span', {class: 'cell-next finished', title: 'Finished'}, event.doneAt ? when(event.doneAt) : ''),
      h('span', {class: 'cell-error'}, event.error && h('span', {class: 'error-line', title: event.error}, shortError(event.error))));
  }

  function show() {
    const filtered = [...filter()].length > 0;
    form.hidden = false;
    listCount.textContent = (current.events.length ? plural(current.events.length, 'event') : 'No events') + (current.next || query.get('after') ? ' on this page' : '');
    put(
      actions,
      iconButton('Refresh (r)', 'refresh', {onclick: load}),
      context.mayAct && current.events.length > 0 && button('Replay found', 'replay', {kind: 'small', 'data-replay-found': true, disabled: !filtered, title: filtered ? 'Up to ' + count(current.maxReplayed) + ' events at a time' : 'Search for some events first', onclick: replayAll}));
    put(
      list,
      current.events.length
        ? [
            h('div', {class: 'event-head', 'aria-hidden': 'true'}, ['State', 'Event', 'Aggregate, key', 'Failed', 'Created', 'Finished', 'Last error'].map((label) => h('span', {}, label))),
            h('ul', {class: 'event-list'}, current.events.map(row)),
          ]
        : empty('archive', current.scanLimited ? 'Nothing found so far.' : filtered ? 'No archived event matches.' : 'The archive is empty.', current.scanLimited ? null : filtered ? 'Try fewer filters.' : 'A purge moves finished events here.'));
    showFoot();
  }

  function showFoot() {
    const next = new URLSearchParams(query);
    next.set('after', current.next);
    put(
      foot,
      current.scanLimited && h('p', {class: 'scan-note'}, icon('alert'), 'The search looked at ' + count(current.scanned) + ' events and stopped at its limit. There may be more.'),
      h(
        'div',
        {class: 'pager'},
        query.get('after') && linkButton('Newest', null, context.link('archive', filter()), 'small'),
        current.next && linkButton(current.scanLimited ? 'Continue the search' : 'Next page', 'right', context.link('archive', next), current.scanLimited ? 'primary' : 'small')));
    foot.hidden = !current.scanLimited && !current.next && !query.get('after');
  }

  /** How to get one. */
  function showNone(configured) {
    form.hidden = true;
    put(
      found,
      empty('archive', configured ? 'The archive is not there yet.' : 'This outbox has no archive.', 'With one, a purge moves finished events to a table or to files instead of deleting them.'),
      h(
        'ol',
        {class: 'steps'},
        step('Create its table', 'outbox schema create --archive', 'or use files, which need no table'),
        step('Let the purge archive', 'ArchivingPurger.toTable("outbox_event")', ['in Spring Boot ', h('code', {}, 'outbox.purge.archive.to=table')]),
        step('Show it here', 'OutboxConsole.builder().archive(name, archive)', 'the command line and Spring Boot do this by themselves')));
  }

  function step(what, code, otherwise) {
    return h('li', {}, h('b', {}, what), h('code', {}, code), h('span', {class: 'faint'}, otherwise));
  }

  async function load() {
    if (request) {
      request.abort();
    }
    request = new AbortController();
    list.classList.add('loading');
    try {
      const page = await context.outbox.archive(query, request.signal);
      if (page.events) {
        current = page;
        show();
      } else {
        showNone(page.configured);
      }
    } catch (failure) {
      if (failure.name === 'AbortError') {
        return;
      }
      put(actions);
      put(foot);
      put(list, notice('bad', failure.message));
      listCount.textContent = '';
    }
    list.classList.remove('loading');
  }

  // a click anywhere in a row opens it, except on what has a meaning of its own
  list.addEventListener('click', (e) => {
    const clicked = e.target.closest('.event-row');
    if (clicked && !e.target.closest('a, button') && !String(window.getSelection())) {
      clicked.querySelector('.event-link').click();
    }
  });

  showForm();
  load();
  return {
    title: 'Archive',
    heading: h('h1', {}, 'Archive'),
    element,
    refresh: load,
    update: (next) => {
      query = next;
      showForm();
      load();
      window.scrollTo(0, 0);
      return true;
    },
    close: () => request && request.abort(),
  };
}
