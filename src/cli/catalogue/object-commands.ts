import type { CommandSpec, GroupSpec, OptionSpec } from '../command-spec.ts';
import { clusters, projects, teams, users } from '../kinds.ts';
import { accountCommands } from './account-commands.ts';
import { offboardCommand } from './offboard-command.ts';
import {
  allowMissingOption,
  contextOption,
  descriptionOption,
  displayNameOption,
  dryRunOption,
  outputOption,
  patchOption,
  projectOption,
  secretFileOption,
  timeoutOption,
} from './shared-options.ts';
import { standardCommands } from './standard-commands.ts';
import { templateCommands } from './template-commands.ts';

export const objectGroups: readonly GroupSpec[] = [
  { path: 'project', summary: 'Manage projects' },
  { path: 'member', summary: 'Manage the members of a project' },
  { path: 'cluster', summary: 'Manage connected clusters' },
  { path: 'template', summary: 'Manage virtual cluster templates' },
  { path: 'space-template', summary: 'Manage space templates' },
  { path: 'user', summary: 'Manage users' },
  { path: 'team', summary: 'Manage teams' },
];

const loginOption: OptionSpec = { ...contextOption, flags: '--login <name>' };

const chartOption: OptionSpec = {
  flags: '--chart <reference>',
  description:
    'Chart in the helm command: a directory, an archive or an oci:// reference (default: charts/flotilla-agent)',
};

const agentsOption: OptionSpec = {
  flags: '--agents <number>',
  description: 'Number of agents that join with the token, from 1 to 8, each with a key of its own (default: 1)',
};

const createOptions = [contextOption, displayNameOption];
const memberArgument = {
  name: '<name>',
  description: 'Name of the user, or of the team with --team',
  candidates: 'user',
} as const;
const memberOptions: readonly OptionSpec[] = [
  projectOption,
  contextOption,
  { flags: '--team', description: 'Treat the name as the name of a team' },
];
const roleOption: OptionSpec = {
  flags: '--role <role>',
  description: 'Role: admin, user or viewer (default: user)',
  candidates: ['admin', 'user', 'viewer'],
};
const kubeconfigOptions: readonly OptionSpec[] = [
  {
    flags: '--kubeconfig <file>',
    description: 'Path of the kubeconfig (default: the first file in KUBECONFIG, or ~/.kube/config)',
    candidates: 'file',
  },
  { flags: '--context <name>', description: 'Context in the kubeconfig (default: its current context)' },
  loginOption,
];
export const objectCommands: readonly CommandSpec[] = [
  {
    path: 'project create',
    summary: 'Create a project',
    args: [{ name: '<name>', description: 'Name of the project, at most 52 characters' }],
    options: [
      ...createOptions,
      descriptionOption,
      {
        flags: '--cluster <name>',
        description: 'Allowed cluster; can be repeated (default: all clusters)',
        many: true,
        candidates: 'cluster',
      },
      {
        flags: '--template <name>',
        description: 'Allowed template; can be repeated (default: all templates)',
        many: true,
        candidates: 'template',
      },
      {
        flags: '--default-template <name>',
        description: 'Template for virtual clusters that do not name one',
        candidates: 'template',
      },
      {
        flags: '--space-template <name>',
        description: 'Allowed space template; can be repeated (default: all space templates)',
        many: true,
        candidates: 'space-template',
      },
      {
        flags: '--default-space-template <name>',
        description: 'Template for spaces that do not name one',
        candidates: 'space-template',
      },
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla project create payments --display-name Payments', does: 'Allow all clusters and templates' },
      {
        command: 'flotilla project create trial --cluster local --template small --default-template small',
        does: 'Allow one cluster and one template',
      },
    ],
    load: () => import('../commands/objects/project-create.ts'),
  },
  ...standardCommands('project', projects, 'payments'),
  {
    path: 'member add',
    aliases: ['create'],
    summary: 'Add a user or a team to a project',
    args: [memberArgument],
    options: [...memberOptions, roleOption, allowMissingOption],
    examples: [
      {
        command: 'flotilla member add anna --project payments --role user',
        does: 'Let anna create virtual clusters in the project',
      },
      {
        command: 'flotilla member add testers --team --project payments --role viewer',
        does: 'Add all users of a team as viewers',
      },
    ],
    load: async () => ({ run: (await import('../commands/access/member-change.ts')).changeMember('add') }),
  },
  {
    path: 'member list',
    aliases: ['ls'],
    summary: 'List the members of a project',
    options: [projectOption, contextOption, outputOption],
    examples: [{ command: 'flotilla member list --project payments', does: 'List users and teams with their roles' }],
    load: () => import('../commands/access/member-list.ts'),
  },
  {
    path: 'member edit',
    summary: 'Change the role of a project member',
    args: [memberArgument],
    options: [...memberOptions, { ...roleOption, required: true }],
    examples: [
      {
        command: 'flotilla member edit anna --project payments --role admin',
        does: 'Make anna an admin of the project',
      },
    ],
    load: async () => ({ run: (await import('../commands/access/member-change.ts')).changeMember('edit') }),
  },
  {
    path: 'member remove',
    aliases: ['delete'],
    summary: 'Remove a user or a team from a project',
    args: [memberArgument],
    options: memberOptions,
    examples: [
      {
        command: 'flotilla member remove anna --project payments',
        does: 'Remove anna; the virtual clusters that anna owns are kept',
      },
    ],
    load: async () => ({ run: (await import('../commands/access/member-change.ts')).changeMember('remove') }),
  },
  {
    path: 'cluster add',
    aliases: ['create'],
    summary: 'Connect a Kubernetes cluster',
    details:
      'The command uploads one context of a kubeconfig. Certificate, key and token files that the context names are ' +
      'read on this machine and uploaded with it. A context that gets its credentials from a program is rejected, ' +
      'and the error says what to do instead.',
    args: [{ name: '<name>', description: 'Name of the new cluster' }],
    options: [
      ...kubeconfigOptions,
      { flags: '--agent', description: 'Reach the cluster through its agent instead of a kubeconfig' },
      {
        flags: '--join',
        description: 'Like --agent, and print a command that installs the agent, with a token that works once',
      },
      agentsOption,
      chartOption,
      displayNameOption,
      descriptionOption,
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla cluster add paris --kubeconfig ~/paris.yaml --context admin@paris',
        does: 'Connect a cluster with one context of a kubeconfig',
      },
      {
        command: 'flotilla cluster add edge --join',
        does: 'Print the command that installs the agent of a new cluster',
      },
      {
        command: 'flotilla cluster add edge --join --agents 2',
        does: 'Print the command that installs two agents, so that the cluster stays connected if one of them stops',
      },
      { command: 'flotilla cluster add edge --agent', does: 'Add a cluster whose agent gets an access key' },
    ],
    load: () => import('../commands/clusters/cluster-add.ts'),
  },
  {
    path: 'cluster rejoin',
    summary: 'Revoke the credentials of the agents of a cluster and let another agent join',
    details:
      'Use it after the agent has lost its disk, if its key may have leaked, or if a join token has expired. The key of ' +
      'the agent, its access keys and older join tokens become invalid at once. The command prints the commands that start an ' +
      'agent with a new token.',
    args: [{ name: '<name>', description: 'Name of the cluster', candidates: 'cluster' }],
    options: [agentsOption, chartOption],
    examples: [
      { command: 'flotilla cluster rejoin edge', does: 'Print the command that lets another agent join the cluster' },
    ],
    load: () => import('../commands/clusters/cluster-rejoin.ts'),
  },
  {
    path: 'cluster add-agent',
    summary: 'Let further agents join a cluster',
    details:
      'Agents that have joined keep their keys, and all agents of the cluster share the requests. A cluster that is a part of ' +
      'its agent (flotilla agent --built-in) has only one agent.',
    args: [{ name: '<name>', description: 'Name of the cluster', candidates: 'cluster' }],
    options: [agentsOption, chartOption],
    examples: [
      {
        command: 'flotilla cluster add-agent edge',
        does: 'Print the command that starts another agent of the cluster',
      },
    ],
    load: () => import('../commands/clusters/cluster-add-agent.ts'),
  },
  {
    path: 'cluster upgrade-agent',
    summary: 'Print or run the commands that upgrade the agents of a cluster',
    details:
      'The command compares the agents with the server. For agents that run in a Helm release, it prints the helm command ' +
      'that upgrades the release; for other agents, it prints the machines on which you must replace the program. With ' +
      '--run, it runs helm on this machine: one release after the other, so that the agents of the other releases serve ' +
      'the cluster meanwhile. It waits for the pods, and until the agents have announced the new version. It fails if an ' +
      'agent remains that helm cannot upgrade.',
    args: [{ name: '<name>', description: 'Name of the cluster', candidates: 'cluster' }],
    options: [
      contextOption,
      chartOption,
      { flags: '--run', description: 'Run the helm commands, and wait until the agents have the new version' },
      {
        flags: '--kubeconfig <file>',
        description: 'Kubeconfig of the cluster for helm, with --run (default: as helm finds it)',
        candidates: 'file',
      },
      {
        flags: '--kube-context <name>',
        description: 'Context in that kubeconfig, with --run (default: its current one)',
      },
      {
        ...timeoutOption,
        description: 'Maximum time for all releases together, with --run, for example 45s or 10m (default: 5m)',
      },
    ],
    examples: [
      {
        command: 'flotilla cluster upgrade-agent edge --chart oci://registry.example.com/charts/flotilla-agent',
        does: 'Print the commands with a chart of your registry',
      },
      {
        command: 'flotilla cluster upgrade-agent edge --run --kubeconfig ~/edge.yaml',
        does: 'Upgrade the agents with the chart in a directory with the sources',
      },
    ],
    load: () => import('../commands/clusters/cluster-upgrade-agent.ts'),
  },
  {
    path: 'cluster agent-key',
    summary: 'Create an access key for the agent of a cluster and show it once',
    details: 'The previous key stays valid until the new key is used for the first time.',
    args: [{ name: '<name>', description: 'Name of the cluster', candidates: 'cluster' }],
    options: [secretFileOption],
    examples: [
      {
        command: 'flotilla cluster agent-key edge --file edge.key',
        does: 'Write the key to a file for flotilla agent',
      },
    ],
    load: () => import('../commands/clusters/cluster-agent-key.ts'),
  },
  ...standardCommands('cluster', clusters, 'paris'),
  {
    path: 'cluster edit',
    summary: 'Edit a cluster in your editor or with a patch, or replace its credentials',
    args: [{ name: '<name>', description: 'Name of the cluster', candidates: 'cluster' }],
    options: [...kubeconfigOptions, patchOption],
    examples: [
      {
        command: 'flotilla cluster edit paris --kubeconfig ~/paris.yaml',
        does: 'Replace the credentials of the cluster',
      },
      {
        command: `flotilla cluster edit paris --patch '{"spec":{"unusable":true}}'`,
        does: 'Stop placing new virtual clusters on the cluster',
      },
    ],
    load: () => import('../commands/clusters/cluster-edit.ts'),
  },
  ...templateCommands,
  {
    path: 'user create',
    summary: 'Create a user',
    args: [{ name: '<name>', description: 'Name of the user' }],
    options: [
      ...createOptions,
      { flags: '--email <address>', description: 'Email address' },
      { flags: '--username <name>', description: 'Name to log in with (default: the name of the user)' },
      { flags: '--group <name>', description: 'Group of the user; can be repeated', many: true },
      { flags: '--password-stdin', description: 'Read the password of the user from standard input' },
      { flags: '--reset-link', description: 'Also print a link with which the user sets the first password' },
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla user create anna --display-name Anna',
        does: 'Create a user who works with access keys only',
      },
      {
        command: 'flotilla user create anna --password-stdin < password',
        does: 'Create a user who can log in with a password',
      },
      { command: 'flotilla user create anna --reset-link', does: 'Create a user who chooses the password' },
    ],
    load: () => import('../commands/access/user-create.ts'),
  },
  ...standardCommands('user', users, 'anna'),
  {
    path: 'user password',
    summary: 'Set the password of a user',
    details:
      'The command asks for the password twice without echoing it, or reads it from standard input. Other sessions ' +
      'of the user end.',
    args: [
      {
        name: '<name>',
        description: 'Name of the user; only administrators can name another user',
        candidates: 'user',
      },
    ],
    options: [contextOption, { flags: '--password-stdin', description: 'Read the password from standard input' }],
    examples: [{ command: 'flotilla user password anna', does: 'Ask for the new password' }],
    load: () => import('../commands/access/user-password.ts'),
  },
  ...accountCommands,
  offboardCommand,
  {
    path: 'team create',
    summary: 'Create a team',
    args: [{ name: '<name>', description: 'Name of the team' }],
    options: [
      ...createOptions,
      descriptionOption,
      {
        flags: '--user <name>',
        description: 'User in the team; can be repeated',
        many: true,
        candidates: 'user',
      },
      { flags: '--group <name>', description: 'Group for the access keys of the team; can be repeated', many: true },
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla team create testers --user anna --user guest',
        does: 'Create a team with two users',
      },
    ],
    load: () => import('../commands/access/team-create.ts'),
  },
  ...standardCommands('team', teams, 'testers'),
];
