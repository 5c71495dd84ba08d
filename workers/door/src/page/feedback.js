// What can be done with an answer: say whether it is good, and go on from it in another conversation.
import { json } from './api.js';
import { el } from './dom.js';

const path = (id) => encodeURIComponent(id);

/** The buttons below an answer, with what came of them. */
export function below({ turn, conversation }) {
  const said = el('span', { role: 'status', class: 'quiet' });
  const tell = async (thanks, ...request) => {
    try {
      const done = await json(...request);
      said.textContent = thanks;
      return done;
    } catch (error) {
      said.textContent = error.message;
      return null;
    }
  };
  const comment = el('input', { maxlength: 1000, placeholder: 'Why? (optional)', 'aria-label': 'Why' });
  const judge = (good) => {
    const body = comment.value.trim() ? { good, comment: comment.value.trim() } : { good };
    return tell('Thank you.', `api/turns/${path(turn)}/feedback`, { method: 'POST', body });
  };
  let is;
  const why = el('form', { class: 'judging', hidden: true, autocomplete: 'off', onsubmit: (event) => {
    event.preventDefault();
    judge(is);
    why.hidden = true;
  } }, comment, el('button', { type: 'submit' }, 'Send'));
  const button = (name, good) => el('button', { type: 'button', 'aria-pressed': 'false', onclick: ({ target }) => {
    is = good;
    for (const one of row.querySelectorAll('[aria-pressed]')) one.setAttribute('aria-pressed', String(one === target));
    why.hidden = false;
    judge(good);
  } }, name);
  const fork = async () => {
    const request = { method: 'POST', body: { after: turn } };
    const forked = await tell('Opening it …', `api/conversations/${path(conversation)}/fork`, request);
    if (forked) location.assign(`?conversation=${path(forked.conversation)}`);
  };
  const row = el('div', { class: 'judging', role: 'group', 'aria-label': 'This answer' },
    button('Good', true), button('Not good', false),
    conversation ? el('button', { type: 'button', onclick: fork, title: 'Begins another conversation with everything up to here' }, 'Fork') : '',
    said);
  return el('div', { class: 'below' }, row, why);
}
