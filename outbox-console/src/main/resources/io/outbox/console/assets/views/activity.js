// Who did what: bulk actions of this console, and the audit of everybody.

import {h, icon, put} from '../dom.js';
import {count} from '../format.js';
import {JOBS, progressView} from '../actions.js';
import {button, card, empty, notice, skeleton, when} from '../ui.js';

const ICONS = {pause: 'pause', resume: 'play', skip: 'skip'};
const PAGE = 50;

export function activityPage(context) {
  const jobs = h('div', {class: 'jobs'});
  const jobsCard = card('Bulk actions', h('span', {class: 'faint'}, 'begun in this console'), jobs);
  const audit = h('div', {}, skeleton(6));
  const foot = h('div', {class: 'list-foot'});
  const element = h('div', {class: 'activity'}, jobsCard, h('section', {class: 'card flush'}, h('header', {class: 'card-head'}, h('h2', {}, 'Audit')), audit, foot));
  const views = new Map();

  function showJobs() {
    const all = [...context.live.jobs.values()].sort((a, b) => b.id - a.id);
    jobsCard.hidden = !all.length;
    all.forEach((job) => {
      if (views.has(job.id)) {
        views.get(job.id).update(job);
      } else {
        const view = progressView(context, job);
        views.set(job.id, view);
        jobs.prepend(view.element);
      }
    });
  }

  function row(entry) {
    const name = ICONS[entry.what] || (JOBS[entry.what] && JOBS[entry.what].icon) || 'activity';
    return h(
      'li',
      {class: 'audit-row'},
      h('span', {class: 'audit-icon'}, icon(name)),
      h('div', {class: 'audit-text'}, h('span', {}, h('b', {}, entry.who), ' ', entry.what, ' ', h('code', {}, entry.filter)), entry.detail && h('span', {class: 'faint'}, entry.detail)),
      h('span', {class: 'audit-count'}, entry.finishedAt ? count(entry.count) : [count(entry.count), h('span', {class: 'faint'}, ' not finished')]),
      h('span', {class: 'audit-time'}, when(entry.at)));
  }

  async function load() {
    try {
      const entries = (await context.outbox.audit()).entries;
      put(audit, entries.length ? h('ul', {class: 'audit'}, entries.map(row)) : empty('activity', 'No actions yet.', 'The audit shows every action of an operator.'));
      offerMore(entries);
    } catch (failure) {
      put(audit, notice('bad', failure.message));
    }
  }

  function offerMore(entries) {
    const more = entries.length === PAGE;
    put(foot, more && button('Older entries', 'down', {kind: 'small', onclick: () => loadMore(entries[entries.length - 1].id)}));
    foot.hidden = !more;
  }

  async function loadMore(before) {
    try {
      const entries = (await context.outbox.audit(before)).entries;
      audit.firstElementChild.append(...entries.map(row));
      offerMore(entries);
    } catch (failure) {
      put(foot, notice('bad', failure.message));
    }
  }

  const stop = context.live.listen((what, job) => {
    if (what === 'job') {
      showJobs();
      if (job && job.finishedAt) {
        load();
      }
    }
  });
  showJobs();
  load();
  return {title: 'Activity', heading: h('h1', {}, 'Activity'), element, refresh: load, close: stop};
}
