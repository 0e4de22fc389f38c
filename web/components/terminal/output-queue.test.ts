import { expect, it } from 'vitest';
import { OutputQueue } from './output-queue.ts';

it('output that a terminal cannot draw in time is skipped with a notice, and later output is shown', () => {
  const written: (Uint8Array | string)[] = [];
  const drawn: (() => void)[] = [];
  const queue = new OutputQueue((data, done) => {
    written.push(data);
    drawn.push(done);
  });
  const piece = new Uint8Array(1024 * 1024);
  for (let count = 0; count < 20; count += 1) queue.push(piece);
  expect(written).toHaveLength(8);
  for (const done of drawn.splice(0)) done();
  expect(written.filter((data) => typeof data === 'string')).toEqual([expect.stringContaining('12288 kB')]);
  queue.push(piece);
  expect(written.at(-1)).toBe(piece);
  for (const done of drawn.splice(0)) done();
  expect(written).toHaveLength(10);
});
