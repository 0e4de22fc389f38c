import type { CommandSpec } from '../../command-spec.ts';
import { virtualClusters } from '../../kinds.ts';
import { contextOption, dataDirOption, dryRunOption, outputOption } from '../shared-options.ts';
import { connectCommandSpec, disconnectCommandSpec, kubeconfigOptions, shareCommandSpec } from './access-commands.ts';
import { createCommandSpec } from './create-command.ts';
import { locationOptions, nameArgument, ownerOptions, waitOptions } from './instance-options.ts';
import { deleteCommandSpec, sleepCommandSpec, wakeCommandSpec } from './lifecycle-commands.ts';
import { describeCommandSpec, editCommandSpec, getCommandSpec, listCommandSpec } from './read-commands.ts';

export const virtualClusterCommands: readonly CommandSpec[] = [
  createCommandSpec(virtualClusters, [
    { flags: '--space', description: 'Create a space instead of a virtual cluster, like flotilla space create' },
  ]),
  listCommandSpec(virtualClusters, 'With a kind, the command lists the objects of that kind instead.'),
  getCommandSpec(virtualClusters),
  describeCommandSpec(virtualClusters),
  editCommandSpec(virtualClusters),
  deleteCommandSpec(virtualClusters),
  sleepCommandSpec(virtualClusters, {
    effect: 'Keep objects and persistent volumes; requests get 503 while the virtual cluster sleeps',
    details:
      'A virtual cluster on a connected cluster that has no persistent volume would lose everything in it. It is not put to ' +
      'sleep, unless --accept-data-loss is given.',
    options: [
      {
        flags: '--accept-data-loss',
        description: 'Also sleep if everything in the virtual cluster is lost; applies to later sleeps too',
      },
    ],
  }),
  wakeCommandSpec(virtualClusters),
  {
    path: 'lift-quarantine',
    summary: 'Lift the quarantine of a virtual cluster (administrators only)',
    details:
      'The server quarantines a virtual cluster that has repeatedly stalled its worker thread: it serves no requests, ' +
      'and flotilla list shows it as Quarantined. Its data is kept.',
    args: [nameArgument(virtualClusters)],
    options: [...locationOptions, ...waitOptions('the virtual cluster is ready')],
    examples: [
      {
        command: 'flotilla lift-quarantine demo --wait',
        does: 'Let a virtual cluster serve requests again after the cause was removed',
      },
    ],
    load: () => import('../../commands/instances/lift-quarantine.ts'),
  },
  shareCommandSpec(virtualClusters),
  connectCommandSpec(virtualClusters, 'kubectl get namespaces'),
  disconnectCommandSpec(virtualClusters),
  {
    path: 'kubeconfig',
    summary: 'Print a kubeconfig for a virtual cluster',
    details:
      'The kubeconfig gives access to this virtual cluster only. Without a login the command acts as the ' +
      'administrator, through the data directory of a server on this machine.',
    args: [{ ...nameArgument(virtualClusters), name: '[name]' }],
    options: [
      ...kubeconfigOptions,
      {
        flags: '--management',
        description:
          'Print a kubeconfig for the management API, with the access key of the login, or as with --exec if the login renews itself',
      },
      dataDirOption,
    ],
    examples: [
      { command: 'flotilla kubeconfig demo --file demo.kubeconfig', does: 'Write the kubeconfig to a file' },
      { command: 'flotilla kubeconfig demo --ttl 30d --print', does: 'Print a kubeconfig that is valid for 30 days' },
      {
        command: 'flotilla kubeconfig --management --file admin.kubeconfig',
        does: 'Use kubectl with projects, templates and access keys',
      },
    ],
    load: async () => ({
      run: (await import('../../commands/instances/kubeconfig.ts')).kubeconfigCommand(virtualClusters),
    }),
  },
  {
    path: 'logs',
    summary: 'Print the logs of a virtual cluster',
    args: [nameArgument(virtualClusters)],
    options: [
      ...locationOptions,
      { flags: '-f, --follow', description: 'Stream new log lines until you press Ctrl-C' },
      { flags: '--tail <lines>', description: 'Number of most recent lines to print' },
      { flags: '--since <duration>', description: 'Print only lines that are newer than this, for example 15m' },
    ],
    examples: [{ command: 'flotilla logs demo -f --tail 20', does: 'Print the last 20 lines and stream new ones' }],
    load: () => import('../../commands/instances/logs.ts'),
  },
  {
    path: 'import',
    summary: 'Import an existing virtual cluster into a project',
    details: 'The virtual cluster is not restarted, renamed or reinstalled.',
    args: [{ name: '<source>', description: '<cluster>/<namespace>/<name>, as flotilla importable lists it' }],
    options: [
      ...locationOptions,
      { flags: '--as <name>', description: 'Name of the instance (default: the name of the virtual cluster)' },
      ...ownerOptions(virtualClusters),
      {
        flags: '--external',
        description: 'Keep the virtual cluster managed externally: the server never changes or deletes it',
      },
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla import local/default/demo --project payments --as imported',
        does: 'Import the virtual cluster under another name',
      },
      { command: 'flotilla import local/default/demo --dry-run', does: 'Check whether the import would succeed' },
    ],
    load: async () => ({ run: (await import('../../commands/instances/import.ts')).importVirtualCluster }),
  },
  {
    path: 'importable',
    summary: 'List the virtual clusters that can be imported from a cluster',
    args: [{ name: '<cluster>', description: 'Name of the connected cluster', candidates: 'cluster' }],
    options: [
      contextOption,
      { flags: '--all', description: 'Include virtual clusters that are already imported' },
      outputOption,
    ],
    examples: [{ command: 'flotilla importable local', does: 'List the sources for flotilla import' }],
    load: () => import('../../commands/instances/importable.ts'),
  },
];
