// The sheet with a passage: behind a citation of an answer, or found by a search.
import { json } from './api.js';
import { by, el, open, place, problem, words } from './dom.js';
import { marked } from './text.js';

/** Shows a passage; `quote` is marked in it. */
function show(of, passage, quote) {
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
    const { citation, passage } = await json(`api/turns/${encodeURIComponent(turn)}/citations/${n}`);
    show(citation, passage, citation.quote);
  } catch (error) {
    by('passage-title').textContent = `Source ${n}`;
    by('passage-body').replaceChildren(problem(error));
    open(by('passage'));
  }
}
