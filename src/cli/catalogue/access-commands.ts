import type { CommandSpec, GroupSpec, OptionSpec } from '../command-spec.ts';
import { accessKeys, ownedAccessKeys } from '../kinds.ts';
import {
  contextOption,
  descriptionOption,
  displayNameOption,
  outputOption,
  projectOption,
  secretFileOption,
  watchOption,
} from './shared-options.ts';

export const accessGroups: readonly GroupSpec[] = [
  { path: 'access-key', summary: 'keys for people and pipelines: made, seen, taken back' },
];

const nameArgument = { name: '<name>', description: 'the access key', candidates: 'access-key' } as const;
const namesArgument = { ...nameArgument, name: '<name...>', description: 'the access keys' };
const allOption: OptionSpec = { flags: '--all', description: 'keys of everybody; for administrators' };
const scopeOptions: readonly OptionSpec[] = [
  {
    flags: '--scope-project <project>',
    description: 'reach this project and its virtual clusters; may be given several times, * is all',
    many: true,
    candidates: 'project',
  },
  {
    flags: '--scope-virtual-cluster <project/name>',
    description: 'reach this virtual cluster; may be given several times',
    many: true,
  },
  {
    flags: '--scope-cluster <name>',
    description: 'reach this connected cluster; may be given several times',
    many: true,
    candidates: 'cluster',
  },
  {
    flags: '--cli-only',
    description:
      'reach what this command line and kubectl read to find their way; with a scope besides, as far as that goes',
  },
];

/** Keys of one's own, or of everybody. */
const kindOf = (all: boolean) => (all ? accessKeys : ownedAccessKeys);

export const accessCommands: readonly CommandSpec[] = [
  {
    path: 'access-key create',
    summary: 'make an access key and show it this once',
    details:
      'The value goes to standard output, or to a file with --file; nothing shows it again. Without a scope the key may do ' +
      'what its user may. A scope only narrows that.',
    args: [{ name: '[name]', description: 'its name (default: the server names it)' }],
    options: [
      contextOption,
      ...scopeOptions,
      {
        flags: '--ttl <time>',
        description: 'how long it lasts, as 12h or 30d (default: no end, unless the server sets one)',
      },
      { flags: '--ttl-after-last-activity', description: 'count that time from the last use instead of from now' },
      { flags: '--user <name>', description: 'whose key it is (default: yours)', candidates: 'user' },
      { flags: '--team <name>', description: 'the team whose key it is', candidates: 'team' },
      {
        flags: '--group <name>',
        description: 'a group besides those of its user; may be given several times',
        many: true,
      },
      displayNameOption,
      descriptionOption,
      secretFileOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla access-key create ci --scope-project default --cli-only --ttl 30d --file ci.key',
        does: 'for a pipeline that works in one project',
      },
      { command: 'KEY=$(flotilla access-key create --ttl 1h)', does: 'for a script' },
    ],
    load: () => import('../commands/access-key-create.ts'),
  },
  {
    path: 'access-key list',
    aliases: ['ls'],
    summary: 'list access keys: whose, until when, when used last; never their values',
    options: [contextOption, allOption, outputOption, watchOption],
    examples: [
      { command: 'flotilla access-key list', does: 'your own, and those of your teams' },
      { command: 'flotilla access-key list --all', does: 'those of everybody, for administrators' },
    ],
    load: async () => {
      const { listOf } = await import('../commands/object-list.ts');
      return { run: async (call) => await listOf(kindOf(call.values.flag('all')))(call) };
    },
  },
  {
    path: 'access-key get',
    summary: 'show access keys',
    args: [namesArgument],
    options: [contextOption, allOption, outputOption],
    examples: [{ command: 'flotilla access-key get ci -o yaml', does: 'its scope and when it ends' }],
    load: async () => {
      const { getOf } = await import('../commands/object-get.ts');
      return { run: async (call) => await getOf(kindOf(call.values.flag('all')))(call) };
    },
  },
  {
    path: 'access-key disable',
    summary: 'turn access keys off',
    args: [namesArgument],
    options: [contextOption, allOption],
    examples: [{ command: 'flotilla access-key disable ci', does: 'it is refused from the next request on' }],
    load: async () => ({ run: (await import('../commands/access-key-disable.ts')).switchedTo(true) }),
  },
  {
    path: 'access-key enable',
    summary: 'turn access keys on again',
    args: [namesArgument],
    options: [contextOption, allOption],
    examples: [{ command: 'flotilla access-key enable ci', does: 'it works as before' }],
    load: async () => ({ run: (await import('../commands/access-key-disable.ts')).switchedTo(false) }),
  },
  {
    path: 'access-key rotate',
    summary: 'give an access key another value and show that this once',
    details:
      'Keys that were made with it go on: where somebody else may have had the old value, delete the key and make another.',
    args: [nameArgument],
    options: [contextOption, allOption, secretFileOption],
    examples: [{ command: 'flotilla access-key rotate ci --file ci.key', does: 'the old value is void at once' }],
    load: () => import('../commands/access-key-rotate.ts'),
  },
  {
    path: 'access-key delete',
    summary: 'delete access keys',
    args: [namesArgument],
    options: [
      contextOption,
      allOption,
      { flags: '--ignore-not-found', description: 'one that is not there is no error' },
    ],
    examples: [{ command: 'flotilla access-key delete ci', does: 'what was opened with it is closed' }],
    load: async () => {
      const { deleteOf } = await import('../commands/object-delete.ts');
      return { run: async (call) => await deleteOf(kindOf(call.values.flag('all')))(call) };
    },
  },
  {
    path: 'token',
    summary: 'print a token: for direct endpoints, for a virtual cluster, or for kubectl',
    details:
      'With --exec-credential it is the exec plugin of kubectl: the token of --virtual-cluster or --direct, kept until ' +
      'shortly before it ends, or the key of the login for the management API.',
    options: [
      contextOption,
      projectOption,
      { flags: '--direct', description: 'for the direct endpoints of connected clusters' },
      { flags: '--virtual-cluster <name>', description: 'for this virtual cluster', candidates: 'virtual-cluster' },
      { flags: '--exec-credential', description: 'in the form that kubectl asks its plugins for' },
      { flags: '--ttl <time>', description: 'how long it lasts, as 15m or 8h (default: as the server has it)' },
      ...scopeOptions.map((option) => ({ ...option, description: `${option.description} (with --direct)` })),
      secretFileOption,
    ],
    examples: [
      {
        command: 'flotilla token --direct --ttl 1h --scope-project default',
        does: 'an hour in one project, without the central server',
      },
      {
        command: 'flotilla token --exec-credential --virtual-cluster demo',
        does: 'what kubectl gets from a kubeconfig of --exec',
      },
    ],
    load: () => import('../commands/token.ts'),
  },
];
