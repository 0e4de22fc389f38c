import { type JsonObject, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { createKindFinder, type DiscoveredKind } from '../../connection/discovered-kind.ts';
import { type ServerApi, withServer } from '../../connection/server-api.ts';
import { readManifests } from '../../input/read-manifests.ts';
import { nameOf, outputFormat } from '../../output/output-format.ts';

/** The name of the field manager in server-side apply requests. */
const manager = 'flotilla';

/** Applies every object with server-side apply, in the order of the files. */
export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const objects = await readManifests(values.list('filename'));
  return await withServer(call, async (api) => {
    const kindOf = createKindFinder(api, signal);
    const kinds = [];
    // Look up all kinds before the first write. Otherwise, an unknown kind would be found after other objects were
    // already changed.
    for (const object of objects) kinds.push(await kindOf(object));
    for (const [at, object] of objects.entries()) {
      const { response, result } = await applyOne(api, object, kinds[at] as DiscoveredKind, call);
      if (format.kind === 'objects') terminal.print(format.print(response));
      else {
        terminal.print(`${nameOf(response as KubeObject)} ${result}${values.flag('dry-run') ? ' (dry run)' : ''}\n`);
        printSecret(response, call);
      }
    }
    return undefined;
  });
};

async function applyOne(
  api: ServerApi,
  object: KubeObject,
  { collection, verbs }: DiscoveredKind,
  { values, interrupted: signal }: CommandCall,
): Promise<{ response: JsonObject; result: string }> {
  const dryRun = values.flag('dry-run') ? 'All' : undefined;
  const { name } = object.metadata;
  // Create the object instead of applying it: an object without a name cannot be applied, and some kinds, such as
  // tokens, support only create.
  if (!verbs.includes('patch') || name === undefined) {
    signal.throwIfAborted();
    const response = await api.json({ method: 'POST', path: collection, body: object, query: { dryRun } });
    return { response, result: 'created' };
  }
  const path = `${collection}/${encodeURIComponent(name)}`;
  const before = await api.json({ path, signal }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  });
  // Ctrl-C has an effect only before a request is sent. The response of a sent request is always awaited.
  signal.throwIfAborted();
  const force = values.flag('force-conflicts') ? 'true' : undefined;
  const response = await api
    .json({
      method: 'PATCH',
      path,
      type: 'application/apply-patch+yaml',
      body: object,
      query: { fieldManager: manager, fieldValidation: 'Strict', force, dryRun },
    })
    .catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.status.reason !== 'Conflict') throw error;
      const next = 'use --force-conflicts to take ownership of these fields';
      throw new CliError(error.message, { next, cause: error });
    });
  if (before === undefined) return { response, result: 'created' };
  const version = (of: JsonObject) => textAt(of, 'metadata', 'resourceVersion');
  return { response, result: version(before) === version(response) ? 'unchanged' : 'configured' };
}

/** Prints a secret key or token from the response, because no later response contains it. */
function printSecret(response: JsonObject, { terminal }: CommandCall): void {
  const secret = textAt(response, 'spec', 'key') || textAt(response, 'status', 'token');
  if (secret === '') return;
  terminal.print(`${secret}\n`);
  terminal.printToStderr('its value is not shown again\n');
}
