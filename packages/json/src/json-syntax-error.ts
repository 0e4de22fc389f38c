/**
 * Thrown for text that is not JSON. Its messages are those of Go's encoding/json, because Kubernetes clients see them.
 */
export class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonSyntaxError';
  }
}

export function invalidCharacter(text: string, at: number, context: string): JsonSyntaxError {
  if (at >= text.length) return new JsonSyntaxError('unexpected end of JSON input');
  return new JsonSyntaxError(`invalid character ${quoteCharacter(text, at)} ${context}`);
}

const named: Readonly<Record<string, string>> = {
  "'": "\\'",
  '"': '"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Quotes a character like Go, which prints only the first UTF-8 byte of a non-ASCII character, as Latin-1. */
function quoteCharacter(text: string, at: number): string {
  const character = String.fromCharCode(firstByte(text.codePointAt(at) ?? 0));
  const escaped = named[character];
  if (escaped !== undefined) return `'${escaped}'`;
  const code = character.charCodeAt(0);
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  return `'${character}'`;
}

function firstByte(codePoint: number): number {
  if (codePoint < 0x80) return codePoint;
  if (codePoint < 0x800) return 0xc0 | (codePoint >> 6);
  if (codePoint < 0x10000) return 0xe0 | (codePoint >> 12);
  return 0xf0 | (codePoint >> 18);
}

export function tooManyValues(most: number): JsonSyntaxError {
  return new JsonSyntaxError(`exceeded max number of ${most} values`);
}
