// JSON for people, token by token: numbers and order stay as they were written.

import {h} from './dom.js';

const TOKEN = /\s+|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;

function tokens(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) {
      return null;
    }
    if (match[0].trim()) {
      found.push(match[0]);
    }
  }
  return found;
}

function kind(token, isKey) {
  if (token[0] === '"') {
    return isKey ? 'json-key' : 'json-string';
  }
  return /[{}[\],:]/.test(token) ? null : /^[tfn]/.test(token) ? 'json-literal' : 'json-number';
}

/** Indented and colored; null if it is no JSON. */
export function prettyJson(text) {
  try {
    JSON.parse(text);
  } catch (e) {
    return null;
  }
  const all = tokens(text);
  if (!all) {
    return null;
  }
  const code = h('code', {});
  let depth = 0;
  const line = () => code.append('\n' + '  '.repeat(depth));
  all.forEach((token, i) => {
    const opens = token === '{' || token === '[';
    const closes = token === '}' || token === ']';
    const empty = closes && (all[i - 1] === '{' || all[i - 1] === '[');
    if (closes) {
      depth--;
      if (!empty) {
        line();
      }
    }
    const style = kind(token, all[i + 1] === ':');
    code.append(style ? h('span', {class: style}, token) : token);
    if (opens) {
      depth++;
      if (all[i + 1] !== '}' && all[i + 1] !== ']') {
        line();
      }
    } else if (token === ',') {
      line();
    } else if (token === ':') {
      code.append(' ');
    }
  });
  return code;
}

/** Offset, sixteen bytes, and the letters among them. */
export function hexDump(bytes) {
  const lines = [];
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const row = [...bytes.subarray(offset, offset + 16)];
    const hex = row.map((b) => b.toString(16).padStart(2, '0'));
    const left = hex.slice(0, 8).join(' ').padEnd(23);
    const right = hex.slice(8).join(' ').padEnd(23);
    const letters = row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : '·')).join('');
    lines.push(offset.toString(16).padStart(6, '0') + '  ' + left + '  ' + right + '  ' + letters);
  }
  return lines.join('\n');
}

export function decodeBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** Null if it is not UTF-8. */
export function asText(bytes) {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch (e) {
    return null;
  }
}
