/** Returns the value of a quoted Go string literal; `undefined` if it is invalid. */
export function unquote(text: string): string | undefined {
  if (text.startsWith('`')) return text.slice(1, -1).replaceAll('\r', '');
  return unescaped(text.slice(1, -1), '"');
}

/** Returns the code point of a Go character literal (`'x'`); `undefined` if it is invalid. */
export function characterCode(text: string): number | undefined {
  const value = unescaped(text.slice(1, -1), "'");
  return value !== undefined && [...value].length === 1 ? value.codePointAt(0) : undefined;
}

const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

const coded = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/y;

function unescaped(inner: string, quote: string): string | undefined {
  const parts: string[] = [];
  let at = 0;
  for (let next = inner.indexOf('\\'); next !== -1; next = inner.indexOf('\\', at)) {
    const letter = inner[next + 1] ?? '';
    const character = letter === quote ? quote : simple[letter];
    const found = character === undefined ? codedCharacter(inner, next) : { character, length: 2 };
    if (found === undefined) return undefined;
    parts.push(inner.slice(at, next), found.character);
    at = next + found.length;
  }
  parts.push(inner.slice(at));
  return parts.join('');
}

/** Reads an escape sequence with a character code, such as `\x41`; `undefined` if it is invalid. */
function codedCharacter(text: string, offset: number): { character: string; length: number } | undefined {
  coded.lastIndex = offset;
  const found = coded.exec(text);
  if (found === null) return undefined;
  const [{ length }, byte, short, long, octal] = found;
  const code = byte ?? short ?? long;
  const point = code === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(code, 16);
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return { character: String.fromCodePoint(point), length };
}

/** Parses a Go number literal; `undefined` if it is not a number or cannot be represented exactly. */
export function parseNumber(text: string): number | undefined {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  const plain = text.replaceAll('_', '');
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[+-]/, '');
  const octal = /^0[oO]?([0-7]+)$/.exec(digits)?.[1];
  const value = octal === undefined ? Number(digits) : Number.parseInt(octal, 8);
  const isInteger = octal !== undefined || /^(?:\d+|0[xXbB][0-9a-fA-F]+)$/.test(digits);
  if (Number.isNaN(value) || (isInteger && !Number.isSafeInteger(value))) return undefined;
  return sign * value;
}
