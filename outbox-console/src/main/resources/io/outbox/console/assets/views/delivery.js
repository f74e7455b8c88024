// Pauses: what is not delivered for now, on any node.

import {h, icon, put} from '../dom.js';
import {button, card, empty, field, notice, openDialog, skeleton, toast, when} from '../ui.js';
import {routeOf} from './overview.js';

export function deliveryPage(context) {
  const list = h('div', {}, skeleton(3));
  const element = h(
    'div',
    {class: 'delivery'},
    h('p', {class: 'lead'}, 'A pause halts delivery of some types on all nodes, within seconds, even after restarts. Running deliveries finish; all other events of these types wait in the table.'),
    card('Paused delivery', context.mayAct && button('Pause delivery', 'pause', {kind: 'primary small', onclick: ask}), list));

  function ask() {
    openDialog('Pause delivery', (body, close) => {
      const aggregateType = h('input', {type: 'text', name: 'aggregateType', placeholder: 'Any', spellcheck: 'false', autocapitalize: 'none'});
      const eventType = h('input', {type: 'text', name: 'eventType', placeholder: 'Any', spellcheck: 'false', autocapitalize: 'none'});
      const reason = h('input', {type: 'text', name: 'reason', maxlength: 500, placeholder: 'Shown to other operators'});
      const problem = h('div', {});
      const warning = h('div', {});
      const warn = () => put(warning, !aggregateType.value.trim() && !eventType.value.trim() && notice('warn', 'Without a type, the pause halts all delivery.'));
      aggregateType.addEventListener('input', warn);
      eventType.addEventListener('input', warn);
      warn();
      body.append(
        h(
          'form',
          {
            onsubmit: async (e) => {
              e.preventDefault();
              try {
                const answer = await context.outbox.pause(aggregateType.value.trim(), eventType.value.trim(), reason.value.trim());
                close();
                toast(answer.changed ? 'Delivery is paused' : 'It was already paused', answer.changed ? 'good' : 'bad');
                load();
              } catch (failure) {
                put(problem, notice('bad', failure.message));
              }
            },
          },
          field('Aggregate type', aggregateType),
          field('Event type', eventType),
          field('Reason', reason),
          warning,
          problem,
          h('footer', {class: 'dialog-foot'}, button('Cancel', null, {onclick: close}), button('Pause', 'pause', {kind: 'primary', type: 'submit'}))));
    });
  }

  async function resume(pause) {
    try {
      await context.outbox.resume(pause.aggregateType, pause.eventType);
      toast('Delivery continues');
    } catch (failure) {
      toast(failure.message, 'bad');
    }
    load();
  }

  async function load() {
    try {
      show((await context.outbox.pauses()).pauses);
    } catch (failure) {
      put(list, notice('bad', failure.message));
    }
  }

  function show(pauses) {
    put(
      list,
      pauses.length
        ? h(
            'ul',
            {class: 'pauses'},
            pauses.map((pause) =>
              h(
                'li',
                {class: 'pause'},
                h('span', {class: 'pause-icon'}, icon('pause')),
                h('div', {class: 'pause-text'}, h('strong', {}, routeOf(pause)), h('span', {class: 'faint'}, 'by ' + pause.by + ', ', when(pause.since), pause.reason && [': ', pause.reason])),
                context.mayAct && button('Resume', 'play', {onclick: () => resume(pause)}))))
        : empty('play', 'Nothing is paused.', 'For example, pause a type while you repair its receiver.'));
  }

  load();
  return {title: 'Delivery', heading: h('h1', {}, 'Delivery'), element, refresh: load};
}
