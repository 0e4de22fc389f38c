import { collectionUrl, objectUrl, queryText } from '../../../../data/kind-ref.ts';
import { allNamespacesFlag, type Command, type CommandContext, namespaceFlag, selectorFlag } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import { checkSelection, namespaceFor, readObjects } from '../read-objects.ts';
import type { Arguments } from '../syntax/flags.ts';
import { kindName, type NamedObjects, namedObjects } from '../syntax/resolve-kind.ts';

/** Kinds whose deletion also deletes objects of other kinds. */
const cascadingKinds = ['namespaces', 'customresourcedefinitions'];

export const deleteCommand: Command = {
  name: 'delete',
  usage: 'TYPE NAME… | TYPE/NAME… | TYPE -l SELECTOR | TYPE --all',
  about: 'delete objects; does not wait until they are gone',
  positional: 'objects',
  flags: [
    namespaceFlag,
    allNamespacesFlag,
    selectorFlag,
    { name: 'all', type: 'switch', about: 'all objects of the kind in the namespace' },
    { name: 'grace-period', type: 'text', about: 'the grace period of pods, in seconds' },
    { name: 'force', type: 'switch', about: 'with --grace-period=0: remove a pod at once' },
    {
      name: 'dry-run',
      type: 'text',
      values: ['none', 'server'],
      about: 'with server, the request is validated and nothing is deleted',
    },
    { name: 'ignore-not-found', type: 'switch', about: 'do not fail if an object does not exist' },
    { name: 'wait', type: 'switch', about: 'accepted; the command never waits' },
  ],
  async run(args, context) {
    const wanted = namedObjects(args.words, await context.served());
    for (const each of wanted) {
      checkSelection(each, args);
      if (each.names.length === 0 && !args.isOn('all') && args.text('selector') === undefined)
        throw new KubectlError('specify the names of the objects, -l or --all');
      if (each.names.length > 0 && args.isOn('all')) throw new KubectlError('--all cannot be combined with names');
      await deleteEach(each, args, context);
    }
  },
};

async function deleteEach(wanted: NamedObjects, args: Arguments, context: CommandContext): Promise<void> {
  const { kind, names } = wanted;
  const { root, api, signal } = context;
  const places =
    names.length > 0
      ? names.map((name) => ({ name, namespace: namespaceFor(kind, args, context) }))
      : (await readObjects(wanted, args, context)).map(({ metadata: { name = '', namespace } }) => ({
          name,
          namespace,
        }));
  if (places.length === 0) {
    context.print('No resources found');
    return;
  }
  const isDryRun = args.text('dry-run') === 'server';
  const isCascading = cascadingKinds.includes(kind.plural);
  if (!isDryRun && (names.length === 0 || isCascading)) await confirmDelete(wanted, places.length, context);
  const graceSeconds = args.count('grace-period');
  if (graceSeconds === 0 && !args.isOn('force')) throw new KubectlError('--grace-period=0 needs --force');
  const document = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: 'Background',
    ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
  };
  for (const place of places) {
    const url = `${objectUrl(root, kind, place)}${queryText({ dryRun: isDryRun ? 'All' : undefined })}`;
    try {
      await api.json({ method: 'DELETE', url, document, signal });
      context.print(`${kindName(kind)} "${place.name}" deleted${isDryRun ? ' (server dry run)' : ''}`);
    } catch (error) {
      if (!args.isOn('ignore-not-found') || !isNotFound(error)) throw error;
    }
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 404;
}

async function confirmDelete({ kind, names }: NamedObjects, count: number, context: CommandContext): Promise<void> {
  const what = count === 1 ? `${kind.kind} ${names[0] ?? ''}`.trim() : `${count} ${kind.plural}`;
  const isConfirmed = await context.ask({
    title: `Delete ${what}?`,
    text: cascadingKinds.includes(kind.plural)
      ? 'This also deletes all objects that belong to it. This cannot be undone.'
      : `This deletes ${count === 1 ? '1 object' : `${count} objects`} (${collectionUrl('', kind)}). This cannot be undone.`,
    action: 'Delete',
  });
  if (!isConfirmed) throw new KubectlError('cancelled');
}
