// The fleet, for whoever operates it: its roles, what waits for them, and how full its streams are.
import { json } from './api.js';
import { by, el, grid, one, problem, span, words } from './dom.js';

/** How often it is looked, while it is shown. */
const LOOK_EVERY = 5_000;

const ROLES = ['Role', 'Ready', 'At work', 'Waiting', 'Oldest', 'p50', 'p95', 'Handled', 'Errors', 'Dead letters'];
const STREAMS = ['Stream', 'Messages', 'MB', 'Full'];

const number = (value, isBad) =>
  el('td', { class: 'number' }, isBad ? el('strong', { class: 'bad' }, value) : value);
const count = (value) => (value ?? '?').toLocaleString('en');
const time = (ms) => (ms === undefined ? '–' : span(ms));

function roleOf(of) {
  const why = (of.reasons ?? []).join('; ');
  return el('tr', {},
    el('th', { scope: 'row' }, words(of.role), el('small', {}, [...(of.versions ?? []), why].filter(Boolean).join(' · '))),
    number(`${of.ready} of ${of.processes}`, of.ready < of.processes || (!of.processes && of.pending > 0)),
    number(`${count(of.in_flight)} of ${count(of.limit)}`),
    number(count(of.pending), of.pending === null),
    ...[of.oldest_ms, of.p50_ms, of.p95_ms].map((ms) => number(time(ms))),
    number(count(of.answered)),
    number(count(of.errors), of.errors > 0),
    number(count(of.dead_letters), of.dead_letters > 0));
}

const streamOf = (of) => el('tr', {},
  el('th', { scope: 'row' }, of.stream),
  number(count(of.messages)),
  number((of.bytes / 1e6).toFixed(1)),
  number(`${of.percent.toFixed(1)} %`, of.short));

let parts = null;

/** The tables once, so that whoever has scrolled in one stays there. */
function made() {
  if (!parts) {
    const [roles, streams] = [grid('Roles', ROLES, []), grid('Streams', STREAMS, [])];
    parts = { note: el('p', { class: 'quiet' }), roles, streams };
    by('roles').replaceChildren(parts.note, el('h2', {}, 'Roles'), roles, el('h2', {}, 'Streams'), streams);
  }
  return parts;
}

export function show({ at_ms: at, roles, streams, inbox }) {
  const { note, ...tables } = made();
  const waiting = inbox?.pending ?? 0;
  const alone = roles.some((role) => role.processes) ? '' : ' No process reports: the roles of a door over a folder work in its own, and tell less.';
  note.textContent = `${new Date(at).toLocaleTimeString()}: ${one(waiting, 'question')} not taken yet${inbox?.oldest_ms ? `, the oldest ${span(inbox.oldest_ms)} ago` : ''}.${alone}`;
  tables.roles.querySelector('tbody').replaceChildren(...roles.map(roleOf));
  tables.streams.querySelector('tbody').replaceChildren(...streams.map(streamOf));
}

let timer = null;

/** Shows it now, and again while its view is shown. */
export async function watch() {
  clearTimeout(timer);
  if (by('fleet').hidden) return;
  try {
    if (!document.hidden) show(await json('api/fleet'));
  } catch (error) {
    parts = null;
    by('roles').replaceChildren(problem(error));
    // A login that may not look never may.
    if (error.status === 403) return;
  }
  clearTimeout(timer);
  timer = setTimeout(watch, LOOK_EVERY);
}
