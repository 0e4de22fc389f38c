import { expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { projectNamespace } from '../../../api/naming.ts';
import { serviceUnavailable } from '../../../api/status.ts';
import { inProcessClient } from '../../../builtin/in-process-client.ts';
import type { ResourceClient } from '../../../client/resource-client.ts';
import { silentLog } from '../../../lib/log.ts';
import { wait } from '../../../lib/wait.ts';
import { openManagementTestEnv } from '../../../management/management.fixture.ts';
import type { ObjectSummary } from './object-summaries.ts';
import { ResourceCache } from './resource-cache.ts';

const plural = virtualClusterInstanceKind.plural;
const namespace = projectNamespace('default');

/** Summarizes only objects with the label `release`, which names the virtual cluster that they belong to. */
function read({ metadata }: KubeObject): ObjectSummary | undefined {
  const { name = '', uid = '', resourceVersion = '', labels = {} } = metadata;
  if (labels.release === undefined) return undefined;
  return { namespace, name, uid, resourceVersion, release: labels.release, isDeleting: false };
}

/** The real API with watches that the test can break and with an outage that it can simulate. */
async function setUp() {
  const bench = await openManagementTestEnv();
  const client = inProcessClient(bench.plane.kinds, 'test').resource(virtualClusterInstanceKind);
  const state = { isDown: false, interrupt() {} };
  const resource: ResourceClient = {
    ...client,
    async list(request) {
      if (state.isDown) throw serviceUnavailable('it is down');
      // Splits a few objects into several pages.
      return await client.list({ ...request, limit: 2 });
    },
    async *watch(request) {
      if (state.isDown) throw serviceUnavailable('it is down');
      const broken = new AbortController();
      state.interrupt = () => broken.abort();
      yield* client.watch({ ...request, signal: AbortSignal.any([broken.signal, request.signal ?? broken.signal]) });
    },
  };
  const stop = new AbortController();
  const records: string[] = [];
  let check = () => {};
  const record = (text: string) => {
    records.push(text);
    check();
  };
  const copy = new ResourceCache<ObjectSummary>({
    resource,
    labelSelector: '',
    summarize: read,
    clock: bench.clock,
    log: silentLog,
    signal: stop.signal,
    delay: (milliseconds, signal) => wait(bench.clock, milliseconds, signal),
    onChange: ({ name, release }) => record(`${name} of ${release}`),
    onStatus: (failure) => record(failure === undefined ? 'answers' : String(failure)),
  });
  const until = async (holds: () => boolean) => {
    const pauses = setInterval(() => bench.clock.advance(1_000), 1);
    await new Promise<void>((resolve) => {
      check = () => {
        if (holds()) resolve();
      };
      check();
    });
    clearInterval(pauses);
  };
  async function create(name: string, release?: string): Promise<void> {
    await bench.create(plural, name, {}, bench.admin('default'));
    if (release !== undefined) await client.patch({ namespace, name }, { metadata: { labels: { release } } });
  }
  return { client, copy, records, until, create, state, stop };
}

it('the cache groups entries by virtual cluster and reports added, moved and removed ones', async () => {
  const { client, copy, records, until, create, stop } = await setUp();
  await until(() => records.includes('answers'));
  await create('plain');
  await create('one', 'a');
  await until(() => records.includes('one of a'));
  await create('two', 'a');
  await until(() => records.includes('two of a'));
  expect(copy.ofVirtualCluster({ namespace, name: 'a' }).map(({ name }) => name)).toEqual(['one', 'two']);
  records.length = 0;
  await client.patch({ namespace, name: 'one' }, { metadata: { labels: { release: 'b' } } });
  await until(() => records.includes('one of b'));
  expect(records).toEqual(['one of a', 'one of b']);
  expect(copy.ofVirtualCluster({ namespace, name: 'a' }).map(({ name }) => name)).toEqual(['two']);
  await client.patch({ namespace, name: 'two' }, { metadata: { labels: { release: null } } });
  await until(() => records.includes('two of a'));
  expect([...copy.all()].map(({ name }) => name)).toEqual(['one']);
  records.length = 0;
  await client.patch({ namespace, name: 'one' }, { metadata: { annotations: { of: 'no interest' } } });
  await client.patch({ namespace, name: 'one' }, { metadata: { labels: { release: 'c' } } });
  await until(() => records.includes('one of c'));
  expect(records).toEqual(['one of b', 'one of c']);
  stop.abort();
  await copy.done;
});

it('the cache reports an outage and then catches up with missed changes', async () => {
  const { client, copy, records, until, create, state, stop } = await setUp();
  for (const name of ['stays', 'stays-2', 'stays-3', 'goes']) await create(name, 'a');
  await until(() => records.includes('answers') && records.includes('goes of a'));
  records.length = 0;
  state.isDown = true;
  state.interrupt();
  await client.patch({ namespace, name: 'goes' }, { metadata: { labels: { release: null } } });
  await create('comes', 'a');
  await until(() => records.includes('StatusError: it is down'));
  expect(copy.isSynced).toBe(true);
  state.isDown = false;
  await until(() => records.includes('answers'));
  expect(records.filter((text) => text.includes(' of ')).sort()).toEqual(['comes of a', 'goes of a']);
  expect(copy.ofVirtualCluster({ namespace, name: 'a' }).map(({ name }) => name)).toEqual([
    'comes',
    'stays',
    'stays-2',
    'stays-3',
  ]);
  stop.abort();
  await copy.done;
});
