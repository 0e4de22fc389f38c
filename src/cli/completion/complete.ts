import type { Catalogue } from '../build-program.ts';
import { sharedByAll } from '../catalogue/shared-options.ts';
import type { Candidates, CommandSpec, OptionSpec } from '../command-spec.ts';
import type { Environment } from '../environment.ts';
import type { FindNames } from './find-names.ts';

/** A word that shell completion offers, with an optional description. */
export interface Completion {
  readonly word: string;
  readonly description?: string;
}

/** The words to offer; `files` means that the shell completes file names instead. */
export type CompletionResult = readonly Completion[] | 'files';

/** Returns the completions for the last word. */
export async function complete(
  words: readonly string[],
  catalogue: Catalogue,
  findNames: FindNames,
): Promise<CompletionResult> {
  // PowerShell before 7.3 passes an empty word only if the word is quoted. Later versions pass the quotes, too.
  const typed = (words.at(-1) ?? '').replace(/^""$/, '');
  const before = words.slice(0, -1);
  const { spec, rest, path } = commandIn(before, catalogue);
  if (spec === undefined) return startingWith(typed, wordsBelow(path, catalogue));
  const { args, options, pending } = readWords(rest, spec);
  const find = async (candidates: Candidates | undefined): Promise<CompletionResult> => {
    if (candidates === undefined) return [];
    if (candidates === 'file') return 'files';
    const names = typeof candidates === 'string' ? await findNames(candidates, options) : candidates;
    return startingWith(
      typed,
      names.map((word) => ({ word })),
    );
  };
  if (pending !== undefined) return await find(pending.candidates);
  if (typed.startsWith('-')) return startingWith(typed, optionWords(spec));
  if (rest.length === 0 && (spec.args ?? []).length === 0) {
    return startingWith(typed, wordsBelow(spec.path, catalogue));
  }
  const expected = (spec.args ?? []).at(args) ?? (isVariadic(spec) ? spec.args?.at(-1) : undefined);
  return await find(expected?.candidates);
}

function startingWith(typed: string, completions: readonly Completion[]): Completion[] {
  return completions.filter(({ word }) => word.startsWith(typed));
}

function commandIn(words: readonly string[], { commands, groups }: Catalogue) {
  const [first = '', second = ''] = words;
  const isGroup =
    groups.some(({ path }) => path === first) || commands.some(({ path }) => path === `${first} ${second}`);
  const path = isGroup ? first : '';
  const wanted = isGroup ? second : first;
  const spec = commands.find((one) => {
    const own = one.path.split(' ');
    if ((own.length === 2 ? own[0] : '') !== path) return false;
    return own.at(-1) === wanted || one.aliases?.includes(wanted) === true;
  });
  return { spec, path, rest: words.slice(isGroup ? 2 : 1) };
}

function wordsBelow(group: string, { commands, groups }: Catalogue): Completion[] {
  const own = commands
    .filter(({ path }) => (group === '' ? !path.includes(' ') : path.startsWith(`${group} `)))
    .map(({ path, summary }) => ({ word: path.split(' ').at(-1) ?? '', description: summary }));
  return group === '' ? [...own, ...groups.map(({ path, summary }) => ({ word: path, description: summary }))] : own;
}

/**
 * Parses the words of an incomplete command line. Returns the number of arguments, the values of the options, and the
 * last option if its value is not typed yet.
 */
function readWords(words: readonly string[], spec: CommandSpec) {
  const options = new Map<string, string>();
  let args = 0;
  let pending: OptionSpec | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      options.set(longName(pending), word);
      pending = undefined;
    } else if (word.startsWith('--') && word.includes('=')) {
      options.set(word.slice(2, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
    } else if (word.startsWith('-')) {
      const option = spec.options?.find(({ flags }) => flags.split(/[ ,]+/).includes(word));
      if (option?.flags.includes('<') === true) pending = option;
    } else args += 1;
  }
  return { args, options, pending };
}

function isVariadic(spec: CommandSpec): boolean {
  return spec.args?.at(-1)?.name.includes('...') === true;
}

function longName({ flags }: OptionSpec): string {
  return /--([a-z-]+)/.exec(flags)?.[1] ?? '';
}

function optionWords(spec: CommandSpec): Completion[] {
  const all = [...(spec.options ?? []), ...sharedByAll, { flags: '--help', description: 'Show this help' }];
  return all
    .filter((option) => !('hidden' in option))
    .map((option) => ({ word: `--${longName(option)}`, description: option.description }));
}

/**
 * Prints one completion per line, with its description after a tab. If the shell should complete file names, prints
 * `:files` instead. With `--kubectl`, the last line is always a directive in the form that kubectl expects. In case of
 * an error, prints nothing, because the user only pressed Tab.
 */
export async function printCompletions(given: readonly string[], environment: Environment): Promise<void> {
  const { loadCatalogue } = await import('../catalogue/catalogue.ts');
  const { createNameFinder } = await import('./find-names.ts');
  const forKubectl = given[0] === '--kubectl';
  const words = forKubectl ? given.slice(1) : given;
  const offer = await complete(words, await loadCatalogue(), createNameFinder(environment)).catch(() => []);
  const lines =
    offer === 'files'
      ? []
      : offer.map(({ word, description }) => (description === undefined ? word : `${word}\t${description}`));
  const files = offer === 'files';
  const end = forKubectl ? [files ? ':0' : ':4'] : files ? [':files'] : [];
  process.stdout.write([...lines, ...end].map((line) => `${line}\n`).join(''));
}
