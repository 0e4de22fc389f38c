import { expect, it } from 'vitest';
import { escapeControlCharacters } from './escape-controls.ts';
import { TextTable, tableOf } from './text-table.ts';

it('control characters in the text of other users are escaped', () => {
  expect(escapeControlCharacters('a\u001b[2Jb\r\u0007\u009bc\u202ed\te\nfé✓')).toBe(
    'a\\u001b[2Jb\\u000d\\u0007\\u009bc\\u202ed\te\nfé✓',
  );
  const lines = new TextTable({ wide: true }).lines(tableOf(['Name'], [['\u001b]0;title\u0007x']]));
  expect(lines).toEqual(['NAME', '\\u001b]0;title\\u0007x']);
});
