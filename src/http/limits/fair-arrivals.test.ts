import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { RequestEnd } from '../request/request-end.ts';
import { FairArrivals } from './fair-arrivals.ts';

/** A simulated event loop. Starting eight requests takes the three milliseconds of a tick. */
class Loop {
  readonly started: string[] = [];
  readonly abandoned: string[] = [];
  readonly #clock = new ManualClock();
  #deferred: (() => void)[] = [];
  readonly #arrivals = new FairArrivals({ clock: this.#clock, defer: (callback) => this.#deferred.push(callback) });

  arrive(name: string, source: string): RequestEnd {
    const end = new RequestEnd();
    this.#arrivals.add({
      source,
      end,
      begin: () => {
        this.started.push(name);
        this.#clock.advance(3 / 8);
      },
      abandon: () => this.abandoned.push(name),
    });
    return end;
  }

  tick(): void {
    for (const callback of this.#deferred.splice(0)) callback();
  }

  get isIdle(): boolean {
    return this.#deferred.length === 0;
  }
}

function arriveMany(loop: Loop, name: string, count: number): void {
  for (let number = 0; number < count; number++) loop.arrive(`${name}-${number}`, name);
}

describe('arriving requests', () => {
  it('start immediately if they are few', () => {
    const loop = new Loop();
    arriveMany(loop, 'a', 3);
    expect(loop.started).toEqual(['a-0', 'a-1', 'a-2']);
    loop.tick();
    expect(loop.isIdle).toBe(true);
  });

  it('use a limited time per tick of the event loop', () => {
    const loop = new Loop();
    arriveMany(loop, 'a', 1000);
    expect(loop.started).toHaveLength(9);
    loop.tick();
    expect(loop.started).toHaveLength(17);
    let ticks = 1;
    for (; !loop.isIdle; ticks++) loop.tick();
    expect(loop.started).toHaveLength(1000);
    expect(new Set(loop.started).size).toBe(1000);
    expect(ticks).toBeLessThanOrEqual(126);
  });

  it('of a source with many requests do not delay another source', () => {
    const loop = new Loop();
    arriveMany(loop, 'greedy', 1000);
    for (const name of ['one', 'two']) {
      loop.tick();
      const before = loop.started.length;
      arriveMany(loop, name, 1000);
      expect(loop.started.slice(before)).toEqual([`${name}-0`]);
    }
    const before = loop.started.length;
    loop.tick();
    const started = loop.started.slice(before);
    for (const name of ['greedy', 'one', 'two']) {
      expect(started.filter((each) => each.startsWith(name)).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('keep the order of their source', () => {
    const loop = new Loop();
    arriveMany(loop, 'a', 50);
    arriveMany(loop, 'b', 50);
    while (!loop.isIdle) loop.tick();
    const ofB = loop.started.filter((name) => name.startsWith('b'));
    expect(ofB).toEqual(Array.from({ length: 50 }, (_, number) => `b-${number}`));
    expect(loop.started.slice(8, 14)).toEqual(['a-8', 'b-0', 'a-9', 'b-1', 'a-10', 'b-2']);
  });

  it('leave the queue if they end before they start', () => {
    const loop = new Loop();
    arriveMany(loop, 'a', 20);
    const ends = ['b-0', 'b-1', 'b-2'].map((name) => loop.arrive(name, 'b'));
    ends[1]?.end(new Error('gone'));
    expect(loop.abandoned).toEqual(['b-1']);
    while (!loop.isIdle) loop.tick();
    for (const end of ends) end.end(new Error('done'));
    expect(loop.started.filter((name) => name.startsWith('b'))).toEqual(['b-0', 'b-2']);
    expect(loop.abandoned).toEqual(['b-1']);
  });

  it('that all end leave nothing to do', () => {
    const loop = new Loop();
    arriveMany(loop, 'a', 10);
    while (!loop.isIdle) loop.tick();
    arriveMany(loop, 'a', 9);
    for (let number = 0; number < 5; number++) loop.arrive(`a-b${number}`, 'a').end(new Error('gone'));
    expect(loop.abandoned).toHaveLength(5);
    loop.tick();
    expect(loop.isIdle).toBe(true);
  });
});
