import { expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { wait } from '../../../lib/wait.ts';
import { runHeartbeat } from './heartbeat.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('the heartbeat detects a host that accepts requests without responding, and its recovery', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const states: string[] = [];
  let hangs = true;
  const beat = runHeartbeat({
    probe: () => (hangs ? new Promise(() => {}) : Promise.resolve()),
    clock,
    signal: stop.signal,
    delay: (milliseconds, signal) => wait(clock, milliseconds, signal),
    onResult: (failure) => states.push(failure instanceof Error ? failure.message : 'answers'),
  });
  const advance = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await turn();
  };
  await advance(20_000);
  expect(states).toEqual([]);
  await advance(10_000);
  expect(states).toEqual(['the cluster did not respond within 10 seconds']);
  hangs = false;
  await advance(5_000);
  expect(states.at(-1)).toBe('answers');
  stop.abort();
  await beat;
  await advance(100_000);
  expect(states).toHaveLength(2);
});
