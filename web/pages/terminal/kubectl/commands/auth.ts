import { type JsonObject, listAt, objectAt, textAt } from '@flotilla/json';
import { TextTable, tableOf } from '../../../../../src/client/text-table.ts';
import { allNamespacesFlag, type Command, type CommandContext, chosenNamespace, namespaceFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import type { Arguments } from '../syntax/flags.ts';
import { resolveKind } from '../syntax/resolve-kind.ts';

export const authCommand: Command = {
  name: 'auth',
  usage: 'can-i VERB TYPE[/NAME] | can-i --list | whoami',
  about: 'show what you may do, and who you are',
  positional: 'verb and kind',
  subcommands: ['can-i', 'whoami'],
  flags: [
    namespaceFlag,
    allNamespacesFlag,
    { name: 'subresource', type: 'text', about: 'the subresource, such as log or exec' },
    { name: 'list', type: 'switch', about: 'list all permissions in the namespace' },
  ],
  async run(args, context) {
    const [subcommand, ...words] = args.words;
    if (subcommand === 'whoami' && words.length === 0) return await whoAmI(context);
    if (subcommand !== 'can-i')
      throw new KubectlError('use "auth can-i VERB TYPE", "auth can-i --list" or "auth whoami"');
    if (args.isOn('list')) return await listRules(args, context);
    await canI(words, args, context);
  },
};

const apiVersion = 'authorization.k8s.io/v1';

async function review(kind: string, spec: JsonObject, { root, api, signal }: CommandContext): Promise<JsonObject> {
  const url = `${root}/apis/${apiVersion}/${kind.toLowerCase()}s`;
  const document = { apiVersion, kind, spec };
  return objectAt(await api.json<JsonObject>({ method: 'POST', url, document, signal }), 'status') ?? {};
}

async function canI(words: readonly string[], args: Arguments, context: CommandContext): Promise<void> {
  const [verb, target, more] = words;
  if (verb === undefined || target === undefined || more !== undefined)
    throw new KubectlError('can-i needs a VERB and a TYPE, TYPE/NAME or a path such as /healthz');
  const status = await review('SelfSubjectAccessReview', await accessSpec(verb, target, args, context), context);
  const isAllowed = status.allowed === true;
  const reason = textAt(status, 'reason');
  context.print(isAllowed ? 'yes' : `no${reason === '' ? '' : ` - ${reason}`}`);
  if (!isAllowed) throw new KubectlError(`you may not ${verb} ${target}`);
}

async function accessSpec(verb: string, target: string, args: Arguments, context: CommandContext): Promise<JsonObject> {
  if (target.startsWith('/')) return { nonResourceAttributes: { verb, path: target } };
  const slash = target.indexOf('/');
  const [type, name] = slash < 0 ? [target, ''] : [target.slice(0, slash), target.slice(slash + 1)];
  const kind = type === '*' ? undefined : resolveKind(await context.served(), type);
  const namespace = kind?.namespaced === false ? undefined : chosenNamespace(args, context);
  return {
    resourceAttributes: {
      verb,
      group: kind?.group ?? '*',
      resource: kind?.plural ?? '*',
      ...(name === '' ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(args.text('subresource') === undefined ? {} : { subresource: args.text('subresource') ?? '' }),
    },
  };
}

async function listRules(args: Arguments, context: CommandContext): Promise<void> {
  const namespace = chosenNamespace(args, context);
  if (namespace === undefined) throw new KubectlError('--list shows the permissions in one namespace');
  const status = await review('SelfSubjectRulesReview', { namespace }, context);
  const bracketed = (values: readonly unknown[]) => `[${values.map(String).join(' ')}]`;
  const resources = listAt(status, 'resourceRules').map((rule) => {
    const groups = listAt(rule, 'apiGroups').map(String);
    const names = listAt(rule, 'resources').map((each) =>
      groups[0] === undefined || groups[0] === '' ? String(each) : `${String(each)}.${groups[0]}`,
    );
    return [names.join(','), '[]', bracketed(listAt(rule, 'resourceNames')), bracketed(listAt(rule, 'verbs'))];
  });
  const paths = listAt(status, 'nonResourceRules').map((rule) => [
    '',
    bracketed(listAt(rule, 'nonResourceURLs')),
    '[]',
    bracketed(listAt(rule, 'verbs')),
  ]);
  const head = ['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'];
  context.print(new TextTable({ wide: true }).lines(tableOf(head, [...resources, ...paths])).join('\n'));
  if (status.incomplete === true) context.print('warning: the list may be incomplete');
}

async function whoAmI({ root, api, signal, print }: CommandContext): Promise<void> {
  const url = `${root}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
  const document = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await api.json<JsonObject>({ method: 'POST', url, document, signal });
  const user = objectAt(answer, 'status', 'userInfo') ?? {};
  const extra = Object.entries(objectAt(user, 'extra') ?? {});
  const rows = [
    ['Username', textAt(user, 'username')],
    ['Groups', `[${listAt(user, 'groups').map(String).join(' ')}]`],
    ...extra.map(([name, values]) => [`Extra: ${name}`, JSON.stringify(values)]),
  ];
  print(new TextTable({ wide: true }).lines(tableOf(['Attribute', 'Value'], rows)).join('\n'));
}
