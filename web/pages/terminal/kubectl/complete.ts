import type { KubeObject } from '../../../../src/api/meta.ts';
import type { ServedKind } from '../../../data/discovery.ts';
import { collectionUrl, queryText } from '../../../data/kind-ref.ts';
import { podContainers } from '../../inside/pod/pod-containers.ts';
import type { Command, CommandContext } from './command.ts';
import { commands, commandWords } from './commands.ts';
import type { Flag } from './syntax/flags.ts';
import { resolveKind } from './syntax/resolve-kind.ts';
import { splitWords, type Word } from './syntax/split-words.ts';

/** The completions for the word at the end of a line: texts that can replace this word. */
export interface Completion {
  /** The position at which the word starts. */
  readonly from: number;
  readonly options: readonly string[];
}

/**
 * The parts of the command context that completion needs. Its requests do not count as a use of the virtual cluster.
 */
export type CompletionContext = Pick<CommandContext, 'api' | 'root' | 'namespace' | 'signal' | 'served'>;

/** The maximum number of object names that completion requests. */
const maxNames = 500;
const maxOptions = 50;

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * Returns completions for the word at the end of a line. Never rejects: if a request fails, for example because the
 * user lacks the permission, there are no completions.
 */
export async function complete(line: string, context: CompletionContext): Promise<Completion> {
  const words = splitWords(line, true);
  const isNewWord = line === '' || /\s$/.test(line);
  const last: Word = isNewWord ? { text: '', from: line.length } : (words.at(-1) ?? { text: '', from: 0 });
  const before = commandWords((isNewWord ? words : words.slice(0, -1)).map(({ text }) => text));
  const none = { from: last.from, options: [] };
  if (before.includes('--')) return none;
  try {
    const options = await optionsFor(before, last.text, context);
    const matching = [...new Set(options)].filter((option) => option.startsWith(last.text));
    return { from: last.from, options: matching.slice(0, maxOptions) };
  } catch {
    return none;
  }
}

async function optionsFor(
  before: readonly string[],
  word: string,
  context: CompletionContext,
): Promise<readonly string[]> {
  const [name, ...rest] = before;
  if (name === undefined) return commands.map((command) => command.name);
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return [];
  if (name === 'help') return rest.length === 0 ? commands.map((each) => each.name) : [];
  const typed = readTyped(rest, command);
  if (typed.openFlag !== undefined) return await flagValues(typed.openFlag, typed.words, context);
  if (word.startsWith('-')) return command.flags.map((flag) => `--${flag.name}${flag.type === 'switch' ? '' : '='}`);
  return await positionalOptions(command, typed, word, context);
}

interface Typed {
  /** The arguments that are not flags. */
  readonly words: readonly string[];
  /** The flag whose value is being typed. */
  readonly openFlag: Flag | undefined;
  readonly namespace: string | undefined;
}

/** Reads the words before the word that is being typed. Incomplete words cause no errors. */
function readTyped(rest: readonly string[], { flags }: Command): Typed {
  const words: string[] = [];
  let openFlag: Flag | undefined;
  let namespace: string | undefined;
  for (const word of rest) {
    if (openFlag !== undefined) {
      if (openFlag.name === 'namespace') namespace = word;
      openFlag = undefined;
      continue;
    }
    const [, long, value] = /^--([a-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    const short = /^-[A-Za-z]+$/.test(word) ? word.slice(-1) : undefined;
    const flag = flags.find((each) => each.name === long || (short !== undefined && each.short === short));
    if (flag === undefined) {
      if (!word.startsWith('-')) words.push(word);
      else if (/^-n=?./.test(word)) namespace = word.replace(/^-n=?/, '');
    } else if (value !== undefined) {
      if (flag.name === 'namespace') namespace = value;
    } else if (flag.type !== 'switch') openFlag = flag;
  }
  return { words, openFlag, namespace };
}

async function flagValues(
  flag: Flag,
  words: readonly string[],
  context: CompletionContext,
): Promise<readonly string[]> {
  if (flag.values !== undefined) return flag.values;
  const served = await context.served();
  if (flag.name === 'namespace') return await namesOf(resolveKind(served, 'namespaces'), undefined, context);
  if (flag.name !== 'container' || words[0] === undefined) return [];
  const url = `${collectionUrl(context.root, resolveKind(served, 'pods'), context.namespace)}/${words[0]}`;
  return podContainers(await context.api.json<KubeObject>({ url, signal: context.signal })).map(({ name }) => name);
}

async function positionalOptions(
  { positional, subcommands = [], name }: Command,
  typed: Typed,
  word: string,
  context: CompletionContext,
): Promise<readonly string[]> {
  const { words } = typed;
  if (subcommands.length > 0 && words.length === 0) return subcommands;
  const namespace = typed.namespace ?? context.namespace;
  const served = async (verb: string) => (await context.served()).filter((kind) => kind.verbs.includes(verb));
  switch (positional) {
    case 'pod':
      return words.length > 0 ? [] : await namesOf(resolveKind(await served('get'), 'pods'), namespace, context);
    case 'kind':
      return words.length > 0 ? [] : (await context.served()).map(({ plural }) => plural);
    case 'verb and kind':
      if (words[0] !== 'can-i') return [];
      return words.length === 1
        ? verbs
        : words.length === 2
          ? (await context.served()).map(({ plural }) => plural)
          : [];
    case 'objects':
      return await objectOptions(words, word, await served(name === 'delete' ? 'delete' : 'get'), {
        ...context,
        namespace,
      });
    default:
      return [];
  }
}

async function objectOptions(
  words: readonly string[],
  word: string,
  served: readonly ServedKind[],
  context: CompletionContext,
): Promise<readonly string[]> {
  const { namespace } = context;
  const slash = word.indexOf('/');
  if (slash > 0) {
    const type = word.slice(0, slash);
    return (await namesOf(resolveKind(served, type), namespace, context)).map((name) => `${type}/${name}`);
  }
  const [type] = words;
  if (type !== undefined) return type.includes('/') ? [] : await namesOf(resolveKind(served, type), namespace, context);
  const comma = word.lastIndexOf(',') + 1;
  return served.map(({ plural }) => `${word.slice(0, comma)}${plural}`);
}

type WireNames = { items?: KubeObject[] | null };

async function namesOf(
  kind: ServedKind,
  namespace: string | undefined,
  { api, root, signal }: CompletionContext,
): Promise<readonly string[]> {
  const url = `${collectionUrl(root, kind, namespace)}${queryText({ limit: maxNames })}`;
  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json';
  const { items } = await api.json<WireNames>({ url, accept, signal });
  return (items ?? []).map(({ metadata }) => metadata.name ?? '');
}
