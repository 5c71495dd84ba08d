// What there is to ask about: the catalog, examples made from it, and the search for passages.
import { json } from './api.js';
import { by, el, grid, one, place, problem, words } from './dom.js';

/** Questions that this corpus can answer, made from its columns. */
function examples(buckets) {
  const made = [];
  for (const { bucket, columns = [] } of buckets) {
    if (bucket === 'generic') continue;
    const name = words(bucket);
    const text = columns.find((column) => column.type === 'text' && column.values?.[0]?.documents > 1);
    const number = columns.find((column) => column.type === 'number' && column.range && !/^(max|min)_/.test(column.field));
    const asked = [];
    if (number) asked.push(`Which of the ${name} has the largest ${words(number.field)}?`);
    if (text) asked.push(`List all ${name} where ${words(text.field)} is ${text.values[0].value}`);
    made.push(asked.length ? asked : [`How many ${name} are there?`]);
  }
  return [...made.map((asked) => asked[0]), ...made.map((asked) => asked[1])].filter(Boolean).slice(0, 4);
}

function column(of) {
  const values = (of.values ?? []).map(({ value, documents }) => `${value} (${documents})`).join(', ');
  const range = of.range && of.range.from !== of.range.to ? `${of.range.from} to ${of.range.to}` : '';
  return el('tr', {},
    el('th', { scope: 'row' }, words(of.field), of.description ? el('small', {}, of.description) : ''),
    el('td', {}, of.unit ? `${of.type}, ${of.unit}` : of.type),
    el('td', { class: 'number' }, String(of.documents)),
    el('td', {}, range || values + (of.more ? ', …' : '')));
}

function bucketOf({ bucket, documents, description, columns = [], columns_left_out: left }) {
  const heads = ['Column', 'Type', 'Documents', 'Values'];
  return el('details', { class: 'bucket' },
    el('summary', {}, el('strong', {}, bucket), ` ${one(documents, 'document')}, ${one(columns.length, 'column')}`),
    description ? el('p', {}, description) : '',
    columns.length ? grid(`Columns of ${bucket}`, heads, columns.map(column))
      : el('p', { class: 'quiet' }, 'Its documents have no metadata.'),
    left ? el('p', { class: 'quiet' }, `${one(left, 'further column')}`) : '');
}

/** Shows what there is. `ask` asks an example. */
export async function loadCatalog(ask) {
  try {
    const { buckets } = await json('api/catalog');
    const documents = buckets.reduce((sum, { documents: more }) => sum + more, 0);
    const holds = documents ? `${one(documents, 'document')} in ${one(buckets.length, 'bucket')}.` : 'There are no documents yet.';
    by('holdings').textContent = by('holdings-all').textContent = holds;
    by('buckets').replaceChildren(...buckets.map(bucketOf));
    by('bucket').replaceChildren(by('bucket').firstElementChild, ...buckets.map(({ bucket }) => el('option', { value: bucket }, bucket)));
    const asked = examples(buckets).map((question) => el('li', {}, el('button', { type: 'button', onclick: () => ask(question) }, question)));
    by('examples').querySelector('ul').replaceChildren(...asked);
    by('examples').hidden = !asked.length;
  } catch (error) {
    by('holdings').textContent = error.message;
    by('buckets').replaceChildren(problem(error));
  }
}

/** Parts of a text with the words of a query marked. */
function withWords(text, query) {
  const wanted = query.match(/[\p{L}\p{N}]{3,}/gu)?.map((word) => word.toLowerCase()) ?? [];
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => (wanted.includes(part.toLowerCase()) ? el('mark', {}, part) : part));
}

const show = async (passage) => (await import('./passage.js')).showPassage(passage);

function hit(passage, query) {
  return el('li', {},
    el('button', { type: 'button', class: 'hit', onclick: () => show(passage) }, passage.title || passage.source),
    el('span', { class: 'quiet' }, place(passage)),
    el('p', { class: 'excerpt' }, withWords(passage.text, query)));
}

function summary({ passages, total_hits: total, matched, conditions = {}, failed = [] }) {
  const said = (title, items) => (items?.length ? `${title}: ${items.join('; ')}.` : '');
  const dropped = matched.kind === 'relaxed' ? matched.dropped : [];
  return [
    passages.length ? `${one(passages.length, 'passage')} of ${total ?? passages.length}.` : 'Nothing was found. Try other words.',
    said('Only documents where', conditions.filter),
    said('Not used', [...(conditions.dropped ?? []), ...dropped]),
    said('Failed parts of the search', failed),
  ].filter(Boolean).join(' ');
}

let searches = 0;

/** Searches with what the form says. */
export async function search() {
  const query = by('query').value.trim();
  if (!query) return;
  searches += 1;
  const mine = searches;
  const bucket = by('bucket').value;
  by('found').textContent = 'Searching …';
  by('passages').replaceChildren();
  try {
    const found = await json('api/search', { method: 'POST', body: bucket ? { query, buckets: [bucket] } : { query } });
    if (mine !== searches) return;
    by('found').textContent = summary(found);
    by('passages').replaceChildren(...found.passages.map((passage) => hit(passage, query)));
  } catch (error) {
    if (mine !== searches) return;
    by('found').textContent = '';
    by('passages').replaceChildren(el('li', { class: 'plain' }, problem(error)));
  }
}
