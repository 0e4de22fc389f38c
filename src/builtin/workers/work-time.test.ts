import { expect, it } from 'vitest';
import { WorkTime } from './work-time.ts';

it('the work time attributes the busy time between two reports to the plane of the first one', () => {
  let busy = 5;
  const times = new WorkTime(() => busy);
  busy = 10;
  times.switchTo('a');
  busy = 30;
  times.switchTo('b');
  times.switchTo('b');
  busy = 31;
  times.switchTo('a');
  busy = 36;
  expect([...times.take()]).toEqual([
    ['a', 25],
    ['b', 1],
  ]);
  busy = 90;
  expect([...times.take()]).toEqual([]);
});

it('the work time does not include the time in which the event loop waits', async () => {
  const times = new WorkTime();
  times.switchTo('a');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(times.take().get('a')).toBeLessThan(150);
});
