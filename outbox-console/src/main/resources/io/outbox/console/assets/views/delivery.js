// Pauses: what is not delivered for now, on any node.

import {h, icon, put} from '../dom.js';
import {button, card, empty, field, notice, openDialog, skeleton, toast, when} from '../ui.js';
import {routeOf} from './overview.js';

export function deliveryPage(context) {
  const list = h('div', {}, skeleton(3));
  const element = h(
    'div',
    {class: 'delivery'},
    h('p', {class: 'lead'}, 'A pause halts delivery of some types, of a tenant or to a destination on all nodes, within seconds, even after restarts. Running deliveries finish; the other events wait in the table.'),
    card('Paused delivery', context.mayAct && button('Pause delivery', 'pause', {kind: 'primary small', onclick: ask}), list));

  function ask() {
    openDialog('Pause delivery', (body, close) => {
      const aggregateType = h('input', {type: 'text', name: 'aggregateType', placeholder: 'Any', spellcheck: 'false', autocapitalize: 'none'});
      const eventType = h('input', {type: 'text', name: 'eventType', placeholder: 'Any', spellcheck: 'false', autocapitalize: 'none'});
      const tenant = h('input', {type: 'text', name: 'tenant', placeholder: 'Instead of types', spellcheck: 'false', autocapitalize: 'none'});
      const destination = h('input', {type: 'text', name: 'destination', placeholder: 'Instead of types: topic orders', spellcheck: 'false', autocapitalize: 'none'});
      const reason = h('input', {type: 'text', name: 'reason', maxlength: 500, placeholder: 'Shown to other operators'});
      const problem = h('div', {});
      const warning = h('div', {});
      const inputs = [aggregateType, eventType, tenant, destination];
      const warn = () => put(warning, inputs.every((input) => !input.value.trim()) && notice('warn', 'Without a type, tenant or destination, the pause halts all delivery.'));
      inputs.forEach((input) => input.addEventListener('input', warn));
      warn();
      body.append(
        h(
          'form',
          {
            onsubmit: async (e) => {
              e.preventDefault();
              try {
                const what = Object.fromEntries(inputs.map((input) => [input.name, input.value.trim()]).filter(([, value]) => value));
                const answer = await context.outbox.pause(what, reason.value.trim());
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
          field('Tenant', tenant),
          field('Destination', destination),
          field('Reason', reason),
          warning,
          problem,
          h('footer', {class: 'dialog-foot'}, button('Cancel', null, {onclick: close}), button('Pause', 'pause', {kind: 'primary', type: 'submit'}))));
    });
  }

  async function resume(pause) {
    try {
      const {aggregateType, eventType, tenant, destination} = pause;
      await context.outbox.resume({aggregateType, eventType, tenant, destination});
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
