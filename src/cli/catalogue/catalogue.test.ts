import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram, type Catalogue, catalogueForWord } from '../build-program.ts';
import { loadCatalogue } from './catalogue.ts';

const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');
const catalogue = await loadCatalogue();

/** Returns the section of docs/reference/cli.md about a command. */
function documented(path: string): string {
  const [, rest = ''] = page.split(`\n### flotilla ${path}\n`);
  return rest.split(/^##/m)[0] ?? '';
}

function commandAt(program: Command, path: string): Command {
  return path.split(' ').reduce((parent, word) => {
    const found = parent.commands.find((command) => command.name() === word);
    if (found === undefined) throw new Error(`no command ${path}`);
    return found;
  }, program);
}

/** Returns the help as it is printed, wide enough to avoid line breaks. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 1000 });
  command.outputHelp();
  return text;
}

function programOf(all: Catalogue) {
  const invoked: string[] = [];
  const program = buildProgram(all, async ({ path }) => {
    invoked.push(path);
  });
  return { program, invoked };
}

it('the help and the reference list the same variables and exit codes', () => {
  const help = helpOf(programOf(catalogue).program);
  const namesIn = (text: string) =>
    [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b|\b(?:KUBECONFIG|VISUAL|EDITOR)\b/g)].map(([name]) => name);
  const [, table = ''] = /^## Environment$(.*?)^## /ms.exec(page) ?? [];
  const [, listed = ''] = /^Environment:$(.*?)^$/ms.exec(help) ?? [];
  const columns = [...table.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  const firsts = listed.split('\n').map((line) => line.trim().split(/ {2,}/)[0] ?? '');
  expect(namesIn(columns.join(' '))).toEqual(namesIn(firsts.join(' ')));
  const [, codes = ''] = /^## Exit codes$(.*?)^## /ms.exec(page) ?? [];
  const inPage = [...codes.matchAll(/^\| `(\d+)` \| (.*) \|$/gm)].map(([, code, meaning]) => `${code} ${meaning}`);
  const [, shown = ''] = /^Exit codes:$(.*?)^$/ms.exec(help) ?? [];
  expect(
    shown
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/ +/, ' ')),
  ).toEqual(inPage);
});

describe('every command', () => {
  it.each(catalogue.commands.map(({ path }) => path))(
    '%s has the same options in its help and in the reference',
    (path) => {
      const spec = catalogue.commands.find((one) => one.path === path);
      const command = commandAt(programOf(catalogue).program, path);
      const help = helpOf(command);
      const text = documented(path);
      expect(text).not.toBe('');
      const inHelp = [...help.matchAll(/^ {2}((?:-\w, )?--[a-z-]+(?: <[^>]*>)?)/gm)].map(([, flags]) => flags);
      const inPage = [...text.matchAll(/^\| `((?:-\w, )?--[^`]*)` \|/gm)].map(([, flags]) => flags);
      expect([...inPage, '-v, --verbose', '-h, --help']).toEqual(inHelp);
      const summary = spec?.summary ?? '';
      for (const where of [help, text])
        expect(where.replaceAll(/\s+/g, ' ').toLowerCase()).toContain(summary.toLowerCase());
      for (const example of spec?.examples ?? []) {
        expect(help).toContain(example.command);
        expect(text).toContain(example.command);
      }
    },
  );

  it('is in the reference, which contains no others', () => {
    const inPage = [...page.matchAll(/^### flotilla (.*)$/gm)].map(([, path]) => path);
    expect(inPage.sort()).toEqual(catalogue.commands.map(({ path }) => path).sort());
  });

  it.each(catalogue.commands.map(({ path, examples }) => [path, examples] as const))(
    '%s parses its own examples',
    async (path, examples) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const { command } of examples) {
        const { program, invoked } = programOf(catalogue);
        await program.parseAsync(['node', 'flotilla', ...wordsOf(command)]);
        expect(invoked).toEqual([path]);
      }
    },
  );

  it.each(catalogue.commands.map((spec) => [spec.path, spec] as const))('%s can be loaded', async (_path, spec) => {
    expect(typeof (await spec.load()).run).toBe('function');
  });

  it('has the same help if only the commands with its first word are built', () => {
    const whole = programOf(catalogue).program;
    for (const { path } of catalogue.commands) {
      const [word = ''] = path.split(' ');
      const { program } = programOf(catalogueForWord(catalogue, word));
      expect(program.commands.map((command) => command.name())).toEqual([word]);
      expect(helpOf(commandAt(program, path))).toBe(helpOf(commandAt(whole, path)));
      expect(helpOf(commandAt(program, word))).toBe(helpOf(commandAt(whole, word)));
    }
  });

  it('is built if the first word is not a command: options, aliases, typos', () => {
    for (const word of [undefined, '--help', 'help', 'ls', 'strat', 'access-keys', ''])
      expect(catalogueForWord(catalogue, word)).toBe(catalogue);
  });

  it('rejects unknown options and subcommands', async () => {
    const { program } = programOf(catalogue);
    for (const command of program.commands) command.configureOutput({ writeErr: () => {}, outputError: () => {} });
    program.configureOutput({ writeErr: () => {}, outputError: () => {} });
    await expect(program.parseAsync(['node', 'flotilla', 'list', '--colour'])).rejects.toThrow(/unknown option/);
    await expect(program.parseAsync(['node', 'flotilla', 'access-key', 'fly'])).rejects.toThrow();
  });
});

/** Returns the words of an example as a shell passes them, without redirections and substitutions. */
function wordsOf(example: string): string[] {
  const [, words = ''] = /flotilla ([^<>]*)/.exec(example.replace(/\)$/, '')) ?? [];
  return [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
