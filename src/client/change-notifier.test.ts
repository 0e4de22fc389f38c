import { expect, it } from 'vitest';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { expired } from '../api/status.ts';
import { inProcessClient } from '../builtin/in-process-client.ts';
import { silentLog } from '../lib/log.ts';
import { openManagementTestEnv } from '../management/management.fixture.ts';
import { startChangeNotifier } from './change-notifier.ts';
import type { ResourceClient } from './resource-client.ts';

const plural = virtualClusterInstanceKind.plural;

it('a follower reports later changes, not existing objects, and reports gaps (CLIENT-04)', async () => {
  const { plane, clock, create, admin } = await openManagementTestEnv();
  await create(plural, 'stays', {}, admin('default'));
  const client = inProcessClient(plane.kinds, 'test').resource(virtualClusterInstanceKind);
  let interrupt: () => void = () => {};
  let watches = 0;
  const resource: ResourceClient = {
    ...client,
    async *watch(request) {
      if (++watches === 2) throw expired('the past is gone');
      const broken = new AbortController();
      interrupt = () => broken.abort();
      yield* client.watch({ ...request, signal: AbortSignal.any([broken.signal, request.signal ?? broken.signal]) });
    },
  };
  const stop = new AbortController();
  const told: string[] = [];
  let look: () => void = () => {};
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (holds()) resolve();
      };
      look();
    });
  const tell = (what: string) => {
    told.push(what);
    look();
  };
  const follower = startChangeNotifier({
    resource,
    clock,
    log: silentLog,
    signal: stop.signal,
    onChange: ({ metadata }) => tell(metadata.name ?? ''),
    onGap: () => tell('gap'),
  });
  await follower.synced;
  await create(plural, 'comes', {}, admin('default'));
  await until(() => told.includes('comes'));
  expect(told).toEqual(['gap', 'comes']);

  interrupt();
  // Advance the clock, so that the refused stream is retried after its backoff.
  const pauses = setInterval(() => clock.advance(1_000), 1);
  await until(() => told.filter((what) => what === 'gap').length === 2);
  clearInterval(pauses);
  await create(plural, 'later', {}, admin('default'));
  await until(() => told.includes('later'));
  expect(told).toEqual(['gap', 'comes', 'gap', 'later']);
  stop.abort();
  await follower.done;
});
