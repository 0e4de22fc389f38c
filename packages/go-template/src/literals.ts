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

const escaped = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^xuU0-7]))/gy;

function unescaped(inner: string, quote: string): string | undefined {
  let value = '';
  for (let at = 0; at < inner.length; ) {
    if (inner[at] !== '\\') {
      value += inner[at++];
      continue;
    }
    escaped.lastIndex = at;
    const found = escaped.exec(inner);
    if (found === null) return undefined;
    const [whole, byte, short, long, octal, letter] = found;
    const code = byte ?? short ?? long;
    if (letter !== undefined) {
      const character = letter === quote ? quote : simple[letter];
      if (character === undefined) return undefined;
      value += character;
    } else {
      const point = code === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(code, 16);
      if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
      value += String.fromCodePoint(point);
    }
    at += whole.length;
  }
  return value;
}

/** Parses a Go number literal; `undefined` if it is not a number or cannot be represented exactly. */
export function parseNumber(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[+-]/, '');
  const octal = /^0[oO]?([0-7]+)$/.exec(digits)?.[1];
  const value = octal === undefined ? Number(digits) : Number.parseInt(octal, 8);
  const isInteger = octal !== undefined || /^(?:\d+|0[xXbB][0-9a-fA-F]+)$/.test(digits);
  if (Number.isNaN(value) || (isInteger && !Number.isSafeInteger(value))) return undefined;
  return sign * value;
}
