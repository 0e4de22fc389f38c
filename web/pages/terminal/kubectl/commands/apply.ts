import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt, writeJson } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import { readYaml } from '../../../../../src/api/decode/yaml-document.ts';
import type { KubeObject } from '../../../../../src/api/meta.ts';
import type { ServedKind } from '../../../../data/discovery.ts';
import { collectionUrl, objectUrl, queryText } from '../../../../data/kind-ref.ts';
import { type ObjectToCreate, parseObjectToCreate, splitDocuments } from '../../../inside/object-to-create.ts';
import { type Command, type CommandContext, filenameFlag, namespaceFlag } from '../command.ts';
import { failureText, KubectlError, ownKubectl } from '../kubectl-error.ts';
import type { Arguments, Flag } from '../syntax/flags.ts';
import { objectName } from '../syntax/resolve-kind.ts';

/** The field manager of objects that commands of this page apply. */
const fieldManager = 'console-kubectl';

const dryRunFlag: Flag = {
  name: 'dry-run',
  type: 'text',
  values: ['none', 'server'],
  about: 'with server, the objects are validated and not written',
};
const outputFlag: Flag = {
  name: 'output',
  short: 'o',
  type: 'text',
  values: ['json', 'yaml', 'name'],
  about: 'print the written objects',
};

export const applyCommand: Command = {
  name: 'apply',
  usage: '-f -',
  about: 'create or change objects from a manifest, with server-side apply',
  positional: 'none',
  flags: [
    filenameFlag,
    namespaceFlag,
    dryRunFlag,
    outputFlag,
    { name: 'server-side', type: 'switch', about: 'always on' },
    { name: 'force-conflicts', type: 'switch', about: 'take over fields that others have set' },
  ],
  async run(args, context) {
    if (args.text('server-side') === 'false')
      throw new KubectlError('apply is always server-side here; remove --server-side=false');
    await writeManifest('Apply', args, context, async ({ kind, place, object }) => {
      const { root, api, signal } = context;
      const { name = '' } = object.metadata;
      if (name === '') throw new KubectlError('apply needs metadata.name');
      const query = queryText({ ...writeQuery(args), force: args.isOn('force-conflicts') ? true : undefined });
      const url = `${objectUrl(root, kind, { ...place, name })}${query}`;
      const contentType = 'application/apply-patch+yaml';
      return [
        await api.json<KubeObject>({ method: 'PATCH', url, document: object, contentType, signal }),
        'serverside-applied',
      ];
    });
  },
};

const namespaceWords: readonly string[] = ['namespace', 'namespaces', 'ns'];
const createForms = 'enter "create -f -" and paste a manifest, or "create namespace NAME"';

export const createCommand: Command = {
  name: 'create',
  usage: '-f - | namespace NAME',
  about: 'create objects from a manifest, or a namespace',
  positional: 'none',
  subcommands: ['namespace'],
  flags: [filenameFlag, namespaceFlag, dryRunFlag, outputFlag],
  checkForm(words) {
    const [type = ''] = words;
    if (type === '') throw new KubectlError(`create needs to know what to create; ${createForms}`);
    if (!type.startsWith('-') && !namespaceWords.includes(type))
      throw new KubectlError(`"create ${type}" does not work in the browser; ${createForms}, or ${ownKubectl}`);
  },
  async run(args, context) {
    const create = async ({ kind, place, object }: ObjectToCreate): Promise<[KubeObject, string]> => {
      const { root, api, signal } = context;
      const url = `${collectionUrl(root, kind, place.namespace)}${queryText(writeQuery(args))}`;
      return [await api.json<KubeObject>({ method: 'POST', url, document: object, signal }), 'created'];
    };
    const [type, name, more] = args.words;
    if (type === undefined) return await writeManifest('Create', args, context, create);
    if (!namespaceWords.includes(type)) throw new KubectlError(`create has an unknown word "${type}"; ${createForms}`);
    if (name === undefined || more !== undefined)
      throw new KubectlError('create namespace needs one name, for example "create namespace shop"');
    const manifest = yamlText({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await writeDocuments(manifest, args, context, create);
  },
};

function writeQuery(args: Arguments): Record<string, string | undefined> {
  return {
    fieldManager,
    fieldValidation: 'Strict',
    dryRun: args.text('dry-run') === 'server' ? 'All' : undefined,
  };
}

type Write = (object: ObjectToCreate) => Promise<[KubeObject, string]>;

async function writeManifest(action: string, args: Arguments, context: CommandContext, write: Write): Promise<void> {
  if (args.text('filename') !== '-' || args.words.length > 0)
    throw new KubectlError(
      `the browser cannot open files by name; enter "${action.toLowerCase()} -f -", and choose the file or paste the manifest`,
    );
  const manifest = await context.readManifest(action);
  if (manifest === undefined) throw new KubectlError('cancelled');
  await writeDocuments(manifest, args, context, write);
}

/** Writes all objects of a manifest. As with kubectl, an error in one object does not prevent writing the others. */
async function writeDocuments(text: string, args: Arguments, context: CommandContext, write: Write): Promise<void> {
  const served = await context.served();
  const documents = splitDocuments(text).flatMap(expandList);
  if (documents.length === 0) throw new KubectlError('the manifest contains no objects');
  let failures = 0;
  for (const document of documents) {
    try {
      const parsed = parseObjectToCreate(document, { served, namespace: args.text('namespace') ?? context.namespace });
      checkNamespace(parsed, args);
      const [written, result] = await write(parsed);
      printWritten({ object: written, result, served }, args, context);
    } catch (error) {
      // If the manifest contains a single object, the error of that object is the error of the command.
      if (documents.length === 1) throw error;
      failures += 1;
      context.print(failureText(error));
    }
  }
  if (failures > 0) throw new KubectlError(`${failures} of ${documents.length} objects failed`);
}

/** Returns the objects of a `List` as separate documents. Returns any other document unchanged. */
function expandList(document: string): string[] {
  const { value } = readYaml(document);
  if (!isJsonObject(value) || textAt(value, 'kind') !== 'List' || textAt(value, 'apiVersion') !== 'v1')
    return [document];
  return listAt(value, 'items').map((item) => writeJson(item));
}

function checkNamespace({ place, kind }: ObjectToCreate, args: Arguments): void {
  const wanted = args.text('namespace');
  if (wanted !== undefined && kind.namespaced && place.namespace !== wanted)
    throw new KubectlError(`the object is in namespace "${place.namespace}", which differs from -n ${wanted}`);
}

interface WrittenObject {
  readonly object: KubeObject;
  /** The result that is printed, such as `created`. */
  readonly result: string;
  readonly served: readonly ServedKind[];
}

function printWritten({ object, result, served }: WrittenObject, args: Arguments, context: CommandContext): void {
  const output = args.text('output');
  const { managedFields: _, ...metadata } = object.metadata;
  const shown = { ...object, metadata } as unknown as JsonObject;
  if (output === 'json' || output === 'yaml') {
    context.print(
      output === 'json' ? writeJson(shown, { indent: 2 }) : `${yamlText(shown as JsonValue).trimEnd()}\n---`,
    );
    return;
  }
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : object.apiVersion.slice(0, slash);
  const kind = served.find((each) => each.kind === object.kind && each.group === group) ?? { kind: object.kind, group };
  const name = objectName(kind, metadata.name ?? '');
  const dryRun = args.text('dry-run') === 'server' ? ' (server dry run)' : '';
  context.print(output === 'name' ? name : `${name} ${result}${dryRun}`);
}
