// A terminal event as it is shown: the answer with its sources, a table, a question back, or why there is none.
import { el, grid, one, place, span, words } from './dom.js';
import { below } from './feedback.js';
import { showCitation } from './passage.js';
import { blocks, doubts } from './text.js';
import { timeline } from './trail.js';

const OPERATION = { list: 'List', count: 'Count', sum: 'Sum', average: 'Average', largest: 'Largest', smallest: 'Smallest' };
const NO_ANSWER = {
  refused: 'The question was refused.',
  failed: 'The question could not be answered.',
  expired: 'The time for this question ran out.',
  cancelled: 'Stopped.',
};

/** The address of a citation, which opens it in another tab as well. */
function link(turn, n, ...children) {
  const opened = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showCitation(turn, n);
  };
  return el('a', { href: `?turn=${encodeURIComponent(turn)}#citation-${n}`, class: 'cite', onclick: opened }, ...children);
}

function marks(ended) {
  const known = new Map((ended.citations ?? []).map((citation) => [citation.n, citation]));
  return (n) => {
    const citation = known.get(n);
    if (!citation) return null;
    const mark = link(ended.turn, n, String(n));
    mark.setAttribute('aria-label', `Source ${n}: ${citation.title || citation.source}`);
    return mark;
  };
}

/** The text without what the table beside it shows; a CSV stays as text. */
function prose(ended, cite) {
  const { answer = '', table, sentences } = ended;
  if (!table) return blocks(answer, { cite, doubted: doubts(answer, sentences) });
  const parts = answer.split(/\n{2,}/);
  const isCsv = (part) => part.startsWith(`${table.columns[0]},`) || (table.columns.length === 1 && part.startsWith(`${table.columns[0]}\n`));
  return parts.filter((part) => !part.startsWith('|')).flatMap((part) =>
    isCsv(part) ? el('pre', { tabindex: 0, 'aria-label': 'CSV' }, el('code', {}, part)) : blocks(part, { cite }));
}

function tableOf(table, cite) {
  const isNumber = (cell) => typeof cell === 'number';
  const left = table.rows_total - table.rows.length;
  const sums = [OPERATION[table.operation] ?? table.operation, table.measure && `of ${words(table.measure)}`].filter(Boolean).join(' ');
  const notes = [
    one(table.documents, 'document'),
    table.missing ? `${table.missing} left out, which have no ${words(table.column ?? 'value')}` : '',
    left > 0 ? `the first ${table.rows.length} of ${table.rows_total} rows` : '',
  ].filter(Boolean);
  const rows = table.rows.map((row) => el('tr', {},
    row.cells.map((cell) => el('td', { class: isNumber(cell) && 'number' }, cell === null ? '' : String(cell))),
    el('td', { class: 'cites' }, (row.cites ?? []).map((n) => cite(n) ?? ''))));
  return [
    table.conditions?.length ? el('p', { class: 'conditions' }, el('strong', {}, 'Where: '), table.conditions.join('; ')) : '',
    grid('Table', [...table.columns.map(words), 'cited'], rows, `${sums}: ${notes.join(', ')}`),
  ];
}

function sources(ended) {
  if (!ended.citations?.length) return '';
  return el('section', { class: 'sources' },
    el('h3', {}, 'Sources'),
    el('ol', {}, ended.citations.map((citation) => el('li', { value: citation.n },
      link(ended.turn, citation.n, citation.title || citation.source),
      el('span', { class: 'quiet' }, place(citation)),
      el('q', {}, citation.quote)))));
}

/** What holds for parts of the answer, with the numbers of the sources that say it. */
function findings(title, items, ended, cite, kind) {
  if (!items?.length) return '';
  const numbers = (chunks = []) => (ended.citations ?? []).filter((citation) => chunks.includes(citation.chunk_id)).map((citation) => cite(citation.n));
  return el('section', { class: `box ${kind}` },
    el('h3', {}, title),
    el('ul', {}, items.map((item) => el('li', {}, blocks(item.text, { cite }).flatMap((block) => [...block.childNodes]), ' ', numbers(item.chunks)))));
}

function confidence(ended) {
  if (ended.confidence === undefined || ended.confidence === null) return '';
  const part = Math.round(ended.confidence * 100);
  const grade = ended.low_confidence ? 'low' : part >= 90 ? 'high' : part >= 70 ? 'fair' : 'low';
  return el('span', { class: `grade ${grade}`, title: 'The estimated probability that the sources support the whole answer' },
    `Confidence: ${grade} (${part} %)`);
}

function about(ended) {
  const model = ended.model === 'offline-extractive' ? 'the offline reader, no language model' : ended.model;
  const claims = (ended.sentences ?? []).filter((sentence) => sentence.support !== 'no_claim');
  const borne = claims.filter((sentence) => sentence.support === 'supported');
  return el('p', { class: 'about' },
    confidence(ended),
    claims.length ? el('span', {}, `${borne.length} of ${one(claims.length, 'sentence')} supported`) : '',
    model ? el('span', {}, `by ${model}`) : '',
    el('span', {}, span(ended.ended_at - ended.asked_at)),
    el('a', { href: `?turn=${encodeURIComponent(ended.turn)}` }, 'Link to this answer'));
}

function answered(ended) {
  const cite = marks(ended);
  const judged = ended.judgement;
  return [
    ended.low_confidence ? el('p', { class: 'box warn' }, el('strong', {}, 'Low confidence. '), 'Check the sources before you rely on this answer.') : '',
    ended.rewritten ? el('p', { class: 'quiet' }, `Understood as: ${ended.rewritten}`) : '',
    el('div', { class: 'answer' }, prose(ended, cite)),
    ended.table ? tableOf(ended.table, cite) : '',
    findings('The sources contradict each other', ended.contradictions, ended, cite, 'warn'),
    findings('What to do', ended.action_items, ended, cite, 'plain'),
    judged ? el('p', { class: 'quiet' }, `A model judged it: ${words(judged.grounding)}, sources ${words(judged.sufficiency)}. ${judged.reason ?? ''}`) : '',
    sources(ended),
  ];
}

function askedBack(ended, reply) {
  const { question, options = [], widens } = ended.clarification;
  const take = (option) => el('button', { type: 'button', onclick: () => reply(option) }, option);
  const all = widens && !options.includes(widens) ? [...options, widens] : options;
  return el('section', { class: 'box back', 'aria-label': 'Question back' },
    el('h3', {}, 'A question back'), blocks(question),
    all.length ? el('div', { class: 'options' }, all.map(take)) : el('p', { class: 'quiet' }, 'Answer it below.'));
}

/** The whole of an ended turn. `reply` answers a question back. */
export function shown(ended, reply) {
  const why = ended.error && `${ended.error.message} (${ended.error.code})`;
  const isAnswer = ended.outcome === 'answered';
  return [
    isAnswer ? answered(ended) : '',
    ended.outcome === 'clarification' ? askedBack(ended, reply) : '',
    NO_ANSWER[ended.outcome] ? el('p', { class: 'box bad' }, el('strong', {}, `${NO_ANSWER[ended.outcome]} `), why ?? '') : '',
    ended.notices?.length ? el('ul', { class: 'notices', 'aria-label': 'Notices' }, ended.notices.map((notice) => el('li', {}, notice))) : '',
    isAnswer ? [about(ended), below(ended)] : '',
    timeline(ended) ?? '',
  ].flat(Infinity);
}

/** The end in a sentence or two, for who cannot see it. */
export function spoken(ended) {
  if (ended.outcome === 'answered') return `Answer: ${(ended.answer ?? '').slice(0, 400)}`;
  return ended.clarification?.question ?? NO_ANSWER[ended.outcome] ?? ended.outcome;
}
