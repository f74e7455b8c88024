// Numbers, times and durations for people.

const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', {hour: '2-digit', minute: '2-digit', second: '2-digit'});
const day = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short'});
const zoned = new Intl.DateTimeFormat('en-GB', {hour: '2-digit', timeZoneName: 'short'});
const dayWithYear = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', year: 'numeric'});

export function count(value) {
  return number.format(value);
}

/** A count of the server, with how exact it is. */
export function counted(c) {
  if (!c) {
    return '0';
  }
  const text = number.format(c.value);
  return c.precision === 'AT_LEAST' ? text + '+' : c.precision === 'ESTIMATED' ? '~' + text : text;
}

/** 1,234 stays; 12,345 is 12.3k. */
export function short(value) {
  const abs = Math.abs(value);
  if (abs >= 1e6) {
    return trim(value / 1e6) + 'M';
  }
  if (abs >= 1e4) {
    return trim(value / 1e3) + 'k';
  }
  return abs >= 100 || Number.isInteger(value) ? number.format(Math.round(value)) : trim(value);
}

function trim(value) {
  return (Math.round(value * 10) / 10).toString();
}

/** 850 ms, 12 s, 3 min 20 s, 4 h 5 min, 3 d 2 h. */
export function duration(millis) {
  if (millis < 1000) {
    return Math.round(millis) + ' ms';
  }
  const seconds = Math.floor(millis / 1000);
  if (seconds < 60) {
    return seconds + ' s';
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return minutes + ' min' + (minutes < 10 && seconds % 60 ? ' ' + (seconds % 60) + ' s' : '');
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 24) {
    return hours + ' h' + (minutes % 60 ? ' ' + (minutes % 60) + ' min' : '');
  }
  return Math.floor(hours / 24) + ' d' + (hours % 24 ? ' ' + (hours % 24) + ' h' : '');
}

/** The coarse form: one unit. */
export function ago(iso) {
  const millis = Date.now() - Date.parse(iso);
  const past = millis >= 0;
  const seconds = Math.round(Math.abs(millis) / 1000);
  let text;
  if (seconds < 5) {
    return past ? 'just now' : 'now';
  } else if (seconds < 60) {
    text = seconds + ' s';
  } else if (seconds < 3600) {
    text = Math.floor(seconds / 60) + ' min';
  } else if (seconds < 86400) {
    text = Math.floor(seconds / 3600) + ' h';
  } else {
    text = Math.floor(seconds / 86400) + ' d';
  }
  return past ? text + ' ago' : 'in ' + text;
}

/** 14:03:22.123 today, 12 Mar 14:03:22 otherwise. */
export function moment(iso) {
  const date = new Date(iso);
  const now = new Date();
  const time = clock.format(date);
  if (date.toDateString() === now.toDateString()) {
    return time;
  }
  return (date.getFullYear() === now.getFullYear() ? day : dayWithYear).format(date) + ', ' + time;
}

export function exact(iso) {
  const date = new Date(iso);
  return dayWithYear.format(date) + ', ' + clock.format(date) + '.' + String(date.getMilliseconds()).padStart(3, '0') + ' ' + zone(date);
}

/** The browser's zone at that time, as UTC or GMT+1. */
export function zone(date) {
  const part = zoned.formatToParts(date || new Date()).find((each) => each.type === 'timeZoneName');
  return part ? part.value : 'UTC';
}

/** An error in one line where space is short: exceptions without their packages. */
export function shortError(error) {
  return error.split('\n', 1)[0].replace(/\b(?:[a-z_][a-z0-9_]*\.){2,}([A-Z][\w$]*)/g, '$1');
}

export function clockTime(millis, withSeconds) {
  const text = clock.format(new Date(millis));
  return withSeconds ? text : text.slice(0, 5);
}

export function bytes(size) {
  return size < 1024 ? size + ' B' : size < 1048576 ? trim(size / 1024) + ' KB' : trim(size / 1048576) + ' MB';
}

export function plural(n, one, many) {
  return count(n) + ' ' + (n === 1 ? one : many || one + 's');
}
