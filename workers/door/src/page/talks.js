// The list of conversations: open one, erase one.
import { json } from './api.js';
import { by, el, open } from './dom.js';

/** Of so many conversations the first question is looked up, to name them. */
const NAMED_MAX = 8;
const names = new Map();

export const path = (id) => `api/conversations/${encodeURIComponent(id)}`;

/** Says what a conversation is called. */
export const name = (id, question) => names.set(id, question);

const day = (ms) => new Date(ms).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

async function nameIt(id, link) {
  if (!names.has(id)) {
    const { turns } = await json(path(id));
    if (turns.length) name(id, turns[0].question);
  }
  link.firstChild.textContent = names.get(id) ?? 'Conversation';
}

function erase(id, gone) {
  const dialog = by('erase');
  by('erase-what').textContent = names.get(id) ?? 'Conversation';
  by('erase-yes').onclick = async () => {
    by('erase-yes').disabled = true;
    try {
      await json(path(id), { method: 'DELETE' });
      dialog.close();
      gone(id);
    } catch (error) {
      by('erase-what').textContent = error.message;
    }
    by('erase-yes').disabled = false;
  };
  open(dialog);
}

/** Shows them; `current` is open. `go` opens one, `gone` hears of one that was erased. */
export async function loadTalks(current, go, gone) {
  const list = by('talks');
  try {
    const { conversations, more } = await json('api/conversations');
    const alive = conversations.filter((talk) => !talk.is_erased && !talk.is_newer);
    const made = alive.map(({ conversation: id, last }) => {
      const opened = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(`?conversation=${id}`);
      };
      const link = el('a', { href: `?conversation=${id}`, 'aria-current': id === current && 'page', onclick: opened },
        el('span', {}, names.get(id) ?? 'Conversation'), el('small', {}, day(last)));
      const button = el('button', { type: 'button', class: 'erase', onclick: () => erase(id, gone), title: 'Erase' },
        el('span', { class: 'hidden' }, `Erase the conversation of ${day(last)}`), el('span', { 'aria-hidden': 'true' }, '×'));
      return { id, link, item: el('li', {}, link, button) };
    });
    list.replaceChildren(...made.map(({ item }) => item));
    by('talks-note').textContent = alive.length ? (more ? 'There are more, which are older.' : '') : 'None yet.';
    for (const { id, link } of made.slice(0, NAMED_MAX)) await nameIt(id, link).catch(() => {});
  } catch (error) {
    list.replaceChildren();
    by('talks-note').textContent = error.status === 403 ? 'This key may not read conversations.' : error.message;
  }
}
