import { describe, expect, it } from 'vitest';
import { WakeScheduler } from './wake-scheduler.ts';

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));
const currentOperation = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe('WakeScheduler', () => {
  it('runs nothing synchronously, then all tasks in order, a few per tick of the event loop', async () => {
    const scheduler = new WakeScheduler(2);
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) scheduler.add(() => ran.push(name));
    expect(ran).toEqual([]);
    await currentOperation();
    expect(ran).toEqual(['a', 'b']);
    await nextTick();
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
    await nextTick();
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('runs no more than the limit per tick, even if tasks are added later in the tick', async () => {
    const scheduler = new WakeScheduler(2);
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c']) scheduler.add(() => ran.push(name));
    await currentOperation();
    scheduler.add(() => ran.push('d'));
    await currentOperation();
    expect(ran).toEqual(['a', 'b']);
    await nextTick();
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
    scheduler.add(() => ran.push('e'));
    await currentOperation();
    expect(ran).toHaveLength(4);
    await nextTick();
    expect(ran.at(-1)).toBe('e');
    await nextTick();
    scheduler.add(() => ran.push('f'));
    await currentOperation();
    expect(ran.at(-1)).toBe('f');
  });

  it('runs a task that is added again after all others', async () => {
    const scheduler = new WakeScheduler(2);
    const ran: string[] = [];
    const again = () => {
      ran.push('again');
      if (ran.length < 3) scheduler.add(again);
    };
    scheduler.add(again);
    for (const name of ['a', 'b']) scheduler.add(() => ran.push(name));
    for (let tick = 0; tick < 3; tick++) await nextTick();
    expect(ran).toEqual(['again', 'a', 'b', 'again']);
    scheduler.add(() => ran.push('later'));
    await nextTick();
    expect(ran.at(-1)).toBe('later');
  });
});
