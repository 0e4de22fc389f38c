import { expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { projectNamespace } from '../api/naming.ts';
import { inProcessClient } from '../builtin/in-process-client.ts';
import { silentLog } from '../lib/log.ts';
import { openManagementTestEnv } from '../management/management.fixture.ts';
import { startInformer } from './informer.ts';
import type { ResourceClient } from './resource-client.ts';

const plural = virtualClusterInstanceKind.plural;

/** Returns a client whose first watch the test can end. */
function interruptible(client: ResourceClient) {
  let begun: (interrupt: () => void) => void = () => {};
  const firstWatch = new Promise<() => void>((resolve) => {
    begun = resolve;
  });
  const resource: ResourceClient = {
    ...client,
    async *watch(request) {
      const stop = new AbortController();
      begun(() => stop.abort());
      const signal = request.signal === undefined ? stop.signal : AbortSignal.any([request.signal, stop.signal]);
      yield* client.watch({ ...request, signal });
    },
  };
  return { resource, firstWatch };
}

it('an informer lists again when the history has expired and reports what changed meanwhile (CLIENT-04)', async () => {
  const { plane, clock, store, create, remove, admin } = await openManagementTestEnv();
  await create('virtualclusterinstances', 'stays', {}, admin('default'));
  await create('virtualclusterinstances', 'goes', {}, admin('default'));
  const { resource, firstWatch } = interruptible(
    inProcessClient(plane.kinds, 'test').resource(virtualClusterInstanceKind),
  );
  const stop = new AbortController();
  const changed: string[] = [];
  let look: () => void = () => {};
  const informer = startInformer({
    resource,
    clock,
    log: silentLog,
    signal: stop.signal,
    onChange(object) {
      changed.push(object.metadata.name ?? '');
      look();
    },
  });
  await informer.synced;
  expect(changed.sort()).toEqual(['goes', 'stays']);
  changed.length = 0;

  (await firstWatch)();
  await remove(plural, 'goes', 'default');
  await create('virtualclusterinstances', 'comes', {}, admin('default'));
  await store.compact('management', await store.revision('management'));
  const relisted = new Promise<void>((resolve) => {
    look = () => {
      if (changed.includes('comes') && changed.includes('goes')) resolve();
    };
    look();
  });
  // Advance the clock, because two streams are retried only after a backoff: the stream that ended without an event,
  // and the stream that was refused.
  const pauses = setInterval(() => clock.advance(1_000), 1);
  await relisted;
  clearInterval(pauses);
  expect([...new Set(changed)].sort()).toEqual(['comes', 'goes']);
  const namespace = projectNamespace('default');
  expect(informer.get(namespace, 'goes')).toBeUndefined();
  expect(informer.get(namespace, 'comes')).toBeDefined();
  stop.abort();
  await informer.done;
});
