import { describe, expect, it } from 'vitest';
import { haveHadTurns, Turns, turnsHad } from './turns.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const whatGoesOn = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe('Turns', () => {
  it('runs nothing synchronously, then all tasks in order, a few per tick of the event loop', async () => {
    const turns = new Turns(2);
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) turns.add(() => ran.push(name));
    expect(ran).toEqual([]);
    await whatGoesOn();
    expect(ran).toEqual(['a', 'b']);
    await nextTurn();
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
    await nextTurn();
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('runs no more than the limit per tick, even if tasks are added later in the tick', async () => {
    const turns = new Turns(2);
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c']) turns.add(() => ran.push(name));
    await whatGoesOn();
    turns.add(() => ran.push('d'));
    await whatGoesOn();
    expect(ran).toEqual(['a', 'b']);
    await nextTurn();
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
    turns.add(() => ran.push('e'));
    await whatGoesOn();
    expect(ran).toHaveLength(4);
    await nextTurn();
    expect(ran.at(-1)).toBe('e');
    await nextTurn();
    turns.add(() => ran.push('f'));
    await whatGoesOn();
    expect(ran.at(-1)).toBe('f');
  });

  it('runs a task that is added again after all others', async () => {
    const turns = new Turns(2);
    const ran: string[] = [];
    const again = () => {
      ran.push('again');
      if (ran.length < 3) turns.add(again);
    };
    turns.add(again);
    for (const name of ['a', 'b']) turns.add(() => ran.push(name));
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(ran).toEqual(['again', 'a', 'b', 'again']);
    turns.add(() => ran.push('later'));
    await nextTurn();
    expect(ran.at(-1)).toBe('later');
  });

  it('reports until the end of a tick that tasks have run in it', async () => {
    const [one, other] = [new Turns(2), new Turns(2)];
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    expect(haveHadTurns()).toBe(false);
    for (const turns of [one, other, other, other]) turns.add(() => {});
    expect(haveHadTurns()).toBe(false);
    await whatGoesOn();
    expect(haveHadTurns()).toBe(true);
    await nextTurn();
    expect(haveHadTurns()).toBe(true);
    await nextTurn();
    expect(haveHadTurns()).toBe(false);
  });

  it('counts the tasks of all schedulers', async () => {
    const [one, other] = [new Turns(2), new Turns(2)];
    const before = turnsHad();
    for (const turns of [one, one, one, other]) turns.add(() => {});
    expect(turnsHad() - before).toBe(0);
    await whatGoesOn();
    expect(turnsHad() - before).toBe(3);
    await nextTurn();
    expect(turnsHad() - before).toBe(4);
  });
});
