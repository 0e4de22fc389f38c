import type { CommandSpec, OptionSpec } from '../command-spec.ts';
import { virtualClusters } from '../kinds.ts';
import {
  contextOption,
  dataDirOption,
  descriptionOption,
  displayNameOption,
  dryRunOption,
  outputOption,
  patchOption,
  projectOption,
  selectorOption,
  setOption,
  timeoutOption,
  valuesOption,
  waitOption,
  watchOption,
} from './shared-options.ts';

const nameArgument = {
  name: '<name>',
  description: 'Name of the virtual cluster',
  candidates: 'virtual-cluster',
} as const;
const namesArgument = { ...nameArgument, name: '<name...>', description: 'Names of the virtual clusters' };
const commonOptions = [projectOption, contextOption];
const execOption: OptionSpec = {
  flags: '--exec',
  description:
    'Create a kubeconfig that contains no secret and does not expire; kubectl requests a token when it needs one',
};
const ttlOption: OptionSpec = {
  flags: '--ttl <duration>',
  description: 'Lifetime of the credential, for example 8h or 30d (default: set by the server, one day)',
};
const kubeContextOption: OptionSpec = {
  flags: '--kube-context <name>',
  description: 'Name of the context in the kubeconfig (default: flotilla/<project>/<name>)',
};
const ownerOptions: readonly OptionSpec[] = [
  {
    flags: '--owner-user <name>',
    description: 'User that owns the virtual cluster (default: you)',
    candidates: 'user',
  },
  { flags: '--owner-team <name>', description: 'Team that owns the virtual cluster', candidates: 'team' },
];

export const virtualClusterCommands: readonly CommandSpec[] = [
  {
    path: 'create',
    summary: 'Create a virtual cluster',
    details:
      'With --wait the command reports each condition when it becomes true, the time that it took, and what blocks ' +
      'the next one.',
    args: [{ name: '<name>', description: 'Name of the virtual cluster' }],
    options: [
      ...commonOptions,
      {
        flags: '-t, --template <name[@version]>',
        description: 'Template, with an optional version that is exact (1.2.0) or has wildcards (1.x.x)',
        candidates: 'template',
      },
      setOption,
      valuesOption,
      {
        flags: '--cluster <name>',
        description: 'Cluster to run the virtual cluster on (default: the allowed cluster with the fewest instances)',
        candidates: 'cluster',
      },
      ...ownerOptions,
      displayNameOption,
      descriptionOption,
      {
        flags: '--label <name=value>',
        description: 'Label to set on the virtual cluster; can be repeated',
        many: true,
      },
      {
        flags: '--annotation <name=value>',
        description: 'Annotation to set on the virtual cluster; can be repeated',
        many: true,
      },
      { ...waitOption, description: 'Wait until the virtual cluster is ready' },
      {
        flags: '--connect',
        description: 'Wait until the virtual cluster is ready, then make it the current context of your kubeconfig',
      },
      execOption,
      kubeContextOption,
      {
        flags: '--recreate',
        description: 'First delete an existing virtual cluster with this name, and wait until it is deleted',
      },
      timeoutOption,
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla create demo --connect', does: 'Create a virtual cluster and connect kubectl to it' },
      {
        command: 'flotilla create review --project payments --template small@1.x.x --set env=test --wait',
        does: 'Create a virtual cluster from a template with a parameter',
      },
      {
        command: 'flotilla create demo --recreate --wait --timeout 2m',
        does: 'Replace an existing virtual cluster with a new, empty one',
      },
    ],
    load: () => import('../commands/instances/create.ts'),
  },
  {
    path: 'list',
    aliases: ['ls'],
    summary: 'List virtual clusters',
    options: [
      ...commonOptions,
      { flags: '-A, --all-projects', description: 'List the virtual clusters of all projects that you can see' },
      selectorOption,
      outputOption,
      watchOption,
    ],
    examples: [
      { command: 'flotilla list', does: 'List the virtual clusters of the current project' },
      {
        command: 'flotilla list -A -o wide',
        does: 'List all virtual clusters with their location and status message',
      },
      { command: 'flotilla list --watch', does: 'List virtual clusters and watch for changes' },
    ],
    load: async () => ({ run: (await import('../commands/objects/object-list.ts')).listCommand(virtualClusters) }),
  },
  {
    path: 'get',
    summary: 'Show one or more virtual clusters',
    args: [namesArgument],
    options: [...commonOptions, outputOption, watchOption],
    examples: [
      { command: 'flotilla get demo', does: 'Show the virtual cluster as a row of a table' },
      { command: "flotilla get demo -o jsonpath='{.status.phase}'", does: 'Print one field, for a script' },
      { command: 'flotilla get demo -o yaml', does: 'Print the whole object as YAML' },
    ],
    load: async () => ({ run: (await import('../commands/objects/object-get.ts')).getCommand(virtualClusters) }),
  },
  {
    path: 'describe',
    summary: 'Show the details, conditions and events of a virtual cluster',
    args: [nameArgument],
    options: commonOptions,
    examples: [{ command: 'flotilla describe demo', does: 'Find out why a virtual cluster does not become ready' }],
    load: () => import('../commands/instances/describe.ts'),
  },
  {
    path: 'edit',
    summary: 'Edit a virtual cluster in your editor or with a patch',
    args: [nameArgument],
    options: [...commonOptions, patchOption],
    examples: [
      { command: 'flotilla edit demo', does: 'Open the editor that is set in KUBE_EDITOR, VISUAL or EDITOR' },
      {
        command: `flotilla edit demo --patch '{"spec":{"displayName":"Demo"}}'`,
        does: 'Change a field without an editor',
      },
    ],
    load: async () => ({ run: (await import('../commands/objects/object-edit.ts')).editCommand(virtualClusters) }),
  },
  {
    path: 'delete',
    summary: 'Delete virtual clusters and everything in them',
    args: [namesArgument],
    options: [
      ...commonOptions,
      { ...waitOption, description: 'Wait until the virtual clusters are deleted' },
      timeoutOption,
      { flags: '--ignore-not-found', description: 'Do not fail if a virtual cluster does not exist' },
      dryRunOption,
    ],
    examples: [
      { command: 'flotilla delete demo --wait', does: 'Delete a virtual cluster and wait until nothing of it is left' },
      { command: 'flotilla delete demo --ignore-not-found', does: 'Clean up at the end of a pipeline' },
    ],
    load: () => import('../commands/instances/delete.ts'),
  },
  {
    path: 'sleep',
    summary: 'Put a virtual cluster to sleep until it is woken',
    args: [nameArgument],
    options: [...commonOptions, { ...waitOption, description: 'Wait until the virtual cluster sleeps' }, timeoutOption],
    examples: [
      { command: 'flotilla sleep demo', does: 'Keep all data; requests get 503 while the virtual cluster sleeps' },
    ],
    load: () => import('../commands/instances/sleep.ts'),
  },
  {
    path: 'wake',
    summary: 'Wake a virtual cluster',
    args: [nameArgument],
    options: [
      ...commonOptions,
      { ...waitOption, description: 'Wait until the virtual cluster is ready' },
      timeoutOption,
    ],
    examples: [{ command: 'flotilla wake demo --wait', does: 'Wake a virtual cluster and wait until it is ready' }],
    load: () => import('../commands/instances/wake.ts'),
  },
  {
    path: 'lift-quarantine',
    summary: 'Lift the quarantine of a virtual cluster (administrators only)',
    details:
      'The server quarantines a virtual cluster that has repeatedly stalled its worker thread: it serves no requests, ' +
      'and flotilla list shows it as Quarantined. Its data is kept.',
    args: [nameArgument],
    options: [
      ...commonOptions,
      { ...waitOption, description: 'Wait until the virtual cluster is ready' },
      timeoutOption,
    ],
    examples: [
      {
        command: 'flotilla lift-quarantine demo --wait',
        does: 'Let a virtual cluster serve requests again after the cause was removed',
      },
    ],
    load: () => import('../commands/instances/lift-quarantine.ts'),
  },
  {
    path: 'share',
    summary: 'Share a virtual cluster, or show who has access',
    details:
      'Without --user and --team the command shows who has access. The named users and teams get access to the ' +
      'virtual cluster; --role sets their role inside it.',
    args: [nameArgument],
    options: [
      ...commonOptions,
      { flags: '--user <name>', description: 'User to share with; can be repeated', many: true, candidates: 'user' },
      { flags: '--team <name>', description: 'Team to share with; can be repeated', many: true, candidates: 'team' },
      {
        flags: '--role <cluster role>',
        description:
          'Cluster role to grant inside the virtual cluster, for example view or edit (default: set by the template)',
        candidates: ['view', 'edit', 'admin', 'cluster-admin'],
      },
      { flags: '--remove', description: 'Remove the access' },
    ],
    examples: [
      { command: 'flotilla share demo --user anna --role view', does: 'Give anna read access' },
      { command: 'flotilla share demo --team testers', does: 'Give all users of a team access' },
      { command: 'flotilla share demo --user anna --remove', does: 'Remove the access of anna' },
      { command: 'flotilla share demo', does: 'Show who has access' },
    ],
    load: () => import('../commands/access/share.ts'),
  },
  {
    path: 'connect',
    summary: 'Connect kubectl to a virtual cluster',
    details:
      'Without a command, the virtual cluster becomes the current context of your kubeconfig (the first file in ' +
      'KUBECONFIG, or ~/.kube/config). With a command, only that command gets a kubeconfig, which is deleted when ' +
      'the command ends. The exit code is that of the command.',
    args: [
      nameArgument,
      { name: '[command...]', description: 'Command to run after --, with KUBECONFIG set for the virtual cluster' },
    ],
    options: [...commonOptions, ttlOption, execOption, kubeContextOption, timeoutOption],
    examples: [
      { command: 'flotilla connect demo', does: 'Make the virtual cluster the current context of kubectl' },
      { command: 'flotilla connect demo -- kubectl get namespaces', does: 'Run one command' },
      { command: 'flotilla connect demo -- bash', does: 'Open a shell in which kubectl uses the virtual cluster' },
      {
        command: 'flotilla connect demo --exec',
        does: 'Write a context that holds no secret and does not expire after a day',
      },
    ],
    load: () => import('../commands/instances/connect.ts'),
  },
  {
    path: 'disconnect',
    summary: 'Remove a virtual cluster from your kubeconfig',
    args: [nameArgument],
    options: commonOptions,
    examples: [{ command: 'flotilla disconnect demo', does: 'Remove the context and switch back to the previous one' }],
    load: () => import('../commands/instances/disconnect.ts'),
  },
  {
    path: 'kubeconfig',
    summary: 'Print a kubeconfig for a virtual cluster',
    details:
      'The kubeconfig gives access to this virtual cluster only. Without a login the command acts as the ' +
      'administrator, through the data directory of a server on this machine.',
    args: [{ ...nameArgument, name: '[name]' }],
    options: [
      ...commonOptions,
      { flags: '--print', description: 'Print the kubeconfig (default)' },
      {
        flags: '--file <file>',
        description: 'Write the kubeconfig to a file that only you can read',
        candidates: 'file',
      },
      ttlOption,
      execOption,
      { flags: '--server <url>', description: 'Server URL to write into the kubeconfig' },
      {
        flags: '--management',
        description: 'Print a kubeconfig for the management API, with the access key of the login',
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
    load: () => import('../commands/instances/kubeconfig.ts'),
  },
  {
    path: 'logs',
    summary: 'Print the logs of a virtual cluster',
    args: [nameArgument],
    options: [
      ...commonOptions,
      { flags: '-f, --follow', description: 'Stream new log lines until you press Ctrl-C' },
      { flags: '--tail <lines>', description: 'Number of most recent lines to print' },
      { flags: '--since <duration>', description: 'Print only lines that are newer than this, for example 15m' },
    ],
    examples: [{ command: 'flotilla logs demo -f --tail 20', does: 'Print the last 20 lines and stream new ones' }],
    load: () => import('../commands/instances/logs.ts'),
  },
  {
    path: 'import',
    summary: 'Import an existing virtual cluster into a project',
    details: 'The virtual cluster is not restarted, renamed or reinstalled.',
    args: [{ name: '<source>', description: '<cluster>/<namespace>/<name>, as flotilla importable lists it' }],
    options: [
      ...commonOptions,
      { flags: '--as <name>', description: 'Name of the instance (default: the name of the virtual cluster)' },
      ...ownerOptions,
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
    load: () => import('../commands/instances/import.ts'),
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
    load: () => import('../commands/instances/importable.ts'),
  },
];
