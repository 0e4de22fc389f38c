import { expect, it } from 'vitest';
import { exchangeFor } from '../../test/harness/exchange.ts';
import { versionInfo } from '../http/documents/version.ts';
import type { Plane } from '../http/plane.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createPlaneHandlers } from './plane-server.ts';

/** Sends a discovery request to a plane without kinds. `settled` is the method `Plane.settled` of that plane. */
function discover(settled: () => Promise<void>) {
  const clock = new ManualClock();
  const plane: Plane = {
    id: 'plane',
    resources: () => [],
    find: () => undefined,
    generation: 1,
    settled,
    authorize: () => ({ allowed: true, reason: '' }),
    mayRead: () => undefined,
  };
  const handlerOf = createPlaneHandlers({
    clock,
    log: silentLog,
    version: versionInfo({ packageVersion: '1.0.0' }),
    healthChecks: [],
    bodyBytes: 1_000,
  });
  let code: number | undefined;
  const done = Promise.resolve(handlerOf(plane)(exchangeFor({ url: '/apis' }, clock))).then(({ status }) => {
    code = status;
  });
  return { clock, done, code: () => code };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

it('discovery waits until new kinds are served', async () => {
  let settle = () => {};
  const { done, code } = discover(() => new Promise((resolve) => (settle = resolve)));
  await turns();
  expect(code()).toBeUndefined();
  settle();
  await done;
  expect(code()).toBe(200);
});

it('discovery waits for at most two seconds, because the removal of a kind may take longer', async () => {
  const { clock, done, code } = discover(() => new Promise(() => {}));
  await turns();
  clock.advance(1_999);
  await turns();
  expect(code()).toBeUndefined();
  clock.advance(1);
  await done;
  expect(code()).toBe(200);
});

it('discovery fails if the store cannot confirm which kinds exist', async () => {
  const { done } = discover(() => Promise.reject(new Error('the store does not answer')));
  await expect(done).rejects.toThrow('the store does not answer');
});
