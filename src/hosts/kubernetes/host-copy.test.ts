import { expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { serviceUnavailable } from '../../api/status.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import { silentLog } from '../../lib/log.ts';
import { openManagement } from '../../management/management.fixture.ts';
import { HostCopy } from './host-copy.ts';
import type { HostFact } from './host-facts.ts';

const plural = virtualClusterInstanceKind.plural;
const namespace = projectNamespace('default');

/** Of the instances of a project, those with a label; they belong to what it names. */
function read({ metadata }: KubeObject): HostFact | undefined {
  const { name = '', uid = '', resourceVersion = '', labels = {} } = metadata;
  if (labels.release === undefined) return undefined;
  return { namespace, name, uid, resourceVersion, release: labels.release, isDeleting: false };
}

/** The real API, whose watches the test ends, and which does not answer while it says so. */
async function setUp() {
  const bench = await openManagement();
  const client = inProcessClient(bench.plane.kinds, 'test').resource(virtualClusterInstanceKind);
  const state = { isDown: false, interrupt() {} };
  const resource: ResourceClient = {
    ...client,
    async list(request) {
      if (state.isDown) throw serviceUnavailable('it is down');
      // So that a few objects are several pages.
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
  const heard: string[] = [];
  let look = () => {};
  const hear = (words: string) => {
    heard.push(words);
    look();
  };
  const copy = new HostCopy<HostFact>({
    resource,
    labelSelector: '',
    read,
    clock: bench.clock,
    log: silentLog,
    signal: stop.signal,
    onChange: ({ name, release }) => hear(`${name} of ${release}`),
    onState: (failure) => hear(failure === undefined ? 'answers' : String(failure)),
  });
  const until = async (holds: () => boolean) => {
    const pauses = setInterval(() => bench.clock.advance(1_000), 1);
    await new Promise<void>((resolve) => {
      look = () => {
        if (holds()) resolve();
      };
      look();
    });
    clearInterval(pauses);
  };
  async function make(name: string, release?: string): Promise<void> {
    await bench.create(plural, name, {}, bench.admin('default'));
    if (release !== undefined) await client.patch({ namespace, name }, { metadata: { labels: { release } } });
  }
  return { client, copy, heard, until, make, state, stop };
}

it('keeps by place what is of interest, and tells what came, moved and went', async () => {
  const { client, copy, heard, until, make, stop } = await setUp();
  await until(() => heard.includes('answers'));
  await make('plain');
  await make('one', 'a');
  await until(() => heard.includes('one of a'));
  await make('two', 'a');
  await until(() => heard.includes('two of a'));
  expect(copy.of({ namespace, name: 'a' }).map(({ name }) => name)).toEqual(['one', 'two']);
  heard.length = 0;
  await client.patch({ namespace, name: 'one' }, { metadata: { labels: { release: 'b' } } });
  await until(() => heard.includes('one of b'));
  expect(heard).toEqual(['one of a', 'one of b']);
  expect(copy.of({ namespace, name: 'a' }).map(({ name }) => name)).toEqual(['two']);
  await client.patch({ namespace, name: 'two' }, { metadata: { labels: { release: null } } });
  await until(() => heard.includes('two of a'));
  expect([...copy.all()].map(({ name }) => name)).toEqual(['one']);
  heard.length = 0;
  await client.patch({ namespace, name: 'one' }, { metadata: { annotations: { of: 'no interest' } } });
  await client.patch({ namespace, name: 'one' }, { metadata: { labels: { release: 'c' } } });
  await until(() => heard.includes('one of c'));
  expect(heard).toEqual(['one of b', 'one of c']);
  stop.abort();
  await copy.done;
});

it('says that it does not know any more, and catches up with what it has missed', async () => {
  const { client, copy, heard, until, make, state, stop } = await setUp();
  for (const name of ['stays', 'stays-2', 'stays-3', 'goes']) await make(name, 'a');
  await until(() => heard.includes('answers') && heard.includes('goes of a'));
  heard.length = 0;
  state.isDown = true;
  state.interrupt();
  await client.patch({ namespace, name: 'goes' }, { metadata: { labels: { release: null } } });
  await make('comes', 'a');
  await until(() => heard.includes('StatusError: it is down'));
  expect(copy.isSynced).toBe(true);
  state.isDown = false;
  await until(() => heard.includes('answers'));
  expect(heard.filter((words) => words.includes(' of ')).sort()).toEqual(['comes of a', 'goes of a']);
  expect(copy.of({ namespace, name: 'a' }).map(({ name }) => name)).toEqual(['comes', 'stays', 'stays-2', 'stays-3']);
  stop.abort();
  await copy.done;
});
