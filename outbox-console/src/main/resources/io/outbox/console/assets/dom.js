// Elements are made here and nowhere else. Whatever comes from an event becomes a text node.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'class') {
      element.setAttribute('class', value);
    } else if (name === 'value' || name === 'checked' || name === 'disabled') {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) {
      continue;
    }
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** An element: h('a', {href: '#/'}, 'text', other). */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Puts these children in place of the old ones. */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

const PATHS = {
  overview: ['M3 12h4l3-8 4 16 3-8h4'],
  events: ['M8 6h13', 'M8 12h13', 'M8 18h13', 'M3.5 6h.01', 'M3.5 12h.01', 'M3.5 18h.01'],
  delivery: ['M20.5 3.5L3.5 10.2l7 3.3 3.3 7z', 'M20.5 3.5l-10 10'],
  subscriptions: ['M3 12h6', 'M9 12c4 0 3-6 7-6h5', 'M9 12h12', 'M9 12c4 0 3 6 7 6h5'],
  archive: ['M3 4.5h18v4.5H3z', 'M5 9v10.5h14V9', 'M10 13h4'],
  activity: ['M12 7v5l3.2 2', 'M3.6 9.5A9 9 0 1 1 3 12', 'M3 4.5v5h5'],
  sun: ['M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z', 'M12 2v2', 'M12 20v2', 'M4.9 4.9l1.4 1.4', 'M17.7 17.7l1.4 1.4', 'M2 12h2', 'M20 12h2', 'M4.9 19.1l1.4-1.4', 'M17.7 6.3l1.4-1.4'],
  moon: ['M20.5 14.5A8.5 8.5 0 0 1 9.5 3.5a8.5 8.5 0 1 0 11 11z'],
  help: ['M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z', 'M9.3 9.2a2.8 2.8 0 0 1 5.4.9c0 1.9-2.7 2.3-2.7 3.9', 'M12 17.2h.01'],
  refresh: ['M20 11a8 8 0 0 0-14.3-4L3 9.5', 'M3 4.5v5h5', 'M4 13a8 8 0 0 0 14.3 4l2.7-2.5', 'M21 19.5v-5h-5'],
  search: ['M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z', 'M20.5 20.5L16 16'],
  close: ['M6 6l12 12', 'M18 6L6 18'],
  check: ['M5 12.5l4.5 4.5L19 7.5'],
  copy: ['M9 9h10v11H9z', 'M15 9V4H5v11h4'],
  down: ['M6 9.5l6 6 6-6'],
  right: ['M9.5 6l6 6-6 6'],
  left: ['M14.5 6l-6 6 6 6'],
  alert: ['M12 3.5L2.5 20h19z', 'M12 10v4.5', 'M12 17.3h.01'],
  replay: ['M3.6 9.5A9 9 0 1 1 3 12', 'M3 4.5v5h5'],
  kill: ['M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z', 'M15 9l-6 6', 'M9 9l6 6'],
  reschedule: ['M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z', 'M12 7v5l3.2 2'],
  release: ['M6 11h12v9H6z', 'M9 11V7.5a3.5 3.5 0 0 1 6.7-1.4'],
  purge: ['M4 7h16', 'M9 7V4h6v3', 'M6.5 7l1 13h9l1-13', 'M10.5 11v5.5', 'M13.5 11v5.5'],
  skip: ['M5 5l9 7-9 7z', 'M18 5v14'],
  pause: ['M9 5v14', 'M15 5v14'],
  play: ['M7 4.5l12 7.5-12 7.5z'],
  filter: ['M3 5h18l-7 8.5V19l-4 2v-7.5z'],
  download: ['M12 4v11', 'M7.5 11l4.5 4.5 4.5-4.5', 'M4 20h16'],
  logout: ['M10 4H5v16h5', 'M15 8l4 4-4 4', 'M19 12H9'],
  lock: ['M6 11h12v9H6z', 'M8.5 11V7.5a3.5 3.5 0 0 1 7 0V11'],
  stop: ['M7 7h10v10H7z'],
  box: ['M5 13.5v5A1.5 1.5 0 0 0 6.5 20h11a1.5 1.5 0 0 0 1.5-1.5v-5', 'M12 15.5V4', 'M7.8 8L12 3.8 16.2 8'],
};

/** A drawing that says nothing to a screen reader: the text beside it does. */
export function icon(name) {
  return s(
    'svg',
    {class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true'},
    PATHS[name].map((d) => s('path', {d})));
}
