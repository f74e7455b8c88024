// Talks to the server. Changes carry a header that no other site can send.

export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let onSignedOut = () => {};

/** Called when the server no longer knows who we are. */
export function whenSignedOut(callback) {
  onSignedOut = callback;
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, {credentials: 'same-origin', cache: 'no-store', ...options});
  } catch (e) {
    if (e.name === 'AbortError') {
      throw e;
    }
    throw new Failure(0, 'Cannot reach the console. Is it still running?');
  }
  let body = {};
  try {
    body = await response.json();
  } catch (e) {
    if (response.ok) {
      throw new Failure(response.status, 'Cannot read the answer.');
    }
  }
  if (!response.ok) {
    if (response.status === 401 && !path.endsWith('api/login')) {
      onSignedOut();
    }
    throw new Failure(response.status, body.message || 'The server answered ' + response.status + '.');
  }
  return body;
}

export function get(path, signal) {
  return send(path, {signal});
}

export function post(path, body) {
  return send(path, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', 'X-Outbox-Console': '1'},
    body: JSON.stringify(body || {}),
  });
}

/** What can be asked about one outbox. */
export class Outbox {
  constructor(name) {
    this.name = name;
    this.base = 'api/outboxes/' + encodeURIComponent(name) + '/';
  }

  place() {
    return get(this.base + 'place');
  }

  overview() {
    return get(this.base + 'overview');
  }

  events(query, signal) {
    return get(this.base + 'events?' + query, signal);
  }

  event(id, signal) {
    return get(this.base + 'event?' + new URLSearchParams({id}), signal);
  }

  neighbors(id, signal) {
    return get(this.base + 'neighbors?' + new URLSearchParams({id}), signal);
  }

  payloadAddress(id) {
    return this.base + 'payload?' + new URLSearchParams({id});
  }

  subscriptions() {
    return get(this.base + 'subscriptions');
  }

  archive(query, signal) {
    return get(this.base + 'archive?' + query, signal);
  }

  archived(id, signal) {
    return get(this.base + 'archive/event?' + new URLSearchParams({id}), signal);
  }

  archivedPayloadAddress(id) {
    return this.base + 'archive/payload?' + new URLSearchParams({id});
  }

  replayArchived(id) {
    return post(this.base + 'archive/replay', {id});
  }

  // after: the next of a replay that ended early
  beginArchived(filter, expected, after) {
    return post(this.base + 'archive/jobs', {filter: filter.toString(), expected, after});
  }

  blockedKeys() {
    return get(this.base + 'blocked-keys');
  }

  pauses() {
    return get(this.base + 'pauses');
  }

  audit(before) {
    return get(this.base + 'audit' + (before ? '?before=' + before : ''));
  }

  jobs() {
    return get(this.base + 'jobs');
  }

  preview(action, filter, options) {
    const query = new URLSearchParams(filter);
    query.set('action', action);
    if (options.at) {
      query.set('at', options.at);
    }
    return get(this.base + 'preview?' + query);
  }

  act(action, ids, options) {
    return post(this.base + 'actions', {action, ids, ...options});
  }

  skip(id, reason) {
    return post(this.base + 'skip', {id, reason});
  }

  begin(action, filter, expected, options) {
    return post(this.base + 'jobs', {action, filter: filter.toString(), expected, ...options});
  }

  stop(id) {
    return post(this.base + 'jobs/stop', {id});
  }

  // what: aggregateType and eventType, or tenant, or destination
  pause(what, reason) {
    return post(this.base + 'pauses', {...what, reason});
  }

  resume(what) {
    return post(this.base + 'pauses/resume', what);
  }
}
