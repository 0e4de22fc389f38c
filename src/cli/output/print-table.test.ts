import { expect, it } from 'vitest';
import { colorsFor } from './colors.ts';
import { formatTable, TablePrinter } from './print-table.ts';

const colours = colorsFor(false, {});
const table = (...rows: unknown[][]) => ({
  columnDefinitions: [{ name: 'Name' }, { name: 'Status' }, { name: 'Message', priority: 1 }],
  rows: rows.map((cells) => ({ cells: cells as string[], object: { metadata: { namespace: 'platform-p-red' } } })),
});

it('a table prints the columns of the server, and the wide ones only on request', () => {
  const narrow = new TablePrinter({ wide: false, colors: colours });
  expect(narrow.lines(table(['a', 'Ready', 'x'], ['longer', null, 'y']))).toEqual([
    'NAME     STATUS',
    'a        Ready',
    'longer   <none>',
  ]);
  const wide = new TablePrinter({ wide: true, colors: colours, withProject: () => 'red' });
  expect(wide.lines(table(['a', true, 'x\ny']))).toEqual([
    'PROJECT   NAME   STATUS   MESSAGE',
    'red       a      true     x y',
  ]);
});

it('a table prints one header and keeps the column widths while rows are added', () => {
  const printer = new TablePrinter({ wide: false, colors: colours });
  printer.lines(table(['a-long-name', 'Ready', '']));
  expect(printer.lines(table(['b', 'Failed', '']))).toEqual(['b             Failed']);
});

it('a table colors good and bad statuses, on screens only', () => {
  const bright = colorsFor(true, {});
  expect(
    formatTable(
      ['Status', 'X'],
      [
        ['Ready', 'x'],
        ['Failed', 'y'],
      ],
      bright,
    ),
  ).toContain('\u001b[32mReady    \u001b[0mx');
  for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    expect(formatTable(['Status'], [['Ready']], colorsFor(true, environment))).not.toContain('\u001b');
  }
});
