import { expect, it } from 'vitest';
import { FairEvictionPool } from './fair-eviction-pool.ts';

it('the source with the most entries loses its oldest one', () => {
  const room = new FairEvictionPool();
  const gone: string[] = [];
  const enter = (source: string, name: string) => room.add(source, () => gone.push(name));
  enter('one', 'one-1');
  enter('many', 'many-1');
  enter('many', 'many-2');
  const leave = enter('many', 'many-3');
  expect(room.evictOne()).toBe(true);
  leave();
  leave();
  expect(room.size).toBe(2);
  enter('one', 'one-2');
  room.evictOne();
  expect(gone).toEqual(['many-1', 'one-1']);
  room.evictOne();
  room.evictOne();
  expect(gone.slice(2).sort()).toEqual(['many-2', 'one-2']);
  expect(room.evictOne()).toBe(false);
  expect(room.size).toBe(0);
});
