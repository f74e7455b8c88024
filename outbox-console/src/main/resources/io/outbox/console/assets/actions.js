// What an operator can do, and the dialogs that ask before it is done.

import {h, icon, put} from './dom.js';
import {count, counted, plural, zone} from './format.js';
import {button, empty, field, notice, openDialog, pill, skeleton, toast} from './ui.js';

export const ACTIONS = {
  replay: {
    label: 'Replay',
    icon: 'replay',
    states: ['DONE', 'DEAD'],
    done: 'replayed',
    says: 'Delivers done and dead events again, with attempts counted from zero.',
  },
  kill: {
    label: 'Kill',
    icon: 'kill',
    danger: true,
    states: ['NEW', 'RETRY'],
    done: 'killed',
    says: 'Makes pending events dead. They are not delivered, unless you replay them.',
  },
  reschedule: {
    label: 'Reschedule',
    icon: 'reschedule',
    states: ['NEW', 'RETRY'],
    done: 'rescheduled',
    says: 'Pending events without a lease wait until the time you choose.',
  },
  release: {
    label: 'Release lease',
    icon: 'release',
    states: ['NEW', 'RETRY'],
    done: 'released',
    says: 'Takes events from their node, so that another one delivers them. If that node is alive, they may be delivered twice.',
  },
  purge: {
    label: 'Purge',
    icon: 'purge',
    danger: true,
    states: ['DONE', 'DEAD'],
    done: 'purged',
    says: 'Deletes done and dead events. You cannot undo this.',
  },
};

/** What a bulk action may be: also one on the archive. */
export const JOBS = {
  ...ACTIONS,
  'archive replay': {
    label: 'Replay',
    title: 'Replay archived events',
    icon: 'replay',
    done: 'replayed',
    says: 'Delivers archived events again, behind all events of their keys. The archive keeps them. Events that the outbox table has are left alone.',
  },
};

/** The actions that apply to this event. */
export function applicable(event) {
  return Object.keys(ACTIONS).filter((name) => {
    if (!ACTIONS[name].states.includes(event.status)) {
      return false;
    }
    return name === 'release' ? event.lockedBy : name === 'reschedule' ? !event.lockedBy : true;
  });
}

function localNow(plusMinutes) {
  const date = new Date(Date.now() + plusMinutes * 60000);
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

/** Inputs that an action needs; read() gives their values. */
function inputsOf(name) {
  if (name === 'kill') {
    const reason = h('input', {type: 'text', maxlength: 500, required: true, placeholder: 'Stored with the last error, and in the audit', name: 'reason'});
    return {element: field('Reason', reason), read: () => ({reason: reason.value})};
  }
  if (name === 'reschedule') {
    const at = h('input', {type: 'datetime-local', value: localNow(15), name: 'at'});
    return {element: field('Deliver at', at, 'Your time, ' + zone()), read: () => ({at: at.value ? new Date(at.value).toISOString() : null})};
  }
  return {element: null, read: () => ({})};
}

/** Asks, then acts on events that are named. whenDone is called after it. */
export function askForSome(outbox, name, events, whenDone) {
  const action = ACTIONS[name];
  const one = events.length === 1;
  openDialog(action.label + ' ' + (one ? 'this event' : plural(events.length, 'event')), (body, close) => {
    const inputs = inputsOf(name);
    const problem = h('div', {});
    const go = button(action.label + (one ? '' : ' ' + count(events.length)), action.icon, {
      kind: action.danger ? 'danger' : 'primary',
      type: 'submit',
    });
    const form = h(
      'form',
      {
        onsubmit: async (e) => {
          e.preventDefault();
          go.disabled = true;
          try {
            const answer = await outbox.act(name, events.map((event) => event.id), inputs.read());
            close();
            toast(
              answer.changed ? plural(answer.changed, 'event') + ' ' + action.done : 'Nothing was changed: the event is now in another state',
              answer.changed ? 'good' : 'bad');
            whenDone(answer.changed);
          } catch (failure) {
            go.disabled = false;
            put(problem, notice('bad', failure.message));
          }
        },
      },
      h('p', {class: 'dialog-text'}, action.says),
      inputs.element,
      problem,
      h('footer', {class: 'dialog-foot'}, button('Cancel', null, {onclick: close}), go));
    body.append(form);
  });
}

/** Asks why, then lets a key go on behind this event. */
export function askToSkip(outbox, id, whenDone) {
  openDialog('Skip this event', (body, close) => {
    const reason = h('input', {type: 'text', maxlength: 500, required: true, placeholder: 'Kept in the audit', name: 'reason'});
    const problem = h('div', {});
    body.append(
      h(
        'form',
        {
          onsubmit: async (e) => {
            e.preventDefault();
            try {
              const answer = await outbox.skip(id, reason.value);
              close();
              toast(answer.changed ? 'Skipped: its key continues' : 'There was nothing to skip', answer.changed ? 'good' : 'bad');
              whenDone();
            } catch (failure) {
              put(problem, notice('bad', failure.message));
            }
          },
        },
        h('p', {class: 'dialog-text'}, 'Makes the event dead if it is pending. The events of the same key behind it are delivered.'),
        field('Reason', reason),
        problem,
        h('footer', {class: 'dialog-foot'}, button('Cancel', null, {onclick: close}), button('Skip', 'skip', {kind: 'primary', type: 'submit'}))));
  });
}

/** Events of the table, for askForAll. */
const TABLE = {
  preview: (outbox, name, filter, options) => outbox.preview(name, filter, options),
  begin: (outbox, name, filter, expected, options) => outbox.begin(name, filter, expected, options),
  unfinished: 'A dry run counts for 200 ms, the newest events first, and did not reach the end. The action itself reads all rows.',
};

/** All that match: a dry run first, then the real thing with its progress. */
export function askForAll(context, name, filter, whenDone, source = TABLE) {
  const action = JOBS[name];
  let stopListening = () => {};
  let changedSomething = false;
  openDialog(
    action.title || action.label + ' all matching events',
    (body, close) => {
      const inputs = inputsOf(name);
      const result = h('div', {class: 'dry-run', 'aria-live': 'polite'});
      const foot = h('footer', {class: 'dialog-foot'});
      put(body, h('p', {class: 'dialog-text'}, action.says), filterLine(filter), inputs.element, result, foot);

      const showProgress = (job) => {
        const view = progressView(context, job, showProgress);
        stopListening = context.live.listen((what, changed) => {
          if (what === 'job' && changed && changed.id === job.id) {
            view.update(changed);
          }
        });
        put(foot, button('Continue in the background', null, {onclick: close}));
        body.append(view.element, foot);
        view.whenOver(() => {
          stopListening();
          changedSomething = true;
          put(foot, button('Done', 'check', {kind: 'primary', onclick: close}));
          foot.firstElementChild.focus();
        });
        // A short job may have ended, and said so, before the answer that it was begun arrived.
        const latest = context.live.jobs.get(job.id);
        if (latest) {
          view.update(latest);
        }
      };

      const begin = async (expected) => {
        try {
          const job = await source.begin(context.outbox, name, filter, expected, inputs.read());
          put(body);
          showProgress(job);
        } catch (failure) {
          put(result, notice('bad', failure.message));
        }
      };

      const dryRun = async () => {
        put(result, skeleton(3));
        put(foot, button('Cancel', null, {onclick: close}));
        try {
          const preview = await source.preview(context.outbox, name, filter, inputs.read());
          showPreview(preview);
        } catch (failure) {
          put(result, notice('bad', failure.message));
        }
      };

      const showPreview = (preview) => {
        const n = preview.count.value;
        const exact = preview.count.precision === 'EXACT';
        if (n === 0 && exact) {
          put(result, empty('check', 'No event would be changed.', 'No matching event is in a state that this action applies to.'));
          return;
        }
        if (n === 0) {
          put(result, empty('search', 'None found yet.', source.unfinished));
        } else {
          put(
            result,
            h('p', {class: 'dry-run-count'}, h('b', {}, counted(preview.count)), ' ', n === 1 ? 'event' : 'events', ' would be ', action.done),
            h('p', {class: 'field-label'}, preview.sample.length < n ? 'The newest of them' : 'These'),
            h('ul', {class: 'sample'}, preview.sample.map((event) => h('li', {}, pill(event), h('span', {class: 'sample-type'}, event.type), h('code', {}, event.id)))));
        }
        const which = n === 0 || source.vague ? 'all that match' : counted(preview.count) + (n === 1 ? ' event' : ' events');
        const go = button(action.label + ' ' + which, action.icon, {
          kind: action.danger ? 'danger' : 'primary',
          onclick: () => {
            const unfilled = body.querySelector('input:invalid');
            if (unfilled) {
              unfilled.reportValidity();
              return;
            }
            go.disabled = true;
            begin(exact ? n : 0);
          },
        });
        put(foot, button('Cancel', null, {onclick: close}), go);
        go.focus();
      };

      dryRun();
    },
    {
      wide: true,
      onclose: () => {
        stopListening();
        whenDone(changedSomething);
      },
    });
}

function filterLine(filter) {
  const pairs = [...filter];
  return h(
    'div',
    {class: 'chips'},
    pairs.length ? pairs.map(([name, value]) => h('span', {class: 'chip'}, name, h('b', {}, value))) : h('span', {class: 'chip'}, h('b', {}, 'every event')));
}

const JOB_WORDS = {WAITING: 'Waiting for its turn', RUNNING: 'Running', FINISHED: 'Finished', STOPPED: 'Stopped', FAILED: 'Failed'};

/** Whether a later job began where this one ended. */
function isContinued(context, job) {
  return [...context.live.jobs.values()].some((each) => each.id > job.id && each.after === job.next && each.filter === job.filter);
}

/** A job with its bar; also on the activity page. whenContinued is called with the job that goes on. */
export function progressView(context, first, whenContinued = () => {}) {
  const action = JOBS[first.action] || {label: first.action, done: 'changed', icon: 'replay'};
  const title = h('span', {class: 'job-title'});
  const numbers = h('span', {class: 'job-numbers'});
  const fillBar = h('i', {});
  const bar = h('div', {class: 'progress', role: 'progressbar', 'aria-label': action.label, 'aria-valuemin': 0}, fillBar);
  const stop = button('Stop', 'stop', {
    kind: 'small',
    onclick: async () => {
      stop.disabled = true;
      try {
        update(await context.outbox.stop(first.id));
      } catch (failure) {
        toast(failure.message, 'bad');
      }
    },
  });
  const goOn = button('Continue', action.icon, {
    kind: 'small',
    'data-continue': true,
    title: 'Replay the events that are left',
    onclick: async () => {
      goOn.disabled = true;
      try {
        const left = Math.max(0, current.expected - current.scanned);
        const job = await context.outbox.beginArchived(current.query, left, current.next);
        if (!context.live.jobs.has(job.id)) {
          context.live.takeJob(job);
        }
        update(current);
        whenContinued(job);
      } catch (failure) {
        toast(failure.message, 'bad');
      }
      goOn.disabled = false;
    },
  });
  const problem = h('div', {});
  const element = h(
    'div',
    {class: 'job', 'data-job': first.id},
    h('div', {class: 'job-head'}, icon(action.icon), title, numbers, context.mayAct && [stop, goOn]),
    bar,
    h('div', {class: 'job-filter'}, h('code', {}, first.filter)),
    problem);
  let over = () => {};
  let current = first;
  const isOver = (job) => ['FINISHED', 'STOPPED', 'FAILED'].includes(job.state);

  function update(job) {
    if (isOver(current) && !isOver(job)) {
      return; // an older message, overtaken on its way
    }
    current = job;
    element.dataset.state = job.state;
    const atLimit = job.state === 'FINISHED' && job.next;
    title.textContent = action.label + ' · ' + (job.stopping ? 'Stopping' : atLimit ? 'Ended at its limit' : JOB_WORDS[job.state]);
    numbers.textContent = count(job.changed) + (job.expected ? ' of ' + count(job.expected) : '') + ' ' + action.done;
    const share = job.state === 'FINISHED' && !atLimit ? 1 : job.expected ? Math.min(1, job.changed / job.expected) : 0;
    bar.classList.toggle('unknown', !job.expected && job.state === 'RUNNING');
    fillBar.style.width = share * 100 + '%';
    bar.setAttribute('aria-valuemax', job.expected || 0);
    bar.setAttribute('aria-valuenow', job.changed);
    stop.hidden = isOver(job);
    goOn.hidden = !job.next || isContinued(context, job);
    if (job.error) {
      put(problem, notice('bad', job.error));
    }
    if (isOver(job)) {
      over();
    }
  }
  update(first);
  return {
    element,
    update,
    whenOver: (callback) => {
      over = callback;
      if (isOver(current)) {
        over();
      }
    },
  };
}
