// One question of the thread: its steps as they happen, its draft, and its end.
import { follow, json } from './api.js';
import { shown, spoken } from './answer.js';
import { by, el, problem, span } from './dom.js';
import { DONE, NEXT, short } from './trail.js';

export class Turn {
  #steps = el('ol', { class: 'steps', 'aria-live': 'polite', 'aria-relevant': 'additions', 'aria-label': 'Steps' });
  #now = el('p', { class: 'now' });
  #draft = el('p', { class: 'draft-text' });
  #drafted = el('section', { class: 'draft', hidden: true, 'aria-label': 'Draft' },
    el('p', { class: 'tag' }, 'Draft, not checked yet'), this.#draft);
  #end = el('div', { class: 'end' });
  #parts = new Set();
  #reading = null;
  #stopped = new AbortController();
  #question;
  #reply;
  id = null;
  /** The terminal event, after the end. */
  ended = null;

  /** `reply` answers a question back of this turn. */
  constructor(question, reply) {
    this.#question = el('h2', { class: 'question' }, question);
    this.#reply = reply;
    this.element = el('article', { class: 'turn', 'aria-busy': 'true' }, this.#question, this.#steps, this.#now, this.#drafted, this.#end);
  }

  /** Asks, and follows it. Resolves to the terminal event. */
  ask(fields, begun) {
    this.#say('Asking');
    return this.#follow({ question: { ...fields, stream: true } }, begun);
  }

  /** Shows a turn that was asked earlier, and follows it if it still runs. */
  async take(id) {
    this.id = id;
    const known = await json(`api/turns/${encodeURIComponent(id)}`);
    return known.outcome ? this.#finish(known) : this.#follow({ turn: id });
  }

  /** Shows what a conversation keeps of a turn whose event is gone. */
  keep({ answer, asked_back: back, outcome }) {
    this.element.removeAttribute('aria-busy');
    this.#now.remove();
    this.#end.append(el('p', { class: 'answer' }, answer ?? (typeof back === 'string' ? back : back?.question) ?? outcome ?? ''),
      el('p', { class: 'quiet' }, 'Its sources are no longer kept.'));
  }

  async stop() {
    const id = this.id;
    if (!id) return this.#stopped.abort(new Error('Stopped before it was asked.'));
    this.#say('Stopping');
    return json(`api/turns/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch((error) => this.#end.append(problem(error)));
  }

  /** Its question back can no longer be answered by a click. */
  close() {
    for (const button of this.element.querySelectorAll('.options button')) button.disabled = true;
  }

  /** Shows why there is no end of it. */
  fail(error) {
    this.element.removeAttribute('aria-busy');
    for (const gone of [this.#now, this.#drafted]) gone.remove();
    if (error.name !== 'AbortError') this.#end.replaceChildren(problem(error));
  }

  /** Leaves it alone: another view is shown. */
  leave() {
    this.#stopped.abort(new DOMException('left', 'AbortError'));
  }

  async #follow(of, begun) {
    try {
      const tell = (name, data) => {
        if (name === 'turn') {
          this.id = data.turn;
          begun?.(data.turn);
        }
        this.#hear(name, data);
      };
      return this.#finish(await follow({ ...of, tell, signal: this.#stopped.signal }), true);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  #say(text) {
    this.#now.textContent = `${text} …`;
  }

  #hear(name, data) {
    if (name === 'step') this.#step(data);
    if (name === 'part') this.#part(data);
    if (name === 'expected') this.#say(`${data.role === 'reducer' ? 'Writing' : NEXT[data.role] ?? 'Working'}, likely ${span(data.expected_ms)}`);
    if (name === 'draft') this.#show(this.#draft.textContent + data.text);
    // What was missed of a draft does not come again.
    if (name === 'reset' || name === 'broken') this.#show('');
    if (name === 'broken') this.#say('The connection broke off; taking it up again');
  }

  #show(draft) {
    this.#draft.textContent = draft;
    this.#drafted.hidden = !draft;
  }

  #step(entry) {
    this.#steps.append(el('li', { 'data-hop': entry.hop }, DONE[entry.role] ?? entry.role, el('span', { class: 'quiet' }, short(entry.decided))));
    this.#reading = null;
    this.#say(NEXT[entry.role] ?? 'Working');
  }

  #part(entry) {
    this.#parts.add(`${entry.hop}.${entry.index}`);
    if (!this.#reading) this.#steps.append((this.#reading = el('li', {}, 'Read passages', el('span', { class: 'quiet' }))));
    const here = [...this.#parts].filter((part) => part.startsWith(`${entry.hop}.`)).length;
    this.#reading.lastChild.textContent = String(here);
  }

  #finish(ended, isNew = false) {
    this.id = ended.turn;
    this.ended = ended;
    this.element.removeAttribute('aria-busy');
    for (const gone of [this.#steps, this.#now, this.#drafted]) gone.remove();
    this.#end.replaceChildren(...shown(ended, this.#reply));
    if (isNew) by('announcer').textContent = spoken(ended);
    return ended;
  }
}
