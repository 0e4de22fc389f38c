import { expect, it } from 'vitest';
import { buildProgram } from './build-program.ts';
import { loadCatalogue } from './catalogue/catalogue.ts';
import { firstCommands, shortHelp } from './short-help.ts';

it('the short help has ten lines that fit a narrow terminal', () => {
  const lines = shortHelp().trimEnd().split('\n');
  expect(lines).toHaveLength(10);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

it.each(firstCommands)('the short help shows a command that exists: %s', async (command) => {
  const invoked: string[] = [];
  const program = buildProgram(await loadCatalogue(), async ({ path }) => {
    invoked.push(path);
  });
  await program.parseAsync(['node', 'flotilla', ...command.split(' ')]);
  expect(invoked).toEqual([command.split(' ')[0]]);
});
