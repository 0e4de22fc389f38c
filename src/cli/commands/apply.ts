import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { textAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import type { CommandRun } from '../command-spec.ts';
import { type DiscoveredKind, kindFinder } from '../connection/discovered-kind.ts';
import { type ServerApi, withServer } from '../connection/server-api.ts';
import { readManifests } from '../input/read-manifests.ts';
import { nameOf, outputFormat } from '../output/output-format.ts';

/** Whose fields these are, towards others who apply. */
const manager = 'flotilla';

/** Server-side apply of every object, in the order of the files. */
export const run: CommandRun = async (call) => {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  const objects = await readManifests(values.list('filename'));
  return await withServer(call, async (api) => {
    const kindOf = kindFinder(api, signal);
    const kinds = [];
    // All of them are known before the first is written.
    for (const object of objects) kinds.push(await kindOf(object));
    for (const [at, object] of objects.entries()) {
      const { answer, outcome } = await applyOne(api, object, kinds[at] as DiscoveredKind, call);
      if (format.kind === 'objects') terminal.print(format.print(answer));
      else {
        terminal.print(`${nameOf(answer as KubeObject)} ${outcome}${values.flag('dry-run') ? ' (dry run)' : ''}\n`);
        tellOnce(answer, call);
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
): Promise<{ answer: JsonObject; outcome: string }> {
  const dryRun = values.flag('dry-run') ? 'All' : undefined;
  const { name } = object.metadata;
  // What can only be created (a token, say), and what the server is to name, is created.
  if (!verbs.includes('patch') || name === undefined) {
    signal.throwIfAborted();
    const answer = await api.json({ method: 'POST', path: collection, body: object, query: { dryRun } });
    return { answer, outcome: 'created' };
  }
  const path = `${collection}/${encodeURIComponent(name)}`;
  const before = await api.json({ path, signal }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  });
  // What was sent is waited for; nothing else is begun after a Ctrl-C.
  signal.throwIfAborted();
  const force = values.flag('force-conflicts') ? 'true' : undefined;
  const answer = await api
    .json({
      method: 'PATCH',
      path,
      type: 'application/apply-patch+yaml',
      body: object,
      query: { fieldManager: manager, fieldValidation: 'Strict', force, dryRun },
    })
    .catch((error: unknown) => {
      if (!(error instanceof StatusError) || error.status.reason !== 'Conflict') throw error;
      const next = '--force-conflicts takes these fields over';
      throw new CliError(error.message, { next, cause: error });
    });
  if (before === undefined) return { answer, outcome: 'created' };
  const version = (of: JsonObject) => textAt(of, 'metadata', 'resourceVersion');
  return { answer, outcome: version(before) === version(answer) ? 'unchanged' : 'changed' };
}

/** What only this answer holds. */
function tellOnce(answer: JsonObject, { terminal }: CommandCall): void {
  const secret = textAt(answer, 'spec', 'key') || textAt(answer, 'status', 'token');
  if (secret === '') return;
  terminal.print(`${secret}\n`);
  terminal.remark('this is the only time that its value is shown\n');
}
