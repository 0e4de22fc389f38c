/** An indented text up to this length is returned, however deeply it is nested. */
const alwaysIndented = 1_048_576;

/**
 * The maximum ratio of the indented length to the compact length. Indented objects are usually twice as long as compact
 * ones.
 */
const maxGrowth = 4;

const comma = 0x2c;
const colon = 0x3a;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Indents compact JSON by two spaces. Processes the text without parsing it, because parsing takes longer and could
 * change large numbers. Returns the compact text if the result would be much longer: the indentation of many deeply
 * nested values can be thousands of times as long as the values.
 */
export function indentJson(compact: string): string {
  const maxLength = Math.max(alwaysIndented, compact.length * maxGrowth);
  let indented = '';
  let depth = 0;
  /** The index at which the text that is read but not yet in the result starts. */
  let start = 0;
  for (let at = 0; at < compact.length; ) {
    const code = compact.charCodeAt(at);
    if (code === quote) {
      at = endOfString(compact, at);
      continue;
    }
    at++;
    if (isOpening(code)) {
      if (isClosing(compact.charCodeAt(at))) {
        at++;
        continue;
      }
      depth++;
      indented += compact.slice(start, at) + newLine(depth);
      start = at;
    } else if (isClosing(code)) {
      depth--;
      indented += compact.slice(start, at - 1) + newLine(depth);
      start = at - 1;
    } else if (code === comma) {
      indented += compact.slice(start, at) + newLine(depth);
      start = at;
    } else if (code === colon) {
      indented += `${compact.slice(start, at)} `;
      start = at;
    }
    if (indented.length > maxLength) return compact;
  }
  return indented + compact.slice(start);
}

/** True for `[` and `{`. */
function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

/** True for `]` and `}`. */
function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** The line breaks with indentation, by depth. */
const newLines: string[] = [];

function newLine(depth: number): string {
  newLines[depth] ??= `\n${'  '.repeat(depth)}`;
  return newLines[depth];
}
