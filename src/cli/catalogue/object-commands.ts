import type { Candidates, CommandSpec, GroupSpec, OptionSpec } from '../command-spec.ts';
import { clusters, type NamedKind, projects, teams, templates, users } from '../kinds.ts';
import {
  contextOption,
  descriptionOption,
  displayNameOption,
  dryRunOption,
  outputOption,
  patchOption,
  projectOption,
  secretFileOption,
  selectorOption,
  setOption,
  valuesOption,
  watchOption,
} from './shared-options.ts';

export const objectGroups: readonly GroupSpec[] = [
  { path: 'project', summary: 'Manage projects' },
  { path: 'member', summary: 'Manage the members of a project' },
  { path: 'cluster', summary: 'Manage connected clusters' },
  { path: 'template', summary: 'Manage virtual cluster templates' },
  { path: 'user', summary: 'Manage users' },
  { path: 'team', summary: 'Manage teams' },
];

const loginOption: OptionSpec = { ...contextOption, flags: '--login <name>' };

/**
 * Returns the list, get, edit and delete commands of a kind. `cluster edit` is defined separately, because it has more
 * options.
 */
function standardCommands(group: string, kind: NamedKind, sample: string): CommandSpec[] {
  const candidates = group as Candidates;
  const one = { name: '<name>', description: `Name of the ${kind.noun}`, candidates };
  const several = { name: '<name...>', description: `Names of the ${kind.noun}s`, candidates };
  return [
    {
      path: `${group} list`,
      aliases: ['ls'],
      summary: `List ${kind.noun}s`,
      options: [contextOption, selectorOption, outputOption, watchOption],
      examples: [{ command: `flotilla ${group} list`, does: `List the ${kind.noun}s that you can see` }],
      load: async () => ({ run: (await import('../commands/objects/object-list.ts')).listCommand(kind) }),
    },
    {
      path: `${group} get`,
      summary: `Show one or more ${kind.noun}s`,
      args: [several],
      options: [contextOption, outputOption, watchOption],
      examples: [{ command: `flotilla ${group} get ${sample} -o yaml`, does: 'Print the whole object as YAML' }],
      load: async () => ({ run: (await import('../commands/objects/object-get.ts')).getCommand(kind) }),
    },
    ...(group === 'cluster'
      ? []
      : [
          {
            path: `${group} edit`,
            summary: `Edit a ${kind.noun} in your editor or with a patch`,
            args: [one],
            options: [contextOption, patchOption],
            examples: [
              {
                command: `flotilla ${group} edit ${sample}`,
                does: 'Open the editor that is set in KUBE_EDITOR, VISUAL or EDITOR',
              },
              {
                command: `flotilla ${group} edit ${sample} --patch '{"spec":{"displayName":"Another"}}'`,
                does: 'Change a field without an editor',
              },
            ],
            load: async () => ({ run: (await import('../commands/objects/object-edit.ts')).editCommand(kind) }),
          },
        ]),
    {
      path: `${group} delete`,
      summary: `Delete ${kind.noun}s`,
      args: [several],
      options: [contextOption, { flags: '--ignore-not-found', description: 'Do not fail if an object does not exist' }],
      examples: [{ command: `flotilla ${group} delete ${sample}`, does: deleteExample(kind) }],
      load: async () => ({ run: (await import('../commands/objects/object-delete.ts')).deleteCommand(kind) }),
    },
  ];
}

function deleteExample(kind: NamedKind): string {
  return kind === projects ? 'Delete the project and its virtual clusters' : `Delete the ${kind.noun}`;
}

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
const fileOption: OptionSpec = {
  flags: '-f, --filename <file>',
  description: 'File to read, or - for standard input',
  required: true,
  candidates: 'file',
};

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
    options: [...memberOptions, roleOption],
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
      { command: 'flotilla cluster add edge --agent', does: 'Add a cluster that an agent serves' },
    ],
    load: () => import('../commands/clusters/cluster-add.ts'),
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
  {
    path: 'template create',
    summary: 'Create a template from a file',
    args: [{ name: '[name]', description: 'Name of the template (default: the name in the file)' }],
    options: [contextOption, fileOption, dryRunOption, outputOption],
    examples: [
      {
        command: 'flotilla template create --filename template.yaml',
        does: 'Create the template; change it later with flotilla apply',
      },
    ],
    load: () => import('../commands/objects/template-create.ts'),
  },
  ...standardCommands('template', templates, 'small'),
  {
    path: 'template test',
    summary: 'Render a template from a file, without a server',
    args: [{ name: '<file>', description: 'Template file, or - for standard input', candidates: 'file' }],
    options: [
      setOption,
      valuesOption,
      { flags: '--template-version <version>', description: 'Version of the template (default: the newest)' },
      { flags: '--name <name>', description: 'Name of the sample virtual cluster (default: demo)' },
      { flags: '-p, --project <name>', description: 'Project of the sample virtual cluster (default: default)' },
      { flags: '--cluster <name>', description: 'Cluster of the sample virtual cluster (default: local)' },
      { flags: '--user <name>', description: 'Owner of the sample virtual cluster (default: anna)' },
      { flags: '--server', description: 'Also validate the template on the server, as a dry run' },
      contextOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla template test template.yaml --set env=test',
        does: 'Print the rendered template',
      },
      {
        command: 'flotilla template test template.yaml --server',
        does: 'Also check whether the server accepts the template',
      },
    ],
    load: () => import('../commands/objects/template-test.ts'),
  },
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
