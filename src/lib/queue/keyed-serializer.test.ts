import { expect, it } from 'vitest';
import { KeyedSerializer } from './keyed-serializer.ts';

it('tasks with the same name run in order, even after a failure; others run concurrently', async () => {
  const lanes = new KeyedSerializer();
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
