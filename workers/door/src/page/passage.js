// The sheet with a passage: behind a citation of an answer, or found by a search.
import { json, send } from './api.js';
import { by, el, open, place, problem, words } from './dom.js';
import { marked } from './text.js';

/** Saves the document itself. A link could not say the key; and shown here, a document could do what this page can. */
async function save(at, name) {
  // The page may be below another prefix than the door knows of.
  const response = await send(at.slice(at.indexOf('api/file?')));
  const whole = new Blob([await response.blob()], { type: 'application/octet-stream' });
  const href = URL.createObjectURL(whole);
  el('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

function original(file, source) {
  const saved = () => save(file, source.split('/').at(-1)).catch((error) => button.replaceWith(problem(error)));
  const button = el('button', { type: 'button', onclick: saved }, 'Save the document');
  return el('p', {}, button);
}

/** Shows a passage; `quote` is marked in it. */
function show(of, passage, quote, file) {
  const body = by('passage-body');
  by('passage-title').textContent = of.title || of.source;
  const { made, found } = passage ? marked(passage.text, quote ?? '') : { made: [], found: false };
  const metadata = Object.entries(passage?.metadata ?? {});
  body.replaceChildren(
    el('p', { class: 'quiet' }, place(of)),
    quote && !found ? el('blockquote', {}, quote) : '',
    quote && passage && !found ? el('p', { class: 'quiet' }, 'The passage does not have these words in one piece.') : '',
    passage ? el('div', { class: 'passage', tabindex: 0, role: 'group', 'aria-label': 'Passage' }, made)
      : el('p', { class: 'box' }, 'The corpus no longer has this passage. The words above were quoted from it.'),
    file ? original(file, of.source) : '',
    metadata.length ? el('h3', {}, 'About the document') : '',
    metadata.length ? el('dl', {}, metadata.map(([name, value]) => [
      el('dt', {}, words(name)),
      el('dd', {}, Array.isArray(value) ? value.join(', ') : String(value)),
    ])) : '',
  );
  open(by('passage'));
  body.querySelector('mark')?.scrollIntoView({ block: 'center' });
  by('passage-title').focus({ preventScroll: true });
}

/** Shows a passage of a search. */
export const showPassage = (passage) => show(passage, passage);

/** Shows what stands behind citation `n` of an answer. */
export async function showCitation(turn, n) {
  try {
    const { citation, passage, file } = await json(`api/turns/${encodeURIComponent(turn)}/citations/${n}`);
    show(citation, passage, citation.quote, file);
  } catch (error) {
    by('passage-title').textContent = `Source ${n}`;
    by('passage-body').replaceChildren(problem(error));
    open(by('passage'));
  }
}
