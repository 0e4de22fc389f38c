const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Characters that `%q` escapes: quotes, backslashes, and all that Go does not print, such as control characters. */
const unprintable = /["\\]|[^\P{C}]|[^\P{Z} ]/gu;

/** Quotes a text as Go's `%q` does. Kubernetes uses `%q` for names and values in messages. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(unprintable, escaped)}"`;
}

function escaped(character: string): string {
  const short = named[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  // An unpaired surrogate cannot be encoded as UTF-8. Go decodes it as the replacement character, which is printable.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
