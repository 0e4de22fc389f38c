import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../../src/api/management/v1/virtual-cluster-instance.ts';
import { builtInClusterName, managementGroup, managementVersion } from '../../src/api/naming.ts';
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
/** The acceptable added latency of one key under the load of another key, in milliseconds. */
const acceptableMs = 25;
/** A single measurement on a busy machine is unreliable; a real effect shows in every measurement. */
const attempts = 4;

/** Objects like instances, but of a kind without a controller, so only the callers put load on the server. */
const { group, version, plural, singular, kind } = virtualClusterInstanceKind;
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, singular, kind },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

let server: FlotillaProcess;
let target: LoadTarget;
let load: LoadClient;
let tokens: unknown;

beforeAll(async () => {
  server = await startFlotilla({ args: ['--log-level', 'warn'] });
  const cluster = `/kubernetes/cluster/${builtInClusterName}`;
  const caller = await ApiCaller.of(server, cluster);
  const apiVersion = `${managementGroup}/${managementVersion}`;
  target = {
    url: server.url,
    ca: caller.ca,
    authorization: `Bearer ${server.adminKey}`,
    pids: [server.pid],
    api: `${cluster}/apis/${apiVersion}`,
    apiVersion,
    management: `${apiRoot}/apis/${apiVersion}`,
  };
  await caller.make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  for (const name of ['many', 'own']) {
    await caller.make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await caller.close();
  load = startLoadClient(AbortSignal.timeout(800_000));
  await load.run('write', target, { verb: 'create', namespace: 'many', clients: 64, objects });
  tokens = await load.run('makeKeys', target, { count: 2 });
});

afterAll(async () => {
  await load?.stop();
  await server?.remove();
});

/**
 * The p99 on a busy machine reflects the machine; latency that the server adds to each request also shows in the
 * median.
 */
function isAcceptable([, { loadedP50, quietP50 }]: [string, Compared]): boolean {
  return loadedP50 - quietP50 <= acceptableMs;
}

describe('a key that sends as many requests as it can', () => {
  it.each([
    ['create', 256],
    ['get', 256],
    ['list', 64],
  ])('with the verb %s from %i connections is hardly acceptableMs by another', async (verb, clients) => {
    let found: Record<string, Compared> = {};
    for (let attempt = 0; attempt < attempts; attempt++) {
      const options = { verb, clients, objects, seconds, tokens, namespace: 'many', ownNamespace: 'own' };
      const result = await load.run('fairness', target, { ...options, prefix: `${verb}-${attempt}` });
      found = result as Record<string, Compared>;
      if (Object.entries(found).every(isAcceptable)) break;
    }
    for (const [own, { quietP50, quietP99, loadedP50, loadedP99, rate }] of Object.entries(found)) {
      const [before, during] = [`${quietP50.toFixed(1)} ms (99 % in ${quietP99.toFixed(1)} ms)`, loadedP50.toFixed(1)];
      console.log(
        `a ${own} took ${before} alone, ${during} ms (99 % in ${loadedP99.toFixed(1)} ms) beside ${rate.toFixed(0)} ${verb}s a second`,
      );
    }
    expect(Object.keys(found)).toEqual(['create', 'get']);
    expect(Object.entries(found).filter((each) => !isAcceptable(each))).toEqual([]);
  });
});
