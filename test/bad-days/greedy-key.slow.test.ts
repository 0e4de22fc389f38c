import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, managementVersion, projectNamespacePrefix } from '../../src/api/naming.ts';
import { type LoadClient, type LoadTarget, startLoadClient } from '../bench/client/start-load-client.mjs';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller, apiRoot } from './api-caller.ts';

interface Compared {
  readonly quietP50: number;
  readonly quietP99: number;
  readonly loadedP50: number;
  readonly loadedP99: number;
  readonly rate: number;
}

const objects = 10_000;
const seconds = 3;
/**
 * Milliseconds that one key may notice of another. A create waits for its disk and its audit lines, each time until the
 * process looks at them; where others have half of the machine, that takes twice as long.
 */
const noticed: Readonly<Record<string, number>> = { get: 25, create: 50 };
/** On a busy machine one measurement says little: what others notice, they notice every time. */
const attempts = 4;

let server: FlotillaProcess;
let target: LoadTarget;
let load: LoadClient;
let tokens: unknown;

beforeAll(async () => {
  server = await startFlotilla({ args: ['--log-level', 'warn'] });
  const caller = await ApiCaller.of(server);
  const apiVersion = `${managementGroup}/${managementVersion}`;
  target = {
    url: server.url,
    ca: caller.ca,
    authorization: `Bearer ${server.adminKey}`,
    pids: [server.pid],
    api: `${apiRoot}/apis/${apiVersion}`,
    apiVersion,
    namespacePrefix: projectNamespacePrefix,
  };
  for (const name of ['many', 'own']) {
    const spec = {
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ kind: 'VirtualClusterTemplate', name: '*' }],
    };
    await caller.make(`/apis/${apiVersion}/projects`, { apiVersion, kind: 'Project', metadata: { name }, spec });
  }
  await caller.close();
  load = startLoadClient(AbortSignal.timeout(800_000));
  await load.run('write', target, { verb: 'create', project: 'many', clients: 64, objects });
  tokens = await load.run('makeKeys', target, { count: 2 });
});

afterAll(async () => {
  await load?.stop();
  await server?.remove();
});

/** A p99 of a busy machine is that of the machine; what the server itself adds to each request the median shows too. */
function isUnnoticed([own, { loadedP50, quietP50 }]: [string, Compared]): boolean {
  return loadedP50 - quietP50 <= (noticed[own] ?? 0);
}

describe('a key that asks for as much as it can get', () => {
  it.each([
    ['create', 256],
    ['get', 256],
    ['list', 64],
  ])('with the verb %s from %i connections is hardly noticed by another', async (verb, clients) => {
    let found: Record<string, Compared> = {};
    for (let attempt = 0; attempt < attempts; attempt++) {
      const options = { verb, clients, objects, seconds, tokens, project: 'many', ownProject: 'own' };
      const result = await load.run('fairness', target, { ...options, prefix: `${verb}-${attempt}` });
      found = result as Record<string, Compared>;
      if (Object.entries(found).every(isUnnoticed)) break;
    }
    for (const [own, { quietP50, quietP99, loadedP50, loadedP99, rate }] of Object.entries(found)) {
      const [before, during] = [`${quietP50.toFixed(1)} ms (99 % in ${quietP99.toFixed(1)} ms)`, loadedP50.toFixed(1)];
      console.log(
        `a ${own} took ${before} alone, ${during} ms (99 % in ${loadedP99.toFixed(1)} ms) beside ${rate.toFixed(0)} ${verb}s a second`,
      );
    }
    expect(Object.keys(found)).toEqual(['create', 'get']);
    expect(Object.entries(found).filter((each) => !isUnnoticed(each))).toEqual([]);
  });
});
