// One archived event: what it carried and what became of it.

import {h, icon, put} from '../dom.js';
import {button, empty, notice, openDialog, pill, skeleton, toast} from '../ui.js';
import {errorCard, factsCard, headersCard, idLine, payloadCard, timeline} from './event.js';

export function archivedPage(context) {
  const id = context.query.get('id') || '';
  const request = new AbortController();
  const state = h('span', {});
  const title = h('h1', {class: 'event-title'}, 'Archived event');
  const actions = h('div', {class: 'event-actions'});
  const body = h('div', {}, skeleton(6));
  const back = h('a', {class: 'back', href: context.link('archive'), onclick: goBack}, icon('left'), 'Archive');
  const element = h('div', {class: 'event-page'}, back, h('div', {class: 'event-top'}, h('div', {class: 'event-name'}, h('div', {class: 'event-name-line'}, title, state), idLine(id)), actions), body);

  function goBack(e) {
    if (history.length > 1) {
      e.preventDefault();
      history.back();
    }
  }

  function show(event) {
    title.textContent = event.type;
    put(state, pill(event));
    put(actions, context.mayAct && !event.inTable && button('Replay', 'replay', {kind: 'primary', 'data-action': 'replay', onclick: ask}));
    put(
      body,
      event.inTable && notice('warn', 'The outbox table has this event, too: ', h('a', {href: context.link('event', {id})}, 'see it there'), '.'),
      timeline(event),
      h(
        'div',
        {class: 'event-columns'},
        h('div', {class: 'stack'}, event.error && errorCard(event), payloadCard(event, context.outbox.archivedPayloadAddress(id)), headersCard(event)),
        h('div', {class: 'stack'}, factsCard(context, event))));
  }

  function ask() {
    openDialog('Replay this event', (dialog, close) => {
      const problem = h('div', {});
      const go = button('Replay', 'replay', {kind: 'primary', type: 'submit'});
      dialog.append(
        h(
          'form',
          {
            onsubmit: async (e) => {
              e.preventDefault();
              go.disabled = true;
              try {
                const answer = await context.outbox.replayArchived(id);
                close();
                toast(answer.changed ? 'The event is pending again' : 'Nothing was changed: the outbox table has the event', answer.changed ? 'good' : 'bad');
                context.go('event', {id, follow: 'true'});
              } catch (failure) {
                go.disabled = false;
                put(problem, notice('bad', failure.message));
              }
            },
          },
          h('p', {class: 'dialog-text'}, 'Delivers the event again under its id, behind all events of its key. The archive keeps it.'),
          problem,
          h('footer', {class: 'dialog-foot'}, button('Cancel', null, {onclick: close}), go)));
    });
  }

  async function load() {
    try {
      show(await context.outbox.archived(id, request.signal));
    } catch (failure) {
      if (failure.name !== 'AbortError') {
        put(actions);
        put(body, failure.status === 404 ? h('section', {class: 'card'}, empty('search', failure.message)) : notice('bad', failure.message));
      }
    }
  }

  load();
  return {
    title: 'Archived event ' + id,
    heading: h('span', {class: 'crumb'}, 'Archived event'),
    element,
    refresh: load,
    key: (name) => {
      const replay = actions.querySelector('[data-action=replay]');
      if (name === 'Escape') {
        back.click();
        return true;
      }
      if (name === 'p' && replay) {
        replay.click();
        return true;
      }
      return false;
    },
    close: () => request.abort(),
  };
}
