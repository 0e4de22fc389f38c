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
  { path: 'project', summary: 'projects: who works together, on what and within which limits' },
  { path: 'member', summary: 'the members of a project' },
  { path: 'cluster', summary: 'connected clusters, which virtual clusters run on' },
  { path: 'template', summary: 'templates, which virtual clusters are made from' },
  { path: 'user', summary: 'users' },
  { path: 'team', summary: 'teams of users' },
];

const loginOption: OptionSpec = { ...contextOption, flags: '--login <name>' };

/** List, get, edit and delete are the same for every kind; `edit` of a cluster has more to it. */
function usualCommands(group: string, kind: NamedKind, sample: string): CommandSpec[] {
  const candidates = group as Candidates;
  const one = { name: '<name>', description: `the ${kind.noun}`, candidates };
  const several = { name: '<name...>', description: `the ${kind.noun}s`, candidates };
  return [
    {
      path: `${group} list`,
      aliases: ['ls'],
      summary: `list ${kind.noun}s`,
      options: [contextOption, selectorOption, outputOption, watchOption],
      examples: [{ command: `flotilla ${group} list`, does: `the ${kind.noun}s that you can see` }],
      load: async () => ({ run: (await import('../commands/object-list.ts')).listOf(kind) }),
    },
    {
      path: `${group} get`,
      summary: `show ${kind.noun}s`,
      args: [several],
      options: [contextOption, outputOption, watchOption],
      examples: [{ command: `flotilla ${group} get ${sample} -o yaml`, does: 'all of it' }],
      load: async () => ({ run: (await import('../commands/object-get.ts')).getOf(kind) }),
    },
    ...(group === 'cluster'
      ? []
      : [
          {
            path: `${group} edit`,
            summary: `change a ${kind.noun} in your editor, or by a patch`,
            args: [one],
            options: [contextOption, patchOption],
            examples: [
              {
                command: `flotilla ${group} edit ${sample}`,
                does: 'in the editor that KUBE_EDITOR, VISUAL or EDITOR names',
              },
              {
                command: `flotilla ${group} edit ${sample} --patch '{"spec":{"displayName":"Another"}}'`,
                does: 'without an editor',
              },
            ],
            load: async () => ({ run: (await import('../commands/object-edit.ts')).editOf(kind) }),
          },
        ]),
    {
      path: `${group} delete`,
      summary: `delete ${kind.noun}s`,
      args: [several],
      options: [contextOption, { flags: '--ignore-not-found', description: 'one that is not there is no error' }],
      examples: [{ command: `flotilla ${group} delete ${sample}`, does: deletes(kind) }],
      load: async () => ({ run: (await import('../commands/object-delete.ts')).deleteOf(kind) }),
    },
  ];
}

function deletes(kind: NamedKind): string {
  return kind === projects ? 'its virtual clusters go first' : 'gone when the command comes back';
}

const createOptions = [contextOption, displayNameOption];
const memberArgument = {
  name: '<name>',
  description: 'the user, or with --team the team',
  candidates: 'user',
} as const;
const memberOptions: readonly OptionSpec[] = [
  projectOption,
  contextOption,
  { flags: '--team', description: 'the name is that of a team' },
];
const roleOption: OptionSpec = {
  flags: '--role <role>',
  description: 'admin, user or viewer (default user)',
  candidates: ['admin', 'user', 'viewer'],
};
const kubeconfigOptions: readonly OptionSpec[] = [
  {
    flags: '--kubeconfig <file>',
    description: 'the kubeconfig (default: the first of KUBECONFIG, else ~/.kube/config)',
    candidates: 'file',
  },
  { flags: '--context <name>', description: 'which context of it (default: its current one)' },
  loginOption,
];
const fileOption: OptionSpec = {
  flags: '-f, --filename <file>',
  description: 'the file, - for standard input',
  required: true,
  candidates: 'file',
};

export const objectCommands: readonly CommandSpec[] = [
  {
    path: 'project create',
    summary: 'make a project',
    args: [{ name: '<name>', description: 'its name, at most 52 characters' }],
    options: [
      ...createOptions,
      descriptionOption,
      {
        flags: '--cluster <name>',
        description: 'a cluster that it may use; may be given several times (default: all)',
        many: true,
        candidates: 'cluster',
      },
      {
        flags: '--template <name>',
        description: 'a template that it may use; may be given several times (default: all)',
        many: true,
        candidates: 'template',
      },
      {
        flags: '--default-template <name>',
        description: 'the template of virtual clusters that name none',
        candidates: 'template',
      },
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla project create payments --display-name Payments', does: 'with all clusters and templates' },
      {
        command: 'flotilla project create trial --cluster local --template small --default-template small',
        does: 'with some',
      },
    ],
    load: () => import('../commands/project-create.ts'),
  },
  ...usualCommands('project', projects, 'payments'),
  {
    path: 'member add',
    aliases: ['create'],
    summary: 'take a user or a team into a project',
    args: [memberArgument],
    options: [...memberOptions, roleOption],
    examples: [
      { command: 'flotilla member add anna --project payments --role user', does: 'anna makes virtual clusters there' },
      { command: 'flotilla member add testers --team --project payments --role viewer', does: 'a whole team' },
    ],
    load: async () => ({ run: (await import('../commands/member-change.ts')).membership('add') }),
  },
  {
    path: 'member list',
    aliases: ['ls'],
    summary: 'list the members of a project',
    options: [projectOption, contextOption, outputOption],
    examples: [{ command: 'flotilla member list --project payments', does: 'users and teams with their roles' }],
    load: () => import('../commands/member-list.ts'),
  },
  {
    path: 'member edit',
    summary: 'give a member of a project another role',
    args: [memberArgument],
    options: [...memberOptions, { ...roleOption, required: true }],
    examples: [{ command: 'flotilla member edit anna --project payments --role admin', does: 'anna administers it' }],
    load: async () => ({ run: (await import('../commands/member-change.ts')).membership('edit') }),
  },
  {
    path: 'member remove',
    aliases: ['delete'],
    summary: 'take a user or a team out of a project',
    args: [memberArgument],
    options: memberOptions,
    examples: [{ command: 'flotilla member remove anna --project payments', does: 'what is theirs stays' }],
    load: async () => ({ run: (await import('../commands/member-change.ts')).membership('remove') }),
  },
  {
    path: 'cluster add',
    aliases: ['create'],
    summary: 'connect a Kubernetes cluster',
    details:
      'One context is taken out of a kubeconfig. Certificates, keys and tokens that it names as files are read here and go ' +
      'along; a program that makes credentials cannot, and the error says what to do.',
    args: [{ name: '<name>', description: 'what to call the cluster' }],
    options: [
      ...kubeconfigOptions,
      { flags: '--agent', description: 'without a kubeconfig: the cluster is reached through its agent' },
      displayNameOption,
      descriptionOption,
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla cluster add paris --kubeconfig ~/paris.yaml --context admin@paris',
        does: 'virtual clusters can run there from now on',
      },
      { command: 'flotilla cluster add edge --agent', does: 'as soon as its agent has come' },
    ],
    load: () => import('../commands/cluster-add.ts'),
  },
  {
    path: 'cluster agent-key',
    summary: 'make a key for the agent of a cluster and show it this once',
    details: 'The key before it goes on until the new one is first used.',
    args: [{ name: '<name>', description: 'the cluster', candidates: 'cluster' }],
    options: [secretFileOption],
    examples: [{ command: 'flotilla cluster agent-key edge --file edge.key', does: 'for flotilla agent' }],
    load: () => import('../commands/cluster-agent-key.ts'),
  },
  ...usualCommands('cluster', clusters, 'paris'),
  {
    path: 'cluster edit',
    summary: 'change a cluster in your editor or by a patch, or replace its credentials',
    args: [{ name: '<name>', description: 'the cluster', candidates: 'cluster' }],
    options: [...kubeconfigOptions, patchOption],
    examples: [
      { command: 'flotilla cluster edit paris --kubeconfig ~/paris.yaml', does: 'reach it with other credentials' },
      { command: `flotilla cluster edit paris --patch '{"spec":{"unusable":true}}'`, does: 'place nothing new there' },
    ],
    load: () => import('../commands/cluster-edit.ts'),
  },
  {
    path: 'template create',
    summary: 'make a template from a file',
    args: [{ name: '[name]', description: 'its name (default: the one in the file)' }],
    options: [contextOption, fileOption, dryRunOption, outputOption],
    examples: [
      { command: 'flotilla template create --filename template.yaml', does: 'flotilla apply changes it later' },
    ],
    load: () => import('../commands/template-create.ts'),
  },
  ...usualCommands('template', templates, 'small'),
  {
    path: 'template test',
    summary: 'render a template from a file, without a server',
    args: [{ name: '<file>', description: 'the template, - for standard input', candidates: 'file' }],
    options: [
      setOption,
      valuesOption,
      { flags: '--template-version <version>', description: 'which of its versions (default: the newest)' },
      { flags: '--name <name>', description: 'name of the virtual cluster that it is rendered for (default demo)' },
      { flags: '-p, --project <name>', description: 'its project (default default)' },
      { flags: '--cluster <name>', description: 'its cluster (default local)' },
      { flags: '--user <name>', description: 'its owner (default anna)' },
      { flags: '--server', description: 'have the server check the template as well, in a dry run' },
      contextOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla template test template.yaml --set env=test',
        does: 'what a virtual cluster would be made from',
      },
      { command: 'flotilla template test template.yaml --server', does: 'and whether the server would take it' },
    ],
    load: () => import('../commands/template-test.ts'),
  },
  {
    path: 'user create',
    summary: 'make a user',
    args: [{ name: '<name>', description: 'the name' }],
    options: [
      ...createOptions,
      { flags: '--email <address>', description: 'the e-mail address' },
      { flags: '--username <name>', description: 'the name to log in with (default: the name)' },
      { flags: '--group <name>', description: 'a group; may be given several times', many: true },
      { flags: '--password-stdin', description: 'read a password to log in with from standard input' },
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla user create anna --display-name Anna', does: 'who gets in with keys' },
      { command: 'flotilla user create anna --password-stdin < password', does: 'who can log in with a password' },
    ],
    load: () => import('../commands/user-create.ts'),
  },
  ...usualCommands('user', users, 'anna'),
  {
    path: 'user password',
    summary: 'set the password of a user',
    details: 'It is typed where nobody sees it, twice, or piped in. Logins with the old one end.',
    args: [{ name: '<name>', description: 'the user; yourself, unless you are an administrator', candidates: 'user' }],
    options: [contextOption, { flags: '--password-stdin', description: 'read it from standard input' }],
    examples: [{ command: 'flotilla user password anna', does: 'asks for it at the terminal' }],
    load: () => import('../commands/user-password.ts'),
  },
  {
    path: 'team create',
    summary: 'make a team',
    args: [{ name: '<name>', description: 'the name' }],
    options: [
      ...createOptions,
      descriptionOption,
      {
        flags: '--user <name>',
        description: 'a user in it; may be given several times',
        many: true,
        candidates: 'user',
      },
      { flags: '--group <name>', description: 'a group that its keys have; may be given several times', many: true },
      dryRunOption,
      outputOption,
    ],
    examples: [
      {
        command: 'flotilla team create testers --user anna --user guest',
        does: 'two people who share what is given to the team',
      },
    ],
    load: () => import('../commands/team-create.ts'),
  },
  ...usualCommands('team', teams, 'testers'),
];
