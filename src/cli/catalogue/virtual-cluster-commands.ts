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

const nameArgument = { name: '<name>', description: 'the virtual cluster', candidates: 'virtual-cluster' } as const;
const namesArgument = { ...nameArgument, name: '<name...>', description: 'the virtual clusters' };
const where = [projectOption, contextOption];
const execOption: OptionSpec = {
  flags: '--exec',
  description: 'have kubectl ask this program for a token each time: no secret in the kubeconfig, and none that ends',
};
const ttlOption: OptionSpec = {
  flags: '--ttl <time>',
  description: 'how long the credential lasts, as 8h or 30d (default: a day, as the server has it)',
};
const kubeContextOption: OptionSpec = {
  flags: '--kube-context <name>',
  description: 'what to call it in the kubeconfig (default: flotilla/<project>/<name>)',
};
const ownerOptions: readonly OptionSpec[] = [
  { flags: '--owner-user <name>', description: 'the user who owns it (default: you)', candidates: 'user' },
  { flags: '--owner-team <name>', description: 'the team that owns it', candidates: 'team' },
];

export const virtualClusterCommands: readonly CommandSpec[] = [
  {
    path: 'create',
    summary: 'make a virtual cluster',
    details:
      'With --wait each condition is shown as it comes true, how long that took, and what holds the next one up.',
    args: [{ name: '<name>', description: 'its name' }],
    options: [
      ...where,
      {
        flags: '-t, --template <name[@version]>',
        description: 'what it is made from; versions are exact (1.2.0) or with wildcards (1.x.x)',
        candidates: 'template',
      },
      setOption,
      valuesOption,
      {
        flags: '--cluster <name>',
        description: 'where it runs (default: the allowed one with the fewest)',
        candidates: 'cluster',
      },
      ...ownerOptions,
      displayNameOption,
      descriptionOption,
      { flags: '--label <name=value>', description: 'a label; may be given several times', many: true },
      { flags: '--annotation <name=value>', description: 'an annotation; may be given several times', many: true },
      { ...waitOption, description: 'come back when it is ready' },
      { flags: '--connect', description: 'wait, then make it the current context of your kubeconfig' },
      execOption,
      kubeContextOption,
      { flags: '--recreate', description: 'delete one of that name first, and wait until it is gone' },
      timeoutOption,
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla create demo --connect', does: 'make it, wait, and let kubectl talk to it' },
      {
        command: 'flotilla create review --project payments --template small@1.x.x --set env=test --wait',
        does: 'from a template with a parameter',
      },
      {
        command: 'flotilla create demo --recreate --wait --timeout 2m',
        does: 'a fresh one, for a test that starts from nothing',
      },
    ],
    load: () => import('../commands/create.ts'),
  },
  {
    path: 'list',
    aliases: ['ls'],
    summary: 'list virtual clusters',
    options: [
      ...where,
      { flags: '-A, --all-projects', description: 'those of all projects that you can see' },
      selectorOption,
      outputOption,
      watchOption,
    ],
    examples: [
      { command: 'flotilla list', does: 'those of the project' },
      {
        command: 'flotilla list -A -o wide',
        does: 'all that you can see, with where they run and why they are as they are',
      },
      { command: 'flotilla list --watch', does: 'and every change' },
    ],
    load: async () => ({ run: (await import('../commands/object-list.ts')).listOf(virtualClusters) }),
  },
  {
    path: 'get',
    summary: 'show virtual clusters, or a field of one',
    args: [namesArgument],
    options: [...where, outputOption, watchOption],
    examples: [
      { command: 'flotilla get demo', does: 'its line of the list' },
      { command: "flotilla get demo -o jsonpath='{.status.phase}'", does: 'one field, for a script' },
      { command: 'flotilla get demo -o yaml', does: 'all of it' },
    ],
    load: async () => ({ run: (await import('../commands/object-get.ts')).getOf(virtualClusters) }),
  },
  {
    path: 'describe',
    summary: 'tell all about a virtual cluster: its state, what holds it up, its events',
    args: [nameArgument],
    options: where,
    examples: [{ command: 'flotilla describe demo', does: 'start here when it does not become ready' }],
    load: () => import('../commands/describe.ts'),
  },
  {
    path: 'edit',
    summary: 'change a virtual cluster in your editor, or by a patch',
    args: [nameArgument],
    options: [...where, patchOption],
    examples: [
      { command: 'flotilla edit demo', does: 'in the editor that KUBE_EDITOR, VISUAL or EDITOR names' },
      { command: `flotilla edit demo --patch '{"spec":{"displayName":"Demo"}}'`, does: 'without an editor' },
    ],
    load: async () => ({ run: (await import('../commands/object-edit.ts')).editOf(virtualClusters) }),
  },
  {
    path: 'delete',
    summary: 'delete virtual clusters and everything in them',
    args: [namesArgument],
    options: [
      ...where,
      { ...waitOption, description: 'come back when nothing of them is left' },
      timeoutOption,
      { flags: '--ignore-not-found', description: 'one that is not there is no error' },
      dryRunOption,
    ],
    examples: [
      { command: 'flotilla delete demo --wait', does: 'gone when the command comes back' },
      { command: 'flotilla delete demo --ignore-not-found', does: 'for the end of a pipeline' },
    ],
    load: () => import('../commands/delete.ts'),
  },
  {
    path: 'sleep',
    summary: 'put a virtual cluster to sleep until it is woken',
    args: [nameArgument],
    options: [...where, { ...waitOption, description: 'come back when it sleeps' }, timeoutOption],
    examples: [{ command: 'flotilla sleep demo', does: 'nothing in it is lost; requests are told that it sleeps' }],
    load: () => import('../commands/sleep.ts'),
  },
  {
    path: 'wake',
    summary: 'wake a virtual cluster',
    args: [nameArgument],
    options: [...where, { ...waitOption, description: 'come back when it is ready' }, timeoutOption],
    examples: [{ command: 'flotilla wake demo --wait', does: 'ready when the command comes back' }],
    load: () => import('../commands/wake.ts'),
  },
  {
    path: 'share',
    summary: 'let others use a virtual cluster, or show who may',
    details:
      'Without people it shows who may do what. Who is named gets in; --role says as what, once they are inside.',
    args: [nameArgument],
    options: [
      ...where,
      { flags: '--user <name>', description: 'a user; may be given several times', many: true, candidates: 'user' },
      { flags: '--team <name>', description: 'a team; may be given several times', many: true, candidates: 'team' },
      {
        flags: '--role <cluster role>',
        description: 'their role inside, as view, edit or one of your own (default: what the template gives)',
        candidates: ['view', 'edit', 'admin', 'cluster-admin'],
      },
      { flags: '--remove', description: 'take it back' },
    ],
    examples: [
      { command: 'flotilla share demo --user anna --role view', does: 'anna gets in and reads' },
      { command: 'flotilla share demo --team testers', does: 'everybody in the team gets in' },
      { command: 'flotilla share demo --user anna --remove', does: 'and not any more' },
      { command: 'flotilla share demo', does: 'who may do what' },
    ],
    load: () => import('../commands/share.ts'),
  },
  {
    path: 'connect',
    summary: 'let kubectl talk to a virtual cluster',
    details:
      'Without a command it becomes the current context of your kubeconfig (the first of KUBECONFIG, else ~/.kube/config). ' +
      'With one, that command alone gets a kubeconfig, which is gone when it ends; its exit code is the exit code.',
    args: [nameArgument, { name: '[command...]', description: 'after --: what to run with KUBECONFIG set' }],
    options: [...where, ttlOption, execOption, kubeContextOption, timeoutOption],
    examples: [
      { command: 'flotilla connect demo', does: 'kubectl talks to it from now on' },
      { command: 'flotilla connect demo -- kubectl get namespaces', does: 'once' },
      { command: 'flotilla connect demo -- bash', does: 'a shell in which kubectl talks to it' },
      { command: 'flotilla connect demo --exec', does: 'a context that holds no secret and does not end after a day' },
    ],
    load: () => import('../commands/connect.ts'),
  },
  {
    path: 'disconnect',
    summary: 'take a virtual cluster out of your kubeconfig',
    args: [nameArgument],
    options: where,
    examples: [{ command: 'flotilla disconnect demo', does: 'the context before it is the current one again' }],
    load: () => import('../commands/disconnect.ts'),
  },
  {
    path: 'kubeconfig',
    summary: 'print a kubeconfig for a virtual cluster',
    details:
      'It opens this virtual cluster and nothing else. Without a login it is asked for as the administrator, with the data ' +
      'directory of a server that runs on this machine.',
    args: [{ ...nameArgument, name: '[name]' }],
    options: [
      ...where,
      { flags: '--print', description: 'print it, which is also what happens without' },
      { flags: '--file <file>', description: 'write it to a file that only you can read', candidates: 'file' },
      ttlOption,
      execOption,
      { flags: '--server <url>', description: 'another address of the server to put into it' },
      { flags: '--management', description: 'one for the management API itself, with the key of the login' },
      dataDirOption,
    ],
    examples: [
      { command: 'flotilla kubeconfig demo --file demo.kubeconfig', does: 'for a tool that wants a file' },
      { command: 'flotilla kubeconfig demo --ttl 30d --print', does: 'for a month' },
      {
        command: 'flotilla kubeconfig --management --file admin.kubeconfig',
        does: 'kubectl on projects, templates and keys',
      },
    ],
    load: () => import('../commands/kubeconfig.ts'),
  },
  {
    path: 'logs',
    summary: 'print the log of a virtual cluster',
    args: [nameArgument],
    options: [
      ...where,
      { flags: '-f, --follow', description: 'go on, until Ctrl-C' },
      { flags: '--tail <lines>', description: 'only so many of the last lines' },
      { flags: '--since <time>', description: 'only what is younger, as 15m' },
    ],
    examples: [{ command: 'flotilla logs demo -f --tail 20', does: 'the last lines, and what comes' }],
    load: () => import('../commands/logs.ts'),
  },
  {
    path: 'import',
    summary: 'take a virtual cluster that was made elsewhere into a project',
    details: 'It goes on as it is: it is not restarted, renamed or installed anew.',
    args: [{ name: '<source>', description: '<cluster>/<namespace>/<name>, as flotilla importable shows it' }],
    options: [
      ...where,
      { flags: '--as <name>', description: 'what to call it here (default: its own name)' },
      ...ownerOptions,
      { flags: '--external', description: 'it stays managed where it is: it is never changed or removed from here' },
      dryRunOption,
      outputOption,
    ],
    examples: [
      { command: 'flotilla import local/default/demo --project payments --as imported', does: 'under another name' },
      { command: 'flotilla import local/default/demo --dry-run', does: 'whether it would work' },
    ],
    load: () => import('../commands/import.ts'),
  },
  {
    path: 'importable',
    summary: 'list what there is to import on a cluster',
    args: [{ name: '<cluster>', description: 'the connected cluster', candidates: 'cluster' }],
    options: [contextOption, { flags: '--all', description: 'also what was imported already' }, outputOption],
    examples: [{ command: 'flotilla importable local', does: 'as flotilla import takes them' }],
    load: () => import('../commands/importable.ts'),
  },
];
