import type { CommandSpec, OptionSpec } from '../../command-spec.ts';
import { commandPath, type InstanceKind, spaces } from '../../kinds.ts';
import { allowMissingOption, timeoutOption } from '../shared-options.ts';
import {
  execOption,
  kubeContextOption,
  locationOptions,
  nameArgument,
  ttlOption,
  viaOption,
} from './instance-options.ts';

export function shareCommandSpec(kind: InstanceKind): CommandSpec {
  const { noun } = kind;
  const path = commandPath(kind, 'share');
  return {
    path,
    summary: `Share a ${noun}, or show who has access`,
    details:
      'Without --user and --team the command shows who has access. The named users and teams get access to the ' +
      `${noun}; --role sets their role inside it. The command prints the role that it gave.`,
    args: [nameArgument(kind)],
    options: [
      ...locationOptions,
      { flags: '--user <name>', description: 'User to share with; can be repeated', many: true, candidates: 'user' },
      { flags: '--team <name>', description: 'Team to share with; can be repeated', many: true, candidates: 'team' },
      {
        flags: '--role <cluster role>',
        description: `Cluster role to grant inside the ${noun}, for example view or edit (default: the default role of the template, or edit if that is ${kind === spaces ? 'admin' : 'cluster-admin'} or not set)`,
        candidates: kind === spaces ? ['view', 'edit', 'admin'] : ['view', 'edit', 'admin', 'cluster-admin'],
      },
      { flags: '--remove', description: 'Remove the access' },
      allowMissingOption,
    ],
    examples: [
      { command: `flotilla ${path} demo --user anna --role view`, does: 'Give anna read access' },
      {
        command: `flotilla ${path} demo --team testers`,
        does: 'Give all members of a team access, with the default role',
      },
      { command: `flotilla ${path} demo --user anna --remove`, does: 'Remove the access of anna' },
      { command: `flotilla ${path} demo`, does: 'Show who has access' },
    ],
    load: async () => ({ run: (await import('../../commands/access/share.ts')).shareCommand(kind) }),
  };
}

/** Returns the command that connects kubectl. `probe` is a kubectl command for the examples. */
export function connectCommandSpec(kind: InstanceKind, probe: string): CommandSpec {
  const { noun } = kind;
  const path = commandPath(kind, 'connect');
  return {
    path,
    summary: `Connect kubectl to a ${noun}`,
    details:
      `Without a command, the ${noun} becomes the current context of your kubeconfig (the first file in ` +
      'KUBECONFIG, or ~/.kube/config). With a command, only that command gets a kubeconfig, which is deleted when ' +
      'the command ends. The exit code is that of the command. ' +
      `If the ${noun} is asleep, the command asks at a terminal whether to wake it.`,
    args: [
      nameArgument(kind),
      { name: '[command...]', description: `Command to run after --, with KUBECONFIG set for the ${noun}` },
    ],
    options: [
      ...locationOptions,
      { flags: '--wake', description: `Wake the ${noun} if it is asleep, and wait until it is ready` },
      ttlOption,
      viaOption,
      execOption,
      kubeContextOption(kind),
      timeoutOption,
    ],
    examples: [
      { command: `flotilla ${path} demo`, does: `Make the ${noun} the current context of kubectl` },
      { command: `flotilla ${path} demo -- ${probe}`, does: 'Run one command' },
      { command: `flotilla ${path} demo -- bash`, does: `Open a shell in which kubectl uses the ${noun}` },
      {
        command: `flotilla ${path} demo --exec`,
        does: 'Write a context that holds no secret and does not expire after a day',
      },
    ],
    load: async () => ({ run: (await import('../../commands/instances/connect.ts')).connectCommand(kind) }),
  };
}

export function disconnectCommandSpec(kind: InstanceKind): CommandSpec {
  const path = commandPath(kind, 'disconnect');
  return {
    path,
    summary: `Remove a ${kind.noun} from your kubeconfig`,
    args: [nameArgument(kind)],
    options: locationOptions,
    examples: [{ command: `flotilla ${path} demo`, does: 'Remove the context and switch back to the previous one' }],
    load: async () => ({ run: (await import('../../commands/instances/disconnect.ts')).disconnectCommand(kind) }),
  };
}

/** The options of the commands that print the kubeconfig of an instance. */
export const kubeconfigOptions: readonly OptionSpec[] = [
  ...locationOptions,
  { flags: '--print', description: 'Print the kubeconfig (default)' },
  {
    flags: '--file <file>',
    description: 'Write the kubeconfig to a file that only you can read',
    candidates: 'file',
  },
  ttlOption,
  viaOption,
  execOption,
  { flags: '--server <url>', description: 'Server URL to write into the kubeconfig' },
];
