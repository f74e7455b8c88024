// What the server tells by itself. A page that nobody sees does not watch.

import {h} from './dom.js';

const WINDOW = 30 * 60 * 1000;

export class Live {
  constructor(outbox) {
    this.outbox = outbox;
    this.points = [];
    this.overview = null;
    this.problem = null;
    this.jobs = new Map();
    this.state = 'connecting';
    this.listeners = new Set();
    this.source = null;
    this.timer = null;
    this.onVisible = () => (document.hidden ? this.disconnect() : this.connect());
    document.addEventListener('visibilitychange', this.onVisible);
    this.connect();
    outbox.jobs().then((answer) => {
      answer.jobs.forEach((job) => this.jobs.set(job.id, job));
      this.tell('job');
    }, () => {});
  }

  /** Calls back with what has changed: state, overview or job. Returns how to end that. */
  listen(callback) {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  tell(what, data) {
    this.listeners.forEach((callback) => callback(what, data));
  }

  connect() {
    clearTimeout(this.timer);
    if (this.source) {
      return;
    }
    if (!this.overview) {
      // the first one that the server tells by itself may be a whole refresh away
      this.outbox.overview().then((overview) => this.overview || this.closed || this.take(overview), () => {});
    }
    const source = new EventSource(this.outbox.base + 'live');
    this.source = source;
    source.addEventListener('open', () => this.become('live'));
    source.addEventListener('history', (e) => this.merge(JSON.parse(e.data)));
    source.addEventListener('overview', (e) => this.take(JSON.parse(e.data)));
    source.addEventListener('job', (e) => this.takeJob(JSON.parse(e.data)));
    source.addEventListener('problem', (e) => {
      this.problem = JSON.parse(e.data).message;
      this.tell('state');
    });
    source.addEventListener('error', () => {
      this.become('connecting');
      if (source.readyState === EventSource.CLOSED) {
        this.source = null;
        this.ask();
      }
    });
  }

  /** If there is no seat among those who watch: ask, and try for a seat again. */
  async ask() {
    try {
      this.take(await this.outbox.overview());
      this.become('asking');
    } catch (e) {
      this.become('offline');
    }
    if (!document.hidden && !this.closed) {
      this.timer = setTimeout(() => this.connect(), 5000);
    }
  }

  become(state) {
    if (this.state !== state) {
      this.state = state;
      this.tell('state');
    }
  }

  merge(history) {
    const newest = history.length ? history[history.length - 1][0] : 0;
    this.points = history.concat(this.points.filter((point) => point[0] > newest));
  }

  take(overview) {
    const last = this.points[this.points.length - 1];
    if (!last || overview.point[0] > last[0]) {
      this.points.push(overview.point);
    }
    const oldest = overview.point[0] - WINDOW;
    while (this.points.length && this.points[0][0] < oldest) {
      this.points.shift();
    }
    this.overview = overview;
    this.problem = null;
    this.tell('overview');
  }

  takeJob(job) {
    this.jobs.set(job.id, job);
    this.tell('job', job);
  }

  disconnect() {
    clearTimeout(this.timer);
    if (this.source) {
      this.source.close();
      this.source = null;
      this.become('connecting');
    }
  }

  close() {
    this.closed = true;
    document.removeEventListener('visibilitychange', this.onVisible);
    this.disconnect();
    this.listeners.clear();
  }
}

const WORDS = {live: 'Live', connecting: 'Connecting', asking: 'Polling', offline: 'Offline'};

/** The dot that says whether what is shown is fresh. */
export function liveBadge(live) {
  const text = h('span', {}, '');
  const badge = h('span', {class: 'live-badge'}, h('i', {class: 'live-dot'}), text);
  const update = () => {
    const state = live.problem ? 'offline' : live.state;
    badge.dataset.state = state;
    text.textContent = live.problem ? 'Database' : WORDS[state];
    badge.title = live.problem || '';
  };
  update();
  live.listen(update);
  return badge;
}
