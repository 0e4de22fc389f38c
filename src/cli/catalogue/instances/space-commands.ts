import type { CommandSpec, GroupSpec } from '../../command-spec.ts';
import { spaces } from '../../kinds.ts';
import { dryRunOption, outputOption } from '../shared-options.ts';
import { connectCommandSpec, disconnectCommandSpec, kubeconfigOptions, shareCommandSpec } from './access-commands.ts';
import { createCommandSpec } from './create-command.ts';
import { locationOptions, nameArgument, ownerOptions } from './instance-options.ts';
import { deleteCommandSpec, sleepCommandSpec, wakeCommandSpec } from './lifecycle-commands.ts';
import { describeCommandSpec, editCommandSpec, getCommandSpec, listCommandSpec } from './read-commands.ts';

export const spaceGroups: readonly GroupSpec[] = [
  { path: 'space', summary: 'Manage spaces: namespaces of connected clusters that belong to a project' },
];

export const spaceCommands: readonly CommandSpec[] = [
  createCommandSpec(spaces),
  listCommandSpec(spaces),
  getCommandSpec(spaces),
  describeCommandSpec(spaces),
  editCommandSpec(spaces),
  deleteCommandSpec(spaces),
  sleepCommandSpec(spaces, {
    effect: 'Scale the workloads of the space to zero until it is woken; objects and persistent volumes are kept',
  }),
  wakeCommandSpec(spaces),
  shareCommandSpec(spaces),
  connectCommandSpec(spaces, 'kubectl get pods'),
  disconnectCommandSpec(spaces),
  {
    path: 'space kubeconfig',
    summary: 'Print a kubeconfig for a space',
    details: 'The kubeconfig gives access to this space only.',
    args: [nameArgument(spaces)],
    options: kubeconfigOptions,
    examples: [
      { command: 'flotilla space kubeconfig demo --file demo.kubeconfig', does: 'Write the kubeconfig to a file' },
      {
        command: 'flotilla space kubeconfig demo --ttl 30d --print',
        does: 'Print a kubeconfig that is valid for 30 days',
      },
    ],
    load: async () => ({ run: (await import('../../commands/instances/kubeconfig.ts')).kubeconfigCommand(spaces) }),
  },
  {
    path: 'space import',
    summary: 'Import an existing namespace into a project as a space',
    details:
      'The import adds role bindings and changes no other objects in the namespace. Deleting the space keeps the namespace.',
    args: [{ name: '<source>', description: '<cluster>/<namespace>' }],
    options: [
      ...locationOptions,
      { flags: '--as <name>', description: 'Name of the space (default: the name of the namespace)' },
      ...ownerOptions(spaces),
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla space import local/web --project payments --as imported',
        does: 'Import the namespace under another name',
      },
      { command: 'flotilla space import local/web --dry-run', does: 'Check whether the import would succeed' },
    ],
    load: async () => ({ run: (await import('../../commands/instances/import.ts')).importSpace }),
  },
];
