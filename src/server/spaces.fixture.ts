import { type JsonObject, textAt } from '@flotilla/json';
import { expect } from 'vitest';
import { inPhase, instancesOf, waitForInstance } from './instances.fixture.ts';
import type { ServerTestEnv } from './server.fixture.ts';
import type { RunningServer } from './start-server.ts';

const plural = 'spaceinstances';

export const spacesOf = (project: string) => instancesOf(project, plural);

/** Creates a space, waits until it is Ready, and returns its namespace on the host. */
export async function createSpace(
  env: ServerTestEnv,
  server: RunningServer,
  { project = 'default', name }: { readonly project?: string; readonly name: string },
  spec: JsonObject,
): Promise<string> {
  const made = await env.send(server, spacesOf(project), { method: 'POST', body: { metadata: { name }, spec } });
  expect(made.code, made.text).toBe(201);
  const ready = await waitForInstance(env, server, { project, name, plural }, inPhase('Ready'));
  return textAt(ready, 'spec', 'clusterRef', 'namespace');
}
