// What was done for an answer: a timeline of its steps, and the conditions on documents that were understood or left out.
import { el, grid, one, span, words } from './dom.js';

export const DONE = {
  conversation: 'Read the conversation',
  planner: 'Planned the search',
  retriever: 'Searched',
  mapper: 'Read a passage',
  reducer: 'Wrote a draft',
  validator: 'Checked the draft',
  clarifier: 'Asked back',
  gateway: 'Took the question in',
};

/** What comes after a step, for the line that says what is going on. */
export const NEXT = {
  conversation: 'Planning the search',
  planner: 'Searching',
  retriever: 'Reading the passages',
  mapper: 'Reading the passages',
  reducer: 'Checking the draft against its sources',
  validator: 'Finishing',
  clarifier: 'Finishing',
};

export const short = (decided = '') => decided.split(';')[0];

/** When each step began and ended, as far as its times tell: steps of one hop run side by side, hops one after another. */
function times(trail) {
  let [hop, begun, over] = [null, 0, 0];
  return trail.map((entry) => {
    if (entry.hop !== hop) [hop, begun] = [entry.hop, over];
    const worked = begun + (entry.queued_ms ?? 0);
    const ended = worked + (entry.worked_ms ?? 0);
    over = Math.max(over, ended);
    return { entry, begun, worked, ended };
  });
}

function bar({ begun, worked, ended }, total) {
  const part = (kind, from, to) => {
    const made = el('span', { class: kind });
    made.style.left = `${(from / total) * 100}%`;
    made.style.width = `${Math.max(((to - from) / total) * 100, kind === 'worked' ? 1 : 0)}%`;
    return made;
  };
  return el('div', { class: 'bar-of', 'aria-hidden': 'true' }, part('queued', begun, worked), part('worked', worked, ended));
}

function rowOf(time, total) {
  const { entry } = time;
  const { calls = 0, tokens_in = 0, tokens_out = 0 } = entry.usage ?? {};
  const name = (DONE[entry.role] ?? entry.role) + (entry.index === undefined ? '' : ` ${entry.index + 1}`);
  const again = entry.attempt > 1 ? ` (delivery ${entry.attempt})` : '';
  const left = (entry.fallbacks ?? []).map((fallback) => words(fallback.kind));
  return el('tr', {},
    el('th', { scope: 'row' }, name + again, el('small', {}, entry.role)),
    el('td', { class: 'bars' }, bar(time, total)),
    el('td', { class: 'number' }, span(entry.queued_ms ?? 0)),
    el('td', { class: 'number' }, span(entry.worked_ms ?? 0)),
    el('td', { class: 'number' }, calls ? String(calls) : '–'),
    el('td', { class: 'number' }, calls ? `${tokens_in.toLocaleString('en')} / ${tokens_out.toLocaleString('en')}` : '–'),
    el('td', { class: 'decided' }, [entry.decided, entry.model, ...left].filter(Boolean).join(' · ')));
}

function conditions(trail) {
  const said = trail.map((entry) => entry.conditions).filter(Boolean);
  const unique = (pick) => [...new Set(said.flatMap((of) => pick(of) ?? []).map(String))];
  const lists = [
    ['Only documents where', unique((of) => of.filter)],
    ['Documents first where', unique((of) => of.shared?.flatMap((share) => share.conditions))],
    ['Not used', unique((of) => of.dropped)],
    ['In doubt', unique((of) => of.doubts)],
  ];
  return lists.filter(([, items]) => items.length).map(([title, items]) =>
    el('p', { class: 'conditions' }, el('strong', {}, `${title}: `), items.join('; ')));
}

/** The timeline of an ended turn, folded. */
export function timeline(ended) {
  const trail = (ended.trail ?? []).filter((entry) => entry.hop >= (ended.first_hop ?? 0));
  if (!trail.length) return null;
  trail.sort((a, b) => a.hop - b.hop || (a.index ?? -1) - (b.index ?? -1));
  const all = times(trail);
  const total = Math.max(1, ...all.map((time) => time.ended));
  const took = ended.ended_at - ended.asked_at;
  const { calls = 0, tokens_in = 0, tokens_out = 0 } = ended.usage ?? {};
  const sums = [one(trail.length, 'step'), span(took), one(calls, 'model call'), one(tokens_in + tokens_out, 'token')];
  const heads = ['Step', 'When', 'Waited', 'Worked', 'Calls', 'Tokens in / out', 'What came of it'];
  return el('details', { class: 'trail' },
    el('summary', {}, 'How it was answered: ', sums.join(', ')),
    ...conditions(trail),
    grid('Timeline', heads, all.map((time) => rowOf(time, total))));
}
