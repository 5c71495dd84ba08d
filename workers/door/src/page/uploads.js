// Documents on their way in: each file with its progress, and what has become of it.
import { BASE, KEY, Problem, json } from './api.js';
import { by, el, one } from './dom.js';

/** How often it is looked whether a document is indexed. */
const LOOK_EVERY = 500;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const encoded = (source) => source.split('/').map(encodeURIComponent).join('/');

/** Sends a file; `tell` hears which part of it has gone. `fetch` does not say that. */
function put(source, file, tell) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', new URL(`api/documents/${encoded(source)}`, BASE));
    const key = sessionStorage.getItem(KEY);
    if (key) request.setRequestHeader('authorization', `Bearer ${key}`);
    request.setRequestHeader('prefer', 'respond-async');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => tell(loaded / total);
    request.onload = () => (request.status < 300 ? resolve(request.response) : reject(new Problem(request.status, request.response ?? {})));
    request.onerror = () => reject(new Error('The connection broke off.'));
    request.send(file);
  });
}

/** Sends a file and follows it until it can be searched; returns whether it can. */
async function take(source, file, item) {
  const bar = el('progress', { max: 1, value: 0, 'aria-label': source });
  const state = el('span', { class: 'quiet' });
  const say = (text) => (state.textContent = text);
  item.append(el('strong', {}, source), bar, state);
  try {
    say('Sending …');
    let known = await put(source, file, (part) => {
      bar.value = part;
      say(part < 1 ? `Sending, ${Math.round(part * 100)} %` : 'Being stored …');
    });
    bar.removeAttribute('value');
    say('Being indexed …');
    while (known.waits) {
      await pause(LOOK_EVERY);
      known = await json(`api/documents/${encoded(source)}`);
    }
    if (known.problem) throw new Problem(422, { detail: known.problem.message, code: known.problem.code });
    const leftOut = known.left_out ? `; left out of it: ${known.left_out.message}` : '';
    say(`Can be searched, ${one(known.chunks, 'passage')}${leftOut}`);
    return true;
  } catch (error) {
    say(`Not taken: ${error.message}${error.code ? ` (${error.code})` : ''}`);
    item.classList.add('box', 'bad');
    return false;
  } finally {
    bar.remove();
  }
}

/** Offers to upload, where the door takes documents and the login may store them. `done` hears when there are new ones. */
export function offer({ scopes, takes_documents: takes }, done) {
  const place = by('uploads');
  if (!takes || !scopes.includes('write') || place.firstChild) return;
  const files = el('input', { type: 'file', id: 'files', multiple: true, required: true });
  const folder = el('input', { id: 'folder', maxlength: 500, placeholder: 'contracts/2026' });
  const button = el('button', { type: 'submit', class: 'main' }, 'Upload');
  const list = el('ul', { id: 'taken' });
  const upload = async (event) => {
    event.preventDefault();
    button.disabled = true;
    const under = folder.value.split('/').map((part) => part.trim()).filter(Boolean);
    const all = [...files.files].map((file) => ({ file, item: el('li') }));
    list.prepend(...all.map(({ item }) => item));
    let hasNew = false;
    // One after another: a door takes a few at a time.
    for (const { file, item } of all) hasNew = (await take([...under, file.name].join('/'), file, item)) || hasNew;
    button.disabled = false;
    files.value = '';
    if (hasNew) done();
  };
  place.append(
    el('form', { id: 'uploader', class: 'box', onsubmit: upload },
      el('label', { for: 'files' }, 'Files'), files,
      el('label', { for: 'folder' }, 'Folder, if they belong in one'), folder, button),
    el('div', { role: 'log', 'aria-label': 'Uploads' }, list));
}
