import { expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

it('runs one lane in order, other lanes beside it, and goes on after a failure', async () => {
  const lanes = new Lanes();
  const log: string[] = [];
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = lanes.run('a', async () => {
    await gate;
    log.push('a1');
    throw new Error('failed');
  });
  const second = lanes.run('a', async () => log.push('a2'));
  await lanes.run('b', async () => log.push('b'));
  expect(log).toEqual(['b']);
  open();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(log).toEqual(['b', 'a1', 'a2']);
  expect(lanes.size).toBe(0);
});
