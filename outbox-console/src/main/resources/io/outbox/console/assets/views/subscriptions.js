// Subscriptions: how far each of several listeners of an event is, alone.

import {h, icon, put} from '../dom.js';
import {counted, duration} from '../format.js';
import {askForAll} from '../actions.js';
import {button, empty, field, iconButton, linkButton, notice, openDialog, skeleton, toast, when} from '../ui.js';
import {routeOf} from './overview.js';

const STATES = {active: ['DONE', 'Active'], paused: ['PENDING', 'Paused'], ended: [null, 'Ended']};

export function subscriptionsPage(context) {
  const list = h('div', {class: 'list'}, skeleton(5));
  const listCount = h('span', {class: 'list-count'}, 'Looking …');
  const element = h(
    'div',
    {class: 'delivery'},
    h('p', {class: 'lead'}, 'Each subscription gets its own copy of every event: retried, paused and replayed alone.'),
    h('section', {class: 'card flush'}, h('div', {class: 'list-bar'}, listCount, h('div', {class: 'list-actions'}, iconButton('Refresh (r)', 'refresh', {onclick: load}))), list));

  function filterOf(one, more) {
    return {...more, aggregateType: one.copies, type: one.type};
  }

  function stateOf(one) {
    return one.until ? 'ended' : one.pauses.length ? 'paused' : 'active';
  }

  function pillOf(one) {
    const name = stateOf(one);
    const [state, label] = STATES[name];
    return h('span', {class: 'pill', 'data-state': state, 'data-status': name === 'paused' ? 'RETRY' : null}, h('i', {class: 'dot'}), label);
  }

  function number(one, count, state, words) {
    if (!count.value) {
      return h('span', {class: 'faint', title: count.precision === 'EXACT' ? null : 'None among the events that were looked at'}, count.precision === 'EXACT' ? '0' : '–');
    }
    return h('a', {class: 'sub-number', 'data-state': state === 'dead' ? 'DEAD' : null, href: context.link('events', filterOf(one, words))}, counted(count));
  }

  function row(one) {
    return h(
      'li',
      {class: 'sub-row', 'data-name': one.name},
      h('span', {class: 'sub-name'}, h('a', {class: 'event-link', href: context.link('events', filterOf(one))}, one.name), h('span', {class: 'clip faint', title: one.route}, one.route)),
      h('span', {class: 'sub-state'}, pillOf(one)),
      cell('Waiting', number(one, one.waiting, 'waiting', {status: 'NEW,RETRY'})),
      cell('Failed', number(one, one.retrying, 'retrying', {status: 'RETRY'}), 'Waiting copies that have failed before'),
      cell('Dead', number(one, one.dead, 'dead', {state: 'DEAD'})),
      cell('Lag', one.lagMillis ? duration(one.lagMillis) : h('span', {class: 'faint'}, 'none')),
      cell('Since', when(one.since)),
      h('span', {class: 'sub-actions'}, context.mayAct && actions(one)),
      note(one));
  }

  function cell(label, content, title) {
    return h('span', {class: 'sub-cell', 'data-label': label, title}, content);
  }

  function note(one) {
    const text = one.until
      ? ['Ended ', when(one.until), ': new events get no copy for it.']
      : one.pauses.map((pause, i) => [i ? '; p' : 'P', 'aused', isOwn(one, pause) ? '' : ' with ' + routeOf(pause), ' by ', pause.by, ', ', when(pause.since), pause.reason && ': ' + pause.reason]);
    return text.length > 0 && h('span', {class: 'sub-note faint'}, text);
  }

  /** A pause of this subscription alone, not of all events for example. */
  function isOwn(one, pause) {
    return pause.aggregateType === one.copies;
  }

  function actions(one) {
    const own = one.pauses.filter((pause) => isOwn(one, pause));
    return [
      one.dead.value > 0 && button('Replay dead', 'replay', {kind: 'small', onclick: () => replayDead(one)}),
      own.length
        ? button('Resume', 'play', {kind: 'small', onclick: () => resume(own)})
        : one.pauses.length
          ? linkButton('Pauses', 'pause', context.link('delivery'), 'small')
          : !one.until && button('Pause', 'pause', {kind: 'small', onclick: () => askToPause(one)}),
    ];
  }

  function replayDead(one) {
    askForAll(context, 'replay', new URLSearchParams(filterOf(one, {status: 'DEAD'})), (changed) => changed && load());
  }

  async function resume(pauses) {
    try {
      for (const {aggregateType, eventType} of pauses) {
        await context.outbox.resume({aggregateType, eventType});
      }
      toast('Delivery continues');
    } catch (failure) {
      toast(failure.message, 'bad');
    }
    load();
  }

  function askToPause(one) {
    openDialog('Pause ' + one.name, (body, close) => {
      const reason = h('input', {type: 'text', name: 'reason', maxlength: 500, placeholder: 'Shown to other operators'});
      const problem = h('div', {});
      body.append(
        h(
          'form',
          {
            onsubmit: async (e) => {
              e.preventDefault();
              try {
                await context.outbox.pause({aggregateType: one.copies, eventType: one.type}, reason.value.trim());
                close();
                toast('The subscription is paused');
                load();
              } catch (failure) {
                put(problem, notice('bad', failure.message));
              }
            },
          },
          h('p', {class: 'dialog-text'}, 'Its copies of ' + one.route + ' wait in the table, on all nodes, even after restarts. Other subscriptions continue.'),
          field('Reason', reason),
          problem,
          h('footer', {class: 'dialog-foot'}, button('Cancel', null, {onclick: close}), button('Pause', 'pause', {kind: 'primary', type: 'submit'}))));
    });
  }

  async function load() {
    try {
      show((await context.outbox.subscriptions()).subscriptions);
    } catch (failure) {
      put(list, notice('bad', failure.message));
    }
  }

  function show(all) {
    listCount.textContent = all.length === 1 ? '1 subscription' : all.length + ' subscriptions';
    put(
      list,
      all.length
        ? [
            h('div', {class: 'sub-head', 'aria-hidden': 'true'}, ['Subscription, events', 'State', 'Waiting', 'Failed', 'Dead', 'Lag', 'Since', ''].map((label) => h('span', {}, label))),
            h('ul', {class: 'sub-list'}, all.map(row)),
            capped(all),
          ]
        : empty('subscriptions', 'No subscriptions.', 'Give several listeners of one event a subscription each: listeners.subscribe(aggregateType, eventType, name, listener).'));
  }

  function capped(all) {
    return (
      all.some((one) => one.waiting.precision !== 'EXACT' || one.dead.precision !== 'EXACT') &&
      h('div', {class: 'list-foot'}, h('p', {class: 'scan-note'}, icon('alert'), 'The table has more events than are counted here: 12+ means 12 or more.'))
    );
  }

  load();
  return {title: 'Subscriptions', heading: h('h1', {}, 'Subscriptions'), element, refresh: load};
}
