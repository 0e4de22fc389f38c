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

/** Whatever Go does not count as printable: controls, separators other than the space, formats, surrogates, unassigned. */
const unprintable = /["\\]|[^\P{C}]|[^\P{Z} ]/gu;

/** A text between quotes as Go's `%q` writes it, which is how Kubernetes puts names and values into its messages. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(unprintable, escaped)}"`;
}

function escaped(character: string): string {
  const short = named[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  // A lone surrogate is no character in UTF-8; Go has the replacement character there and prints it as it is.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
