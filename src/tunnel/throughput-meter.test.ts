import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { socketPair } from './socket-pair.fixture.ts';
import { ThroughputMeter } from './throughput-meter.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

it('the meter measures the larger direction of transfers, and keeps the highest throughput', async () => {
  const clock = new ManualClock();
  const [near, far] = await socketPair();
  closing.push(
    () => near.destroy(),
    () => far.destroy(),
  );
  far.resume();
  const meter = new ThroughputMeter(near, clock);
  const send = async (bytes: number, seconds: number) => {
    await new Promise((resolve) => near.write(Buffer.alloc(bytes), resolve));
    clock.advance(seconds * 1000);
    meter.measure();
  };
  await send(1_000, 10);
  expect(meter.peak).toBeUndefined();
  await send(5_000_000, 10);
  expect(meter.peak).toBe(500_000);
  await send(1_000_000, 10);
  expect(meter.peak).toBe(500_000);
  await send(8_000_000, 10);
  expect(meter.peak).toBe(800_000);
});

it('the meter measures nothing on a connection that does not count its bytes', () => {
  const meter = new ThroughputMeter(new PassThrough(), new ManualClock());
  meter.measure();
  expect(meter.peak).toBeUndefined();
});
