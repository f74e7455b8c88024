// Shortcuts. They are off while something is typed or a dialog is open.

import {h} from './dom.js';
import {openDialog} from './ui.js';

const GO = {o: 'overview', e: 'events', s: 'subscriptions', d: 'delivery', v: 'archive', a: 'activity'};

const HELP = [
  ['Anywhere', [[['g', 'o'], 'Overview'], [['g', 'e'], 'Events'], [['g', 's'], 'Subscriptions'], [['g', 'd'], 'Delivery'], [['g', 'v'], 'Archive'], [['g', 'a'], 'Activity'], [['r'], 'Refresh'], [['t'], 'Light or dark'], [['?'], 'This help']]],
  ['Events', [[['/'], 'Search by error'], [['f'], 'All filters'], [['j'], 'Next event'], [['k'], 'Previous event'], [['Enter'], 'Open it'], [['x'], 'Select it'], [['n'], 'Next page'], [['b'], 'Act on all matching']]],
  ['Event', [[['p'], 'Replay'], [['y'], 'Copy its id'], [['Esc'], 'Back to the list']]],
];

export function showHelp() {
  openDialog('Keyboard shortcuts', (body) => {
    body.append(
      h(
        'div',
        {class: 'shortcuts'},
        HELP.map(([title, keys]) =>
          h(
            'section',
            {},
            h('h3', {}, title),
            h('dl', {}, keys.map(([names, text]) => h('div', {}, h('dt', {}, names.map((name) => h('kbd', {}, name))), h('dd', {}, text))))))));
  }, {wide: true});
}

/** handlers: go(view), refresh(), theme(), view(key): whether the page took the key. */
export function listenToKeys(handlers) {
  let pending = false;
  document.addEventListener('keydown', (e) => {
    const typing = e.target.closest && e.target.closest('input, textarea, select, [contenteditable]');
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) {
      return;
    }
    if (typing) {
      if (e.key === 'Escape') {
        e.target.blur();
      }
      return;
    }
    if (pending) {
      pending = false;
      if (GO[e.key]) {
        e.preventDefault();
        handlers.go(GO[e.key]);
        return;
      }
    }
    if (e.key === 'g') {
      pending = true;
      setTimeout(() => (pending = false), 1200);
    } else if (e.key === '?') {
      e.preventDefault();
      showHelp();
    } else if (e.key === 't') {
      handlers.theme();
    } else if (e.key === 'r') {
      handlers.refresh();
    } else if (handlers.view(e.key)) {
      e.preventDefault();
    }
  });
}
