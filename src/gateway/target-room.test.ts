import { describe, expect, it } from 'vitest';
import { TargetRooms } from './target-room.ts';

describe('the room for those who wait for a cluster', () => {
  it('is for so many, of whom one caller is half, and for each cluster its own (completions §10)', () => {
    const rooms = new TargetRooms();
    const fill = (target: string, share: string) => {
      const leaves: (() => void)[] = [];
      for (;;) {
        try {
          leaves.push(rooms.of(target).enter(share));
        } catch (error) {
          expect(error).toMatchObject({ code: 429 });
          return leaves;
        }
      }
    };
    const anna = fill('far', 'anna');
    expect(anna.length).toBe(200);
    expect(fill('far', 'bob').length).toBe(200);
    expect(fill('far', 'carl').length).toBe(0);
    expect(fill('near', 'carl').length).toBe(200);
    anna[0]?.();
    anna[0]?.();
    expect(fill('far', 'carl').length).toBe(1);
    expect(fill('far', 'anna').length).toBe(0);
  });

  it('is forgotten when nobody waits any more', () => {
    const rooms = new TargetRooms();
    const busy = rooms.of('busy');
    busy.enter('anna');
    const idle = rooms.of('idle');
    idle.enter('anna')();
    rooms.of('another');
    expect(rooms.of('busy')).toBe(busy);
    expect(rooms.of('idle')).not.toBe(idle);
  });
});
