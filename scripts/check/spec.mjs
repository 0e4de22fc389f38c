import { filesBelow, read } from './sources.mjs';

const rulesFolder = 'docs/spec/kubernetes-behaviours';

/**
 * Returns the chapters of the rulebook in order. Each has a title, a file and rules; each rule has an id, a line and a
 * first sentence.
 */
export function readChapters() {
  return filesBelow(rulesFolder, '.md').map((path) => parseChapter(path, read(path)));
}

export function parseChapter(path, text) {
  const title = text.match(/^# (?:\d+\. )?(.*?)(?: \([A-Z, ]+\))?$/m)?.[1] ?? path;
  const rules = [];
  let current;
  text.split('\n').forEach((line, index) => {
    const id = line.match(/^## ([A-Z]+-\d\d)$/)?.[1];
    if (id !== undefined) {
      current = { id, line: index + 1, body: [] };
      rules.push(current);
    } else current?.body.push(line);
  });
  return {
    path,
    title,
    rules: rules.map(({ id, line, body }) => ({ id, line, summary: firstSentence(body.join(' ')) })),
  };
}

/**
 * Returns the first sentence of a rule, without the list of sources at the end of the rule. A period in code,
 * quotations or parentheses does not end the sentence.
 */
function firstSentence(body) {
  const text = body.replace(/\s*\[[^\]]*\]\s*$/, '').trim();
  let inCode = false;
  let inQuotation = false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '`') inCode = !inCode;
    if (inCode) continue;
    if (character === '"') inQuotation = !inQuotation;
    else if (!inQuotation && '([{'.includes(character)) depth += 1;
    else if (!inQuotation && ')]}'.includes(character)) depth -= 1;
    const ends = character === '.' || (character === '"' && text[index - 1] === '.');
    if (ends && !inQuotation && depth === 0 && /^( |$)/.test(text.slice(index + 1))) return text.slice(0, index + 1);
  }
  return text;
}

/** Returns the section numbers of docs/spec/completions.md: `8`, `2.1`. */
export function readSections() {
  return new Set(
    [...read('docs/spec/completions.md').matchAll(/^#+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number),
  );
}
