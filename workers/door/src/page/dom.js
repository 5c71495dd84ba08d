// Builds elements and finds them. Every text goes in as text: nothing here, or anywhere in this page, reads markup.

/** An element with attributes, listeners (names that begin with `on`, as functions) and children. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The element of this id. */
export const by = (id) => document.getElementById(id);

/** Shows a modal dialog; each of its buttons with `data-close` closes it. */
export function open(dialog) {
  if (!dialog.dataset.wired) {
    dialog.dataset.wired = 'yes';
    for (const button of dialog.querySelectorAll('[data-close]')) button.addEventListener('click', () => dialog.close());
    // A click on what lies around the dialog.
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  }
  if (!dialog.open) dialog.showModal();
}

/** A box with what went wrong. */
export function problem(error) {
  const more = error.code ? ` (${error.code})` : '';
  return el('p', { class: 'box bad', role: 'alert' }, el('strong', {}, 'That did not work. '), error.message + more);
}

/** A table that scrolls by itself where it is too wide. */
export const grid = (label, heads, rows, caption = '') =>
  el('div', { class: 'wide', role: 'group', tabindex: 0, 'aria-label': label },
    el('table', {}, caption && el('caption', {}, caption),
      el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, rows)));

/** A name of a field, as words. */
export const words = (name) => name.replaceAll('_', ' ');

export const one = (count, word, words = `${word}s`) => `${count.toLocaleString('en')} ${count === 1 ? word : words}`;

/** Milliseconds, in words. */
export const span = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`);

/** A file's place in the corpus. */
export const place = (of) =>
  of.source + (of.page ? `, page ${of.page}${of.page_name ? ` (${of.page_name})` : ''}` : of.line ? `, line ${of.line}` : '');
