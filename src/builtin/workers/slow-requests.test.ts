import { describe, expect, it } from 'vitest';
import type { InFlightSlot } from '../../http/exchange.ts';
import { ManualClock } from '../../lib/clock.ts';
import { SlowRequests } from './slow-requests.ts';

const { signal } = new AbortController();

function setUp() {
  const clock = new ManualClock();
  const slow = new SlowRequests(clock);
  let released = 0;
  const release = () => {
    released += 1;
  };
  const inFlightSlot = { release } as InFlightSlot;
  const begin = (plane = 'a', name = 'jane') =>
    slow.begin(plane, { inFlightSlot, identity: { user: { name, groups: [] }, system: false, signal } });
  return { clock, begin, released: () => released };
}

describe('SlowRequests', () => {
  it('releases the slot of a request that is not answered in time, and keeps those of others', () => {
    const { clock, begin, released } = setUp();
    const end = begin();
    begin();
    clock.advance(200);
    end();
    clock.advance(100);
    expect(released()).toBe(1);
  });

  it('also releases the slot that a slow request acquires after its body has arrived', () => {
    const { clock, begin, released } = setUp();
    const end = begin();
    clock.advance(250);
    expect(released()).toBe(1);
    clock.advance(250);
    expect(released()).toBe(2);
    end();
    clock.advance(1_000);
    expect(released()).toBe(2);
  });

  it('refuses requests to a plane for which too many are waiting, until some of them end', () => {
    const { clock, begin } = setUp();
    const ends = Array.from({ length: 400 }, (_, number) => begin('a', `user-${number % 4}`));
    clock.advance(250);
    expect(() => begin()).toThrow(expect.objectContaining({ code: 429 }));
    begin('b');
    ends[0]?.();
    begin();
  });

  it('refuses requests of a caller for whom too many are waiting, but not those of others', () => {
    const { clock, begin } = setUp();
    for (let number = 0; number < 200; number++) begin();
    clock.advance(250);
    expect(() => begin()).toThrow(expect.objectContaining({ code: 429 }));
    begin('a', 'john');
  });
});
