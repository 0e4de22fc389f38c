import type { LogChunk, LogLine } from './log-buffer.ts';

/**
 * The maximum number of marked matches in a chunk. Without this limit, a search for one letter would mark most of the
 * log.
 */
const maxMarks = 500;

/** A part of the displayed text. */
export interface TextPart {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface ChunkView {
  readonly parts: readonly TextPart[];
  /** The number of lines that contain the search text. */
  readonly matches: number;
}

export interface LogSearch {
  /** The text to find, without regard to case; '' finds nothing. */
  readonly query: string;
  /** True to show only lines that contain the text. */
  readonly onlyMatching: boolean;
  readonly timestamps: boolean;
}

/** The view of each chunk for its latest search. Views are reused, so only chunks with new lines are searched again. */
const views = new WeakMap<LogChunk, { readonly key: string; readonly view: ChunkView }>();

/** Returns the text of a chunk as parts. The matches of the search are separate parts. */
export function chunkView(chunk: LogChunk, search: LogSearch): ChunkView {
  const key = JSON.stringify([search.query, search.onlyMatching, search.timestamps]);
  const known = views.get(chunk);
  if (known?.key === key) return known.view;
  const view = searchLines(chunk.lines, search);
  views.set(chunk, { key, view });
  return view;
}

function searchLines(lines: readonly LogLine[], { query, onlyMatching, timestamps }: LogSearch): ChunkView {
  const needle = query.toLowerCase();
  const parts: TextPart[] = [];
  let plain = '';
  let matches = 0;
  let marks = 0;
  for (const { time, text } of lines) {
    const found = needle === '' ? [] : positionsOf(text.toLowerCase(), needle, maxMarks - marks);
    const isMatch = needle !== '' && (found.length > 0 || text.toLowerCase().includes(needle));
    if (isMatch) matches += 1;
    if (onlyMatching && needle !== '' && !isMatch) continue;
    if (timestamps && time !== '') plain += `${time} `;
    let from = 0;
    // Conversion to lower case can change the length of a line. Such a line counts as a match if it matches, but the
    // match is not marked.
    for (const at of text.toLowerCase().length === text.length ? found : []) {
      parts.push({ text: plain + text.slice(from, at), isMatch: false });
      parts.push({ text: text.slice(at, at + needle.length), isMatch: true });
      plain = '';
      from = at + needle.length;
      marks += 1;
    }
    plain += `${text.slice(from)}\n`;
  }
  if (plain !== '') parts.push({ text: plain, isMatch: false });
  return { parts: parts.filter(({ text }) => text !== ''), matches };
}

function positionsOf(text: string, needle: string, max: number): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(needle); at >= 0 && found.length < max; at = text.indexOf(needle, at + needle.length)) {
    found.push(at);
  }
  return found;
}
