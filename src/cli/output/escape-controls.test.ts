import { expect, it } from 'vitest';
import { colorsFor } from './colors.ts';
import { escapeControlCharacters } from './escape-controls.ts';
import { formatTable } from './print-table.ts';

it('control characters in the text of other users are escaped', () => {
  expect(escapeControlCharacters('a\u001b[2Jb\r\u0007\u009bc\u202ed\te\nfé✓')).toBe(
    'a\\u001b[2Jb\\u000d\\u0007\\u009bc\\u202ed\te\nfé✓',
  );
  const table = formatTable(['Name'], [['\u001b]0;title\u0007x']], colorsFor(false, {}));
  expect(table).toBe('NAME\n\\u001b]0;title\\u0007x\n');
});
