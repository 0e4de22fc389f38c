import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { readLines } from '../lib/read-lines.ts';
import { groupPath, type ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

export const instancesOf = (project: string, plural = 'virtualclusterinstances') =>
  `${groupPath}/namespaces/platform-p-${project}/${plural}`;

export const spacesOf = (project: string) => instancesOf(project, 'spaceinstances');

/**
 * Watches an instance and returns the first version of it for which the predicate is true. `plural` defaults to virtual
 * cluster instances. The predicate receives `undefined` if the instance is deleted.
 */
export async function waitForInstance(
  env: ServerTestEnv,
  server: RunningServer,
  key: { readonly project?: string; readonly name: string; readonly plural?: string },
  has: (instance: JsonObject | undefined) => boolean,
): Promise<JsonObject> {
  const only = `${instancesOf(key.project ?? 'default', key.plural)}?fieldSelector=metadata.name%3D${key.name}`;
  const { json } = await env.send(server, only);
  const [now] = listAt(json, 'items') as readonly JsonObject[];
  if (has(now)) return now ?? {};
  const since = textAt(json, 'metadata', 'resourceVersion');
  const { body } = await env.request(server, `${only}&watch=true&resourceVersion=${since}&timeoutSeconds=20`);
  for await (const line of readLines(body)) {
    const event = JSON.parse(line) as { type: string; object: JsonObject };
    if (has(event.type === 'DELETED' ? undefined : event.object)) return event.object;
  }
  throw new Error(`the watch ended without a match: ${(await env.send(server, only)).text}`);
}

export const isGone = (instance: JsonObject | undefined): boolean => instance === undefined;

export function inPhase(phase: string): (instance: JsonObject | undefined) => boolean {
  return (instance) => textAt(instance, 'status', 'phase') === phase;
}

/** True if the server has reconciled the current generation of the instance. */
export function isReconciled(instance: JsonObject | undefined): boolean {
  const { observedGeneration, reason } = (instance?.status ?? {}) as { observedGeneration?: number; reason?: string };
  const { generation } = (instance?.metadata ?? {}) as { generation?: number };
  return (
    generation !== undefined && observedGeneration === generation && !['Starting', 'Installing'].includes(reason ?? '')
  );
}
