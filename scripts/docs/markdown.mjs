export const code = (text) => `\`${text}\``;

export const codes = (texts) => texts.map(code).join(', ');

/** Plain words in which nothing is taken for markup; what stands between backticks is left as it is. */
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

/** The blocks of a page, a blank line between any two; what is undefined is left out. */
export function page(...blocks) {
  return `${blocks
    .flat()
    .filter((block) => block !== undefined)
    .join('\n\n')}\n`;
}

/** The sentences in lines of the length that the other pages have. */
export function paragraph(...sentences) {
  const lines = [''];
  for (const word of sentences.join(' ').split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length <= 120) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** What GitHub makes of a heading. */
export function anchor(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
