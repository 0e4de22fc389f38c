import { expect, it } from 'vitest';
import { goQuote } from './go-quote.ts';

it.each([
  ['plain', '"plain"'],
  ['', '""'],
  ['é ✓ 漢 😀', '"é ✓ 漢 😀"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
  ['\x00\x1f\x7f', '"\\x00\\x1f\\x7f"'],
  ['\u0080\u00a0\u2028\ufeff', '"\\u0080\\u00a0\\u2028\\ufeff"'],
  ['\u{e0001}', '"\\U000e0001"'],
  ['\ud800', '"\ufffd"'],
])('%j is quoted as in Go (ERR-04, ERR-24)', (text, quoted) => {
  expect(goQuote(text)).toBe(quoted);
});
