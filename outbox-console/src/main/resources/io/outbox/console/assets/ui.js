// Pieces that several pages share.

import {h, icon, put} from './dom.js';
import {ago, exact} from './format.js';

const STATES = {PENDING: 'Pending', LEASED: 'Leased', DONE: 'Done', DEAD: 'Dead'};
const WITHOUT_HOVER = matchMedia('(hover: none), (max-width: 760px)');

/** The state of an event, with its status in the table if that is another word. */
export function pill(event) {
  return [
    h('span', {class: 'pill', 'data-state': event.state, 'data-status': event.status}, h('i', {class: 'dot'}), STATES[event.state] || event.state),
    event.status === 'RETRY' && h('span', {class: 'status-note', title: 'Its status in the table: it has failed before'}, 'RETRY'),
  ];
}

/** A time as "3 min ago", or in other words; the exact one is shown on hover, or by a tap. */
export function when(iso, words) {
  if (!iso) {
    return h('span', {class: 'faint'}, '–');
  }
  const tell = (e) => {
    if (WITHOUT_HOVER.matches) {
      e.preventDefault();
      e.stopPropagation();
      toast(exact(iso));
    }
  };
  return h('time', {datetime: iso, title: exact(iso) + '  ·  ' + iso, onclick: tell}, words || ago(iso));
}

export function button(label, iconName, options) {
  const {kind, ...attributes} = options || {};
  return h(
    'button',
    {type: 'button', class: 'button' + (kind ? ' ' + kind : ''), ...attributes},
    iconName && icon(iconName),
    label && h('span', {}, label));
}

export function iconButton(label, iconName, options) {
  return h('button', {type: 'button', class: 'icon-button', 'aria-label': label, title: label, ...options}, icon(iconName));
}

export function linkButton(label, iconName, href, kind) {
  return h('a', {class: 'button' + (kind ? ' ' + kind : ''), href}, iconName && icon(iconName), h('span', {}, label));
}

export function copyButton(text, label) {
  const copy = iconButton(label, 'copy', {
    onclick: async (e) => {
      e.stopPropagation();
      try {
        await navigator.clipboard.writeText(text);
        put(copy, icon('check'));
        setTimeout(() => put(copy, icon('copy')), 1200);
      } catch (failure) {
        toast('The browser does not allow copying here.', 'bad');
      }
    },
  });
  return copy;
}

export function card(title, aside, ...children) {
  return h('section', {class: 'card'}, h('header', {class: 'card-head'}, h('h2', {}, title), aside), children);
}

export function empty(iconName, text, hint) {
  return h('div', {class: 'empty'}, icon(iconName), h('p', {}, text), hint && h('p', {class: 'faint'}, hint));
}

export function notice(kind, ...children) {
  return h('div', {class: 'notice ' + kind, role: kind === 'bad' ? 'alert' : null}, icon(kind === 'good' ? 'check' : 'alert'), h('div', {}, children));
}

export function skeleton(rows) {
  return h('div', {class: 'skeleton', 'aria-busy': 'true', 'aria-label': 'Loading'}, Array.from({length: rows}, () => h('i', {})));
}

export function toast(text, kind) {
  const element = h('div', {class: 'toast ' + (kind || 'good')}, icon(kind === 'bad' ? 'alert' : 'check'), h('span', {}, text));
  document.getElementById('toasts').append(element);
  setTimeout(() => element.remove(), kind === 'bad' ? 8000 : 4000);
}

/** A labelled input. */
export function field(label, input, hint) {
  return h('label', {class: 'field'}, h('span', {class: 'field-label'}, label), input, hint && h('span', {class: 'field-hint'}, hint));
}

/**
 * Opens a dialog that holds the focus until it is closed. fill(body, close) builds it.
 */
export function openDialog(title, fill, options) {
  const before = document.activeElement;
  const body = h('div', {class: 'dialog-body'});
  const dialog = h('dialog', {class: 'dialog' + (options && options.wide ? ' wide' : ''), 'aria-labelledby': 'dialog-title'});
  const close = () => dialog.close();
  dialog.append(
    h('header', {class: 'dialog-head'}, h('h2', {id: 'dialog-title'}, title), iconButton('Close', 'close', {onclick: close})),
    body);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (options && options.onclose) {
      options.onclose();
    }
    if (before && before.isConnected) {
      before.focus();
    }
  });
  dialog.addEventListener('click', (e) => {
    if (e.target === dialog) {
      close();
    }
  });
  document.body.append(dialog);
  fill(body, close);
  dialog.showModal();
  return dialog;
}

/** Shows a menu below a button. items: [{label, icon, kind, run}]. */
export function menuButton(label, iconName, items, options) {
  const trigger = button(label, iconName, {...options, 'aria-haspopup': 'menu', 'aria-expanded': 'false'});
  trigger.append(icon('down'));
  const list = h('div', {class: 'menu', role: 'menu', hidden: true});
  const wrapper = h('div', {class: 'menu-wrapper'}, trigger, list);
  const open = (yes) => {
    list.hidden = !yes;
    trigger.setAttribute('aria-expanded', String(yes));
    if (yes) {
      list.firstElementChild.focus();
    }
  };
  items.forEach((item) =>
    list.append(
      h(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          class: 'menu-item' + (item.kind ? ' ' + item.kind : ''),
          onclick: () => {
            open(false);
            trigger.focus();
            item.run();
          },
        },
        icon(item.icon),
        h('span', {}, item.label))));
  trigger.addEventListener('click', () => open(list.hidden));
  wrapper.addEventListener('keydown', (e) => {
    const all = [...list.children];
    const at = all.indexOf(document.activeElement);
    if (e.key === 'Escape' && !list.hidden) {
      open(false);
      trigger.focus();
      e.stopPropagation();
    } else if ((e.key === 'ArrowDown' || e.key === 'ArrowUp') && !list.hidden) {
      e.preventDefault();
      all[(at + (e.key === 'ArrowDown' ? 1 : all.length - 1)) % all.length].focus();
    }
  });
  wrapper.addEventListener('focusout', (e) => {
    if (!wrapper.contains(e.relatedTarget)) {
      open(false);
    }
  });
  return wrapper;
}
