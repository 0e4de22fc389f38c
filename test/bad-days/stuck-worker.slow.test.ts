import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  builtInClusterName,
  managementGroup,
  managementVersion,
  projectNamespace,
  storageGroup,
  storageVersion,
} from '../../src/api/naming.ts';
import { unmeteredVariable } from '../../src/process/disable-meters-in-tests.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { ApiCaller } from './api-caller.ts';

const stallSeconds = 2;
const virtualClusters = `/apis/${storageGroup}/${storageVersion}/namespaces/default/virtualclusters`;
const proxy = (name: string) => `${virtualClusters}/${name}/proxy`;
const configMaps = '/api/v1/namespaces/default/configmaps';

const instances = `/apis/${managementGroup}/${managementVersion}/namespaces/${projectNamespace('default')}/virtualclusterinstances`;
const loop = (body: string) => `{{ range 5000 }}${body}{{ end }}`;
/** A template whose rendering takes forever if it is not metered. */
const endlessLoop = loop(loop(loop(loop(''))));

/** An expression that takes forever if its evaluation is not metered: ten nested loops over ten numbers. */
const endless = Array.from({ length: 10 }).reduceRight<string>(
  (inner, _, level) => `[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x${level}, ${inner})`,
  'x0 < 10',
);

let folder: string;
let server: FlotillaProcess | undefined;
let callers: ApiCaller[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-stuck-'));
});
afterEach(async () => {
  await Promise.all(callers.map((caller) => caller.close()));
  callers = [];
  await server?.remove();
  server = undefined;
  await rm(folder, { recursive: true });
});

async function start(
  planes: string,
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<FlotillaProcess> {
  const config = join(folder, 'config.yaml');
  writeFileSync(config, `planes: ${planes}\n`);
  server = await startFlotilla({ args: ['--config', config, ...args], environment });
  return server;
}

async function callerOf(running: FlotillaProcess): Promise<ApiCaller> {
  const caller = await ApiCaller.of(running, `/kubernetes/cluster/${builtInClusterName}`);
  callers.push(caller);
  return caller;
}

async function createVirtualCluster(caller: ApiCaller, name: string): Promise<void> {
  const object = { apiVersion: `${storageGroup}/${storageVersion}`, kind: 'VirtualCluster', metadata: { name } };
  await caller.make(virtualClusters, object);
  await caller.get(`${proxy(name)}${configMaps}`);
}

/** Lets every write of a ConfigMap in the virtual cluster evaluate the endless expression. */
async function createEndlessPolicy(caller: ApiCaller, cluster: string): Promise<void> {
  const group = '/apis/admissionregistration.k8s.io/v1';
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  await caller.make(`${proxy(cluster)}${group}/validatingadmissionpolicies`, {
    metadata: { name: 'endless' },
    spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules }, validations: [{ expression: endless }] },
  });
  await caller.make(`${proxy(cluster)}${group}/validatingadmissionpolicybindings`, {
    metadata: { name: 'endless' },
    spec: { policyName: 'endless', validationActions: ['Deny'] },
  });
}

const createConfigMap = (caller: ApiCaller, cluster: string) =>
  caller.send('POST', `${proxy(cluster)}${configMaps}`, { metadata: { name: 'x' } });

/** Resolves with false if the response does not arrive in time. */
async function answersWithin(milliseconds: number, response: Promise<unknown>): Promise<boolean> {
  const timeout = new AbortController();
  const answered = response.then(
    () => true,
    () => false,
  );
  const late = setTimeout(milliseconds, false, { signal: timeout.signal }).catch(() => false);
  return await Promise.race([answered, late]).finally(() => timeout.abort());
}

interface Latencies {
  readonly worst: number;
  readonly failures: readonly string[];
}

/** Reads in another virtual cluster and asks for the health, until `stop` fires. */
async function measureNeighbour(caller: ApiCaller, name: string, stop: AbortSignal): Promise<Latencies> {
  let worst = 0;
  const failures: string[] = [];
  while (!stop.aborted) {
    for (const path of [`${proxy(name)}${configMaps}`, `${proxy(name)}/healthz`]) {
      const begun = performance.now();
      const { status, text } = await caller.send('GET', path);
      worst = Math.max(worst, performance.now() - begun);
      if (status !== 200) failures.push(`${status} ${text}`);
    }
  }
  return { worst, failures };
}

describe('a virtual cluster whose work never ends', () => {
  it('is stopped, then quarantined; its neighbours on another worker notice nothing', async () => {
    const running = await start(`{workers: 2, stallSeconds: ${stallSeconds}}`, { [unmeteredVariable]: '1' });
    const [caller, neighbour] = [await callerOf(running), await callerOf(running)];
    const metrics = await ApiCaller.of(running, '');
    callers.push(metrics);
    await createVirtualCluster(caller, 'endless');
    await createVirtualCluster(caller, 'neighbour');
    await createEndlessPolicy(caller, 'endless');

    const stop = new AbortController();
    const measuring = measureNeighbour(neighbour, 'neighbour', stop.signal);
    const first = await createConfigMap(caller, 'endless');
    expect([first.status, first.text]).toEqual([503, expect.stringContaining('is being restarted')]);
    expect((await caller.send('GET', `${proxy('endless')}${configMaps}`)).status).toBe(200);
    await createConfigMap(caller, 'endless');
    stop.abort();
    const { worst, failures } = await measuring;
    expect(failures).toEqual([]);
    expect(worst).toBeLessThan(1000 * (stallSeconds + 2));

    const read = async () => (await caller.send('GET', `${proxy('endless')}${configMaps}`)).text;
    await expect.poll(read, { timeout: 10_000 }).toContain('is quarantined');
    expect(running.output()).toContain('a worker thread has ended and is replaced');
    expect((await metrics.send('GET', '/metrics')).text).toMatch(/^flotilla_worker_stalls_total 2$/m);

    const restarted = await running.restart();
    server = restarted;
    const after = await callerOf(restarted);
    expect((await after.send('GET', `${proxy('endless')}${configMaps}`)).text).toContain('is quarantined');
    expect((await after.send('GET', `${proxy('neighbour')}${configMaps}`)).status).toBe(200);
    expect((await after.send('DELETE', `${virtualClusters}/endless`)).status).toBe(200);
  });

  it('does not delay the shutdown', async () => {
    const running = await start('{workers: 1, stallSeconds: 600}', { [unmeteredVariable]: '1' });
    const [caller, other, third] = [await callerOf(running), await callerOf(running), await callerOf(running)];
    await createVirtualCluster(caller, 'endless');
    await createEndlessPolicy(caller, 'endless');
    const stuck = createConfigMap(caller, 'endless').catch(() => undefined);
    while (await answersWithin(1000, other.send('GET', `${proxy('endless')}${configMaps}`)));
    expect((await third.send('GET', '/readyz')).status).toBe(200);
    const begun = performance.now();
    expect(await running.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await stuck;
  });
});

it('a template whose rendering never ends is given up, and the server continues', async () => {
  const running = await start(`{stallSeconds: ${stallSeconds}}`, { [unmeteredVariable]: '1' });
  const caller = await ApiCaller.of(running);
  callers.push(caller);
  const make = (name: string, values: string) =>
    caller.make(instances, { metadata: { name }, spec: { template: { helmRelease: { values } } } });
  await make('endless', endlessLoop);
  const begun = performance.now();
  await make('other', 'name: {{ .Values.platform.name }}');
  const statusOf = async (name: string) => JSON.stringify((await caller.get(`${instances}/${name}`)) as object);
  await expect.poll(() => statusOf('endless'), { timeout: 15_000 }).toContain('rendering takes longer than 2 seconds');
  await expect.poll(() => statusOf('other'), { timeout: 15_000 }).toContain('"phase":"Ready"');
  expect(performance.now() - begun).toBeLessThan(1000 * (2 * stallSeconds + 8));
  const restarted = await running.restart();
  server = restarted;
  const after = await ApiCaller.of(restarted);
  callers.push(after);
  // The server remembers from its last run that this template takes too long. Otherwise it would render the template
  // again.
  await after.make(instances, {
    metadata: { name: 'same' },
    spec: { template: { helmRelease: { values: endlessLoop } } },
  });
  const statusAfter = async () => JSON.stringify((await after.get(`${instances}/same`)) as object);
  await expect.poll(statusAfter, { timeout: 15_000 }).toContain('rendering takes longer than 2 seconds');
  expect(restarted.output()).not.toContain('the thread that renders templates was replaced');
  expect((await after.send('DELETE', `${instances}/endless`)).status).toBe(200);
});

it('a template during whose rendering the server ended twice is not rendered again', async () => {
  const config = '{stallSeconds: 600}';
  let running = await start(config, { [unmeteredVariable]: '1' }, ['--log-level', 'debug']);
  const caller = await ApiCaller.of(running);
  callers.push(caller);
  await caller.make(instances, {
    metadata: { name: 'endless' },
    spec: { template: { helmRelease: { values: endlessLoop } } },
  });
  for (let end = 1; end <= 2; end++) {
    await expect.poll(() => running.output(), { timeout: 15_000 }).toContain('recorded work that takes long');
    await running.stop('SIGKILL');
    running = await running.restart();
    server = running;
  }
  const after = await ApiCaller.of(running);
  callers.push(after);
  const status = async () => JSON.stringify((await after.get(`${instances}/endless`)) as object);
  await expect.poll(status, { timeout: 15_000 }).toContain('rendering was in progress 2 times when the server ended');
  expect((await after.send('DELETE', `${instances}/endless`)).status).toBe(200);
});

it('a virtual cluster that needs more memory than its worker has does not end the server', async () => {
  const running = await start(`{workers: 1, workerHeapBytes: ${64 * 1024 * 1024}}`);
  const caller = await callerOf(running);
  await createVirtualCluster(caller, 'large');
  const data = { text: 'x'.repeat(900_000) };
  let refusals = 0;
  for (let number = 0; number < 200 && refusals === 0; number++) {
    const { status } = await caller.send('POST', `${proxy('large')}${configMaps}`, {
      metadata: { name: `map-${number}` },
      data,
    });
    if (status !== 201) refusals += 1;
  }
  expect(refusals).toBe(1);
  await expect.poll(() => running.output(), { timeout: 10_000 }).toContain('ERR_WORKER_OUT_OF_MEMORY');
  expect((await caller.send('GET', '/readyz')).status).toBe(200);
});
