import { expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { FixedDelayQueue } from './fixed-delay-queue.ts';

/** A clock that counts the timers that were ever requested. */
class CountingClock extends ManualClock {
  timers = 0;

  override after(milliseconds: number, callback: () => void): () => void {
    this.timers++;
    return super.after(milliseconds, callback);
  }
}

it('callbacks are called after the same delay, in the order of registration', () => {
  const clock = new ManualClock();
  const delay = new FixedDelayQueue(clock, 100);
  const called: string[] = [];
  delay.after(() => called.push('first'));
  clock.advance(30);
  delay.after(() => called.push('second'));
  clock.advance(69);
  expect(called).toEqual([]);
  clock.advance(1);
  expect(called).toEqual(['first']);
  clock.advance(29);
  expect(called).toEqual(['first']);
  clock.advance(1);
  expect(called).toEqual(['first', 'second']);
});

it('canceled callbacks are not called, and later ones are called on time', () => {
  const clock = new ManualClock();
  const delay = new FixedDelayQueue(clock, 100);
  const called: string[] = [];
  const leave = delay.after(() => called.push('left'));
  clock.advance(40);
  delay.after(() => called.push('stayed'));
  leave();
  clock.advance(99);
  expect(called).toEqual([]);
  clock.advance(1);
  expect(called).toEqual(['stayed']);
  leave();
  clock.advance(1000);
  expect(called).toEqual(['stayed']);
});

it('a thousand callbacks share one timer, and none is left after an idle delay', () => {
  const clock = new CountingClock();
  const delay = new FixedDelayQueue(clock, 100);
  for (let count = 0; count < 1000; count++) delay.after(() => {})();
  expect(clock.timers).toBe(1);
  clock.advance(1000);
  expect(clock.timers).toBe(1);
  let isCalled = false;
  delay.after(() => {
    isCalled = true;
  });
  expect(clock.timers).toBe(2);
  clock.advance(100);
  expect(isCalled).toBe(true);
});

it('a callback can register another one', () => {
  const clock = new ManualClock();
  const delay = new FixedDelayQueue(clock, 100);
  const called: number[] = [];
  const again = () => {
    called.push(clock.elapsed());
    delay.after(again);
  };
  delay.after(again);
  clock.advance(100);
  clock.advance(100);
  expect(called).toEqual([100, 200]);
});
