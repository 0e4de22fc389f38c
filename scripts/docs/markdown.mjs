export const code = (text) => `\`${text}\``;

export const codes = (texts) => texts.map(code).join(', ');

/** Escapes markup outside of backticks. */
function plain(text) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('`');
}

const cell = (text) => plain(String(text)).replaceAll('|', '\\|').replaceAll('\n', ' ');

export function table(header, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Joins the blocks of a page with blank lines. Skips `undefined`. */
export function page(...blocks) {
  return `${blocks
    .flat()
    .filter((block) => block !== undefined)
    .join('\n\n')}\n`;
}

/** Joins the sentences and wraps them at 120 columns. */
export function paragraph(...sentences) {
  const lines = [''];
  for (const word of sentences.join(' ').split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= 120) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** Returns the anchor that GitHub generates for a heading. */
export function anchor(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/**
 * Returns a function that returns the anchor of each heading of one page. Repeated headings are numbered, as on GitHub.
 */
export function anchorsOfPage() {
  const counts = new Map();
  return (heading) => {
    const name = anchor(heading);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  };
}

/** Returns the anchors of all headings of a page. Comments in code blocks are not headings. */
export function headingAnchors(text) {
  const nextAnchor = anchorsOfPage();
  return [...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => nextAnchor(heading.trim()));
}

/** Returns the text with empty lines instead of the code blocks. */
export function withoutCode(text) {
  return text.replace(/^ *(```+|~~~+)[\s\S]*?^ *\1/gm, (block) => block.replace(/[^\n]/g, ''));
}
