// The text of an answer as elements: paragraphs, lists, bold, code, and citation marks. All else stays as it was written.
import { el } from './dom.js';

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[(\d{1,3})\]/g;
const ITEM = /^\s{0,3}(?:[-*•]|(\d{1,3})[.)])\s+/;
const VERDICT = { unsupported: 'not supported', contradicted: 'contradicted by a source' };

/** The sentences that the check doubts. The places on the wire count bytes, ours count characters of this language. */
export function doubts(text, sentences = []) {
  const bytes = new TextEncoder().encode(text);
  const at = (end) => new TextDecoder().decode(bytes.slice(0, end)).length;
  return sentences
    .filter((sentence) => VERDICT[sentence.support])
    .map((sentence) => ({ start: at(sentence.start), end: at(sentence.end), verdict: VERDICT[sentence.support], reason: sentence.reason }));
}

function* leaf(text, at, doubted) {
  let done = 0;
  for (const doubt of doubted) {
    const [start, end] = [Math.max(doubt.start - at, done), Math.min(doubt.end - at, text.length)];
    if (start < end) {
      yield text.slice(done, start);
      yield el('span', { class: 'doubt' }, text.slice(start, end));
      done = end;
    }
    const isOver = doubt.end >= at && doubt.end <= at + text.length;
    if (isOver && !doubt.told) {
      doubt.told = true;
      yield el('span', { class: 'verdict' }, ` [${[doubt.verdict, doubt.reason].filter(Boolean).join(', ')}]`);
    }
  }
  yield text.slice(done);
}

function* inline(text, at, { cite, doubted }) {
  let done = 0;
  for (const found of text.matchAll(INLINE)) {
    const mark = found[3] && cite(Number(found[3]));
    if (found[3] && !mark) continue;
    yield* leaf(text.slice(done, found.index), at + done, doubted);
    const inside = at + found.index;
    if (mark) yield mark;
    else if (found[1]) yield el('code', {}, ...leaf(found[1], inside + 1, doubted));
    else yield el('strong', {}, ...leaf(found[2], inside + 2, doubted));
    done = found.index + found[0].length;
  }
  yield* leaf(text.slice(done), at + done, doubted);
}

/** Elements of a text. `cite` makes the mark of a number, or nothing; `doubted` comes from `doubts`. */
export function blocks(text, { cite = () => null, doubted = [] } = {}) {
  const made = [];
  const how = { cite, doubted };
  let [at, list, paragraph, code] = [0, null, null, null];
  for (const line of text.split('\n')) {
    const item = ITEM.exec(line);
    const isFence = line.startsWith('```');
    if (isFence || code) {
      if (isFence && code) code = null;
      else if (isFence) made.push(el('pre', { tabindex: 0 }, (code = el('code'))));
      else code.append(`${line}\n`);
      list = paragraph = null;
    } else if (!line.trim()) {
      paragraph = null;
    } else if (item) {
      const kind = item[1] ? 'OL' : 'UL';
      if (list?.tagName !== kind) made.push((list = el(kind, { start: item[1] })));
      list.append((paragraph = el('li', {}, ...inline(line.slice(item[0].length), at + item[0].length, how))));
    } else {
      const head = /^#{1,6}\s+/.exec(line)?.[0].length ?? 0;
      if (paragraph && !head) paragraph.append(el('br'));
      else {
        made.push((paragraph = el('p', { class: head && 'head' })));
        list = null;
      }
      paragraph.append(...inline(line.slice(head), at + head, how));
      if (head) paragraph = null;
    }
    at += line.length + 1;
  }
  return made;
}

const squashed = (text) => {
  const kept = { text: '', at: [] };
  for (let i = 0; i < text.length; i += 1) {
    if (/[\s|*_#`>;:-]/.test(text[i])) continue;
    const small = text[i].toLowerCase();
    kept.text += small.length === 1 ? small : text[i];
    kept.at.push(i);
  }
  return kept;
};

/** A text with the quoted words marked; what separates them may differ. Returns whether they were found, too. */
export function marked(text, quote) {
  const [whole, wanted] = [squashed(text), squashed(quote).text];
  const find = (words) => {
    const from = words ? whole.text.indexOf(words) : -1;
    return from < 0 ? null : [whole.at[from], whole.at[from + words.length - 1] + 1];
  };
  const all = find(wanted);
  // A row of a table is quoted by its values.
  const pieces = all ? [all] : quote.split(/[;|]/).map((piece) => squashed(piece).text).filter((piece) => piece.length > 1).map(find);
  const ranges = pieces.filter(Boolean).sort((a, b) => a[0] - b[0]);
  const made = [];
  let done = 0;
  for (const [start, end] of ranges) {
    if (start < done) continue;
    made.push(text.slice(done, start), el('mark', {}, text.slice(start, end)));
    done = end;
  }
  made.push(text.slice(done));
  return { made, found: ranges.length > 0 };
}
