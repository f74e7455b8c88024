// The shell: who is here, which outbox, which page.

import {h, icon, put} from './dom.js';
import {Failure, get, Outbox, post, whenSignedOut} from './api.js';
import {Live, liveBadge} from './live.js';
import {listenToKeys, showHelp} from './keys.js';
import {zone} from './format.js';
import {iconButton, notice, toast} from './ui.js';
import {loginPage} from './views/login.js';
import {overviewPage} from './views/overview.js';
import {eventsPage} from './views/events.js';
import {eventPage} from './views/event.js';
import {subscriptionsPage} from './views/subscriptions.js';
import {deliveryPage} from './views/delivery.js';
import {archivePage} from './views/archive.js';
import {archivedPage} from './views/archived.js';
import {activityPage} from './views/activity.js';

const PAGES = {
  overview: {label: 'Overview', icon: 'overview', render: overviewPage},
  events: {label: 'Events', icon: 'events', render: eventsPage},
  event: {label: 'Event', of: 'events', render: eventPage},
  subscriptions: {label: 'Subscriptions', icon: 'subscriptions', render: subscriptionsPage},
  delivery: {label: 'Delivery', icon: 'delivery', render: deliveryPage},
  archive: {label: 'Archive', icon: 'archive', render: archivePage},
  archived: {label: 'Archived event', of: 'archive', render: archivedPage},
  activity: {label: 'Activity', icon: 'activity', render: activityPage},
};

const app = document.getElementById('app');
let session = null;
let live = null;
let page = null;
let shown = null;
let place = '';

/** #/outbox/page?query */
function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [outbox, name] = path.split('/').map(decodeURIComponent);
  return {outbox, name: PAGES[name] ? name : 'overview', query: new URLSearchParams(query || '')};
}

export function address(outbox, name, query) {
  const text = query ? new URLSearchParams(query).toString() : '';
  return '#/' + encodeURIComponent(outbox) + '/' + name + (text ? '?' + text : '');
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function switchTheme() {
  const theme = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem('outbox-console-theme', theme);
  } catch (e) {
    // remembered for this page only
  }
  document.querySelectorAll('[data-theme-switch]').forEach((element) => put(element, icon(isDark() ? 'sun' : 'moon')));
}

function themeButton() {
  return h(
    'button',
    {type: 'button', class: 'icon-button', 'data-theme-switch': true, 'aria-label': 'Light or dark', title: 'Light or dark (t)', onclick: switchTheme},
    icon(isDark() ? 'sun' : 'moon'));
}

function navigation(outbox, current) {
  const active = PAGES[current].of || current;
  return h(
    'nav',
    {class: 'nav', 'aria-label': 'Pages'},
    Object.entries(PAGES)
      .filter(([, each]) => each.icon)
      .map(([name, each]) =>
        h(
          'a',
          {href: address(outbox, name), class: 'nav-item', 'aria-current': name === active ? 'page' : null},
          icon(each.icon),
          h('span', {}, each.label))));
}

function outboxChoice(outbox) {
  if (session.outboxes.length === 1) {
    return h('div', {class: 'outbox-name', title: 'The outbox that is shown'}, outbox);
  }
  return h(
    'select',
    {
      class: 'outbox-choice',
      'aria-label': 'Outbox',
      onchange: (e) => (location.hash = address(e.target.value, 'overview')),
    },
    session.outboxes.map((name) => h('option', {value: name, selected: name === outbox}, name)));
}

/** Where this is, so that nobody takes one database for another. */
function placeBadge() {
  return h(
    'div',
    {class: 'place', 'data-color': session.color},
    session.environment && h('strong', {class: 'environment'}, session.environment),
    h('span', {class: 'place-name', title: 'The database: ' + (place || '')}, place));
}

async function askForPlace(outbox) {
  try {
    place = (await outbox.place()).place;
  } catch (failure) {
    place = '';
  }
  document.querySelectorAll('.place').forEach((element) => element.replaceWith(placeBadge()));
  showTitle();
}

function showTitle() {
  if (page && shown) {
    const database = place ? place.split('/').pop() : '';
    document.title = [session.environment && session.environment.toUpperCase(), page.title, shown.outbox, database, 'Outbox'].filter(Boolean).join(' · ');
  }
}

function userBadge() {
  const readOnly = session.role !== 'OPERATOR';
  return h(
    'div',
    {class: 'user'},
    h('span', {class: 'user-name'}, session.user),
    h('span', {class: 'role', 'data-role': session.role}, readOnly && icon('lock'), readOnly ? 'read only' : 'operator'),
    session.logins.length > 0 && iconButton('Sign out', 'logout', {onclick: signOut}));
}

function shell(outbox, name, content) {
  return h(
    'div',
    {class: 'shell'},
    h(
      'aside',
      {class: 'side'},
      h('a', {class: 'brand', href: address(outbox, 'overview')}, h('span', {class: 'brand-mark'}, icon('box')), h('span', {class: 'brand-name'}, 'Outbox')),
      outboxChoice(outbox),
      placeBadge(),
      navigation(outbox, name),
      h('div', {class: 'side-foot'}, h('div', {class: 'zone faint', title: 'All times are in the zone of your browser'}, 'Times in ' + zone()), userBadge())),
    h(
      'div',
      {class: 'page'},
      h(
        'header',
        {class: 'top'},
        h('div', {class: 'top-title'}, content.heading),
        h('div', {class: 'top-tools'}, h('span', {class: 'zone-small faint', title: 'All times are in the zone of your browser'}, zone()), liveBadge(live), iconButton('Keyboard shortcuts (?)', 'help', {onclick: showHelp}), themeButton())),
      h('main', {id: 'main', tabindex: '-1'}, content.element)));
}

async function signOut() {
  try {
    await post('api/logout');
  } catch (e) {
    toast(e.message, 'bad');
  }
  leave();
  await start();
}

function leave() {
  if (page && page.close) {
    page.close();
  }
  page = null;
  if (live) {
    live.close();
    live = null;
  }
}

function show() {
  const target = parse(location.hash);
  if (!session || !session.user) {
    return;
  }
  if (!session.outboxes.includes(target.outbox)) {
    location.replace(address(session.outboxes[0], 'overview'));
    return;
  }
  if (!live || live.outbox.name !== target.outbox) {
    leave();
    live = new Live(new Outbox(target.outbox));
    place = '';
    askForPlace(live.outbox);
  }
  // the same page with another filter keeps what is typed and focused
  if (page && page.update && shown && shown.outbox === target.outbox && shown.name === target.name && page.update(target.query)) {
    shown = target;
    return;
  }
  if (page && page.close) {
    page.close();
  }
  const context = {
    outbox: live.outbox,
    live,
    query: target.query,
    mayAct: session.role === 'OPERATOR',
    link: (name, query) => address(target.outbox, name, query),
    go: (name, query) => (location.hash = address(target.outbox, name, query)),
    replace: (name, query) => location.replace(address(target.outbox, name, query)),
  };
  const moved = shown !== null;
  shown = target;
  page = PAGES[target.name].render(context);
  put(app, shell(target.outbox, target.name, page));
  showTitle();
  window.scrollTo(0, 0);
  if (moved) {
    document.getElementById('main').focus({preventScroll: true});
  }
  if (page.shown) {
    page.shown();
  }
}

async function start() {
  shown = null;
  try {
    session = await get('api/session');
  } catch (failure) {
    put(app, h('div', {class: 'center'}, notice('bad', failure instanceof Failure ? failure.message : String(failure))));
    return;
  }
  if (session.user) {
    show();
  } else if (session.logins.length) {
    put(app, loginPage(session.logins, start));
    document.title = 'Sign in · Outbox';
  } else {
    put(app, h('div', {class: 'center'}, notice('bad', 'You are not signed in to the application, or may not use this console.')));
  }
}

whenSignedOut(() => {
  if (session && session.user) {
    leave();
    start();
  }
});
window.addEventListener('hashchange', show);
document.querySelector('[data-skip]').addEventListener('click', (e) => {
  e.preventDefault();
  const main = document.getElementById('main');
  if (main) {
    main.focus();
  }
});
listenToKeys({
  go: (name) => shown && (location.hash = address(shown.outbox, name)),
  refresh: () => page && page.refresh && page.refresh(),
  theme: switchTheme,
  view: (key) => Boolean(page && page.key && page.key(key)),
});
start();
