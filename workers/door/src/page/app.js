// The page: which view is shown, and the thread of questions.
import { json } from './api.js';
import { loadCatalog, search } from './corpus.js';
import { by, el, problem } from './dom.js';
import * as talks from './talks.js';

/** So many turns of a conversation are shown at first. */
const SHOWN_MAX = 20;
const VIEWS = ['ask', 'search', 'documents', 'fleet'];

const state = { conversation: null, turns: [], running: null, hasTalks: true };

/** What the login may do; nothing, where that cannot be known. */
const login = json('api/login').catch(() => ({ scopes: [] }));
const catalog = () => loadCatalog(ask);

/** The query of the address that is shown. */
let shown = null;
let Turn = null;

/** What a thread needs is loaded when there is one: the first view does without. */
async function ready() {
  Turn ??= (await import('./turn.js')).Turn;
}

function show(view) {
  for (const name of VIEWS) by(name).hidden = name !== view;
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  menu(false);
  // Each looks by itself whether its view is shown.
  if (view === 'documents') login.then(async (may) => (await import('./uploads.js')).offer(may, catalog));
  if (view === 'fleet') import('./fleet.js').then(({ watch }) => watch());
}

function menu(isOpen) {
  by('menu').setAttribute('aria-expanded', String(isOpen));
  document.body.classList.toggle('menu', isOpen);
}

function tidy() {
  const isRunning = state.running !== null;
  const last = state.turns.at(-1)?.ended;
  by('start').hidden = state.turns.length > 0;
  by('ask-title').classList.toggle('hidden', state.turns.length > 0);
  by('send').hidden = isRunning;
  by('stop').hidden = !isRunning;
  for (const turn of state.turns) if (isRunning || turn !== state.turns.at(-1)) turn.close();
  by('replying').hidden = isRunning || last?.outcome !== 'clarification';
}

function clear(conversation) {
  for (const turn of state.turns) turn.leave();
  Object.assign(state, { conversation, turns: [], running: null });
  by('thread').replaceChildren();
  tidy();
}

function add(question) {
  const turn = new Turn(question, (reply) => ask(reply, turn));
  state.turns.push(turn);
  by('thread').append(turn.element);
  return turn;
}

/** The conversation that a question belongs to: the one that is open, or a new one. */
async function conversationOf(question) {
  if (!state.hasTalks) return null;
  if (!state.conversation) {
    const { conversation } = await json('api/conversations', { method: 'POST' });
    state.conversation = conversation;
    talks.name(conversation, question);
  }
  return state.conversation;
}

async function fieldsOf(question, back) {
  const conversation = await conversationOf(question);
  const fields = { question };
  if (conversation) fields.conversation = conversation;
  if (back?.ended?.clarification) fields.reply_to_clarification = back.ended.clarification.id;
  return fields;
}

/** Asks; `back` is the turn whose question back this answers. */
async function ask(question, back = state.turns.at(-1)) {
  await ready();
  if (state.running || !question.trim()) return;
  show('ask');
  const turn = add(question.trim());
  state.running = turn;
  tidy();
  turn.element.scrollIntoView({ block: 'start' });
  try {
    const fields = await fieldsOf(question.trim(), back);
    const { conversation } = fields;
    const at = (id) => {
      if (state.running !== turn) return;
      shown = conversation ? `?conversation=${conversation}` : `?turn=${id}`;
      history.replaceState(null, '', shown);
    };
    const ended = await turn.ask(fields, at);
    const takesNone = ended.error?.code === 'unsupported' && conversation && !state.turns[1];
    if (takesNone && state.hasTalks) {
      // This fleet takes no conversations: each question stands alone.
      state.hasTalks = false;
      clear(null);
      return await ask(question);
    }
  } catch (error) {
    turn.fail(error);
    if (!turn.id) by('question').value ||= question;
  } finally {
    if (state.running === turn) {
      state.running = null;
      turn.element.scrollIntoView({ block: 'start' });
    }
    tidy();
  }
  refresh();
}

const refresh = () => talks.loadTalks(state.conversation, go, (id) => {
  if (id === state.conversation) go('./');
  else refresh();
  by('new').focus();
});

/** Shows a turn that was asked before. */
async function take(question, id, kept) {
  const turn = add(question);
  try {
    await turn.take(id);
  } catch (error) {
    if (kept && error.status === 404) turn.keep(kept);
    else turn.fail(error);
  }
  return turn;
}

async function openConversation(id) {
  clear(id);
  try {
    await ready();
    // One that was erased is no more: that is said below, and is no fault.
    const { turns } = await json(talks.path(id)).catch((error) => {
      if (error.status === 404) return { turns: [] };
      throw error;
    });
    if (state.conversation !== id) return;
    if (turns.length) talks.name(id, turns[0].question);
    else by('thread').append(el('p', { class: 'box' }, 'Nothing is kept of this conversation; it may have been erased.'));
    const early = turns.slice(0, -SHOWN_MAX);
    if (early.length) {
      const list = () => early.map((of) => el('article', { class: 'turn' }, el('h2', { class: 'question' }, of.question), el('p', { class: 'answer' }, of.answer ?? of.outcome ?? '')));
      const more = el('button', { type: 'button', onclick: () => more.replaceWith(...list()) }, `Show ${early.length} earlier`);
      by('thread').append(more);
    }
    const taken = turns.slice(-SHOWN_MAX).map((of) => take(of.question, of.turn, of));
    const last = state.turns.at(-1);
    if (turns.length && !turns.at(-1).outcome) state.running = last;
    tidy();
    await Promise.all(taken);
    if (state.running === last) state.running = null;
    if (state.conversation === id) last?.element.scrollIntoView({ block: 'start' });
  } catch (error) {
    by('thread').append(problem(error));
  }
  tidy();
}

async function openTurn(id, hash) {
  clear(null);
  const cited = /^#citation-(\d{1,4})$/.exec(hash);
  if (cited) import('./passage.js').then(({ showCitation }) => showCitation(id, Number(cited[1])));
  await ready();
  const turn = add('An answer given earlier');
  state.running = turn;
  tidy();
  await turn.take(id).catch((error) => turn.fail(error));
  if (state.running === turn) state.running = null;
  const { conversation } = turn.ended ?? {};
  if (conversation && state.turns.includes(turn)) {
    // What was asked is kept with its conversation, and a further question goes on with it.
    state.conversation = conversation;
    const kept = await json(talks.path(conversation)).catch(() => null);
    const asked = kept?.turns.find((of) => of.turn === id)?.question;
    if (asked) turn.element.querySelector('.question').textContent = asked;
  }
  tidy();
}

/** Shows what the address says. */
function route() {
  const { search: query, hash } = location;
  const view = VIEWS.includes(hash.slice(1)) ? hash.slice(1) : 'ask';
  show(view);
  if (query !== shown) {
    shown = query;
    const wanted = new URLSearchParams(query);
    if (wanted.get('turn')) openTurn(wanted.get('turn'), hash);
    else if (wanted.get('conversation')) openConversation(wanted.get('conversation'));
    else clear(null);
    refresh();
  }
}

function go(url) {
  history.pushState(null, '', url);
  shown = null;
  route();
  by('question').focus();
}

function wire() {
  const field = by('question');
  by('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    if (state.running) return;
    ask(field.value);
    field.value = '';
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    by('composer').requestSubmit();
  });
  field.addEventListener('focus', ready, { once: true });
  by('stop').addEventListener('click', () => state.running?.stop().finally(() => field.focus()));
  by('searcher').addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  by('new').addEventListener('click', () => go('./'));
  by('home').addEventListener('click', (event) => {
    event.preventDefault();
    go('./');
  });
  by('menu').addEventListener('click', () => menu(by('menu').getAttribute('aria-expanded') !== 'true'));
  for (const link of document.querySelectorAll('[data-view]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      history.pushState(null, '', `${location.search}#${link.dataset.view}`);
      route();
      by(`${link.dataset.view}-title`).focus();
    });
  }
  by('passage').addEventListener('close', () => {
    if (location.hash.startsWith('#citation-')) history.replaceState(null, '', location.pathname + location.search);
  });
  addEventListener('keydown', (event) => event.key === 'Escape' && menu(false));
  addEventListener('popstate', route);
}

wire();
route();
catalog();
login.then(({ scopes }) => (document.querySelector('[data-view=fleet]').hidden = !scopes.includes('operate')));
