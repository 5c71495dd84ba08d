// Speaks with the door: requests with the key of this tab, and a turn's events, which are taken up again where they broke.
import { by, open } from './dom.js';

export const BASE = new URL('.', import.meta.url);
export const KEY = 'argosy-key';
/** The door says every 15 s that a stream lives. */
const SILENCE_MAX = 45_000;
const PAUSE_MIN = 500;
const PAUSE_MAX = 8_000;
/** After so many streams in a row that told nothing, the end is asked for by itself. */
const UNHEARD_MAX = 3;

/** Why the door refused: `status`, `code`, and a sentence. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `the door answered with status ${status}`);
    this.status = status;
    this.code = body.code;
  }
  /** Whether the same request may succeed a little later. */
  get mayPass() {
    return [429, 502, 503].includes(this.status);
  }
}

let asking = null;

/** Asks for a key, once for all requests that want one. Resolves to whether there is one now. */
function askForKey(why) {
  asking ??= new Promise((resolve) => {
    const dialog = by('key');
    const form = dialog.querySelector('form');
    by('key-why').textContent = why;
    form.onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEY, by('key-field').value.trim());
      by('key-field').value = '';
      dialog.close('given');
    };
    dialog.returnValue = '';
    dialog.onclose = () => {
      asking = null;
      resolve(dialog.returnValue === 'given');
    };
    open(dialog);
  });
  return asking;
}

/** Sends a request; throws a `Problem` unless it succeeds. */
export async function send(path, { method = 'GET', body, headers = {}, signal } = {}) {
  for (;;) {
    const key = sessionStorage.getItem(KEY);
    const all = { ...headers };
    if (key) all.authorization = `Bearer ${key}`;
    if (body) all['content-type'] = 'application/json';
    const response = await fetch(new URL(path, BASE), { method, headers: all, body: body && JSON.stringify(body), signal, cache: 'no-store' });
    if (response.ok) return response;
    const problem = new Problem(response.status, await response.json().catch(() => ({})));
    if (problem.status !== 401) throw problem;
    // Another request may have asked for the key meanwhile.
    const isNew = sessionStorage.getItem(KEY) !== key;
    if (!isNew && !(await askForKey(problem.message))) throw problem;
  }
}

export async function json(path, options) {
  const response = await send(path, options);
  return response.status === 204 ? null : response.json();
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function read(reader) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('the stream went silent')), SILENCE_MAX);
  });
  try {
    return await Promise.race([reader.read(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The events of a stream until it ends, whole ones only. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  try {
    for (;;) {
      const { value, done } = await read(reader);
      if (done) return;
      const parts = (buffered + value).split(/\r?\n\r?\n/);
      buffered = parts.pop();
      for (const part of parts) {
        const event = { name: 'message', id: null, data: '' };
        for (const line of part.split(/\r?\n/)) {
          const at = line.indexOf(':');
          const field = line.slice(0, at);
          const text = line.slice(at + 1).replace(/^ /, '');
          if (field === 'event') event.name = text;
          if (field === 'id') event.id = text;
          if (field === 'data') event.data += text;
        }
        if (event.data) yield { ...event, data: JSON.parse(event.data) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A key by which the door knows a second try of the same question. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Follows a turn to its end, which is returned: a new one of `question`, or the one that is known. `tell` hears each event once.
 * A stream that breaks is taken up behind its last numbered event, as often as it takes.
 */
export async function follow({ question, turn, tell, signal }) {
  const key = newKey();
  let last = 0;
  for (let failures = 0; ; failures += 1) {
    try {
      // Before its first step a turn may not be taken yet: the same question under the same key is the same turn.
      const { body, headers } = turn && (last || !question)
        ? await send(`api/turns/${turn}/events`, { headers: last ? { 'last-event-id': last } : {}, signal })
        : await send('api/turns', { method: 'POST', body: question, headers: { accept: 'text/event-stream', 'idempotency-key': key }, signal });
      // Known before the first event, should the stream break in front of it.
      turn ??= headers.get('location')?.split('/').at(-1);
      for await (const { name, id, data } of eventsOf(body)) {
        if (name === 'turn') turn = data.turn;
        else failures = 0;
        if (name === 'step') {
          if (Number(id) <= last) continue;
          last = Number(id);
        }
        tell(name, data);
        if (name === 'answer') return data;
      }
    } catch (error) {
      const isBroken = error instanceof Problem ? error.mayPass : error instanceof TypeError;
      if (signal.aborted || !isBroken) throw error;
    }
    tell('broken', { turn });
    if (turn && failures >= UNHEARD_MAX) {
      // Something between here and the door lets no stream through.
      const known = await json(`api/turns/${turn}`, { signal }).catch(() => ({}));
      if (known.outcome) return known;
    }
    await pause(Math.min(PAUSE_MIN * 2 ** failures, PAUSE_MAX));
    if (signal.aborted) throw signal.reason;
  }
}
