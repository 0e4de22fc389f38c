import { expect, it } from 'vitest';
import { Turns } from './turns.mjs';

it('two sides alternate, and one continues alone when the other is done', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const side = async (name: string, operations: number) => {
    await turns.begin();
    for (let n = 1; n <= operations; n++) {
      order.push(`${name}${n}`);
      await Promise.resolve();
      if (!turns.isAwaited) continue;
      turns.end();
      await turns.begin();
    }
    turns.end();
  };
  await Promise.all([side('ours', 4), side('theirs', 2)]);
  expect(order).toEqual(['ours1', 'theirs1', 'ours2', 'theirs2', 'ours3', 'ours4']);
  await turns.begin();
  expect(turns.isAwaited).toBe(false);
});
