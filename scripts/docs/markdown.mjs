export const code = (text) => `\`${text}\``;

export const codes = (texts) => texts.map(code).join(', ');

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

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

/** What GitHub makes of a heading. */
export function anchor(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
