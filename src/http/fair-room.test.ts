import { expect, it } from 'vitest';
import { FairRoom } from './fair-room.ts';

it('the source with the most entries loses its oldest one', () => {
  const room = new FairRoom();
  const gone: string[] = [];
  const enter = (source: string, name: string) => room.enter(source, () => gone.push(name));
  enter('one', 'one-1');
  enter('many', 'many-1');
  enter('many', 'many-2');
  const leave = enter('many', 'many-3');
  expect(room.sendOneAway()).toBe(true);
  leave();
  leave();
  expect(room.size).toBe(2);
  enter('one', 'one-2');
  room.sendOneAway();
  expect(gone).toEqual(['many-1', 'one-1']);
  room.sendOneAway();
  room.sendOneAway();
  expect(gone.slice(2).sort()).toEqual(['many-2', 'one-2']);
  expect(room.sendOneAway()).toBe(false);
  expect(room.size).toBe(0);
});
