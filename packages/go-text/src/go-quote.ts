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

/** Characters that Go does not print: controls, separators other than the space, formats, surrogates, unassigned. */
const unprintable = /["\\]|[^\P{C}]|[^\P{Z} ]/gu;

/** Quotes a text as Go's `%q` does, which Kubernetes uses for names and values in messages. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(unprintable, escaped)}"`;
}

function escaped(character: string): string {
  const short = named[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  // An unpaired surrogate has no UTF-8 form; Go has the replacement character there and prints it unchanged.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
