import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyOrder } from './key-order.ts';

/** Starts tasks that end when they are released, and records which of them run. */
class Tasks {
  readonly order = new KeyOrder();
  readonly running = new Set<string>();
  readonly #releases = new Map<string, () => void>();
  readonly #ends = new Map<string, Promise<unknown>>();

  start(name: string, used: { read?: string[]; written?: string[] }): void {
    const task = () =>
      new Promise<void>((resolve) => {
        this.running.add(name);
        this.#releases.set(name, resolve);
      });
    this.#ends.set(name, this.order.run({ read: used.read ?? [], written: used.written ?? [] }, task));
  }

  async end(name: string): Promise<void> {
    this.#releases.get(name)?.();
    this.running.delete(name);
    await this.#ends.get(name);
    await settle();
  }
}

async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

describe('KeyOrder', () => {
  it('runs writers of a key in order, and tasks with other keys concurrently', async () => {
    const tasks = new Tasks();
    tasks.start('first', { written: ['a', 'b'] });
    tasks.start('second', { written: ['b', 'c'] });
    tasks.start('third', { written: ['c'] });
    tasks.start('other', { written: ['d'] });
    await settle();
    expect([...tasks.running]).toEqual(['first', 'other']);
    await tasks.end('first');
    expect([...tasks.running]).toEqual(['other', 'second']);
    await tasks.end('second');
    expect([...tasks.running]).toEqual(['other', 'third']);
    await tasks.end('third');
    await tasks.end('other');
    expect(tasks.order.size).toBe(0);
  });

  it('runs readers of a key concurrently, after earlier and before later writers', async () => {
    const tasks = new Tasks();
    tasks.start('write 1', { written: ['a'] });
    tasks.start('read 1', { read: ['a'], written: ['x'] });
    tasks.start('read 2', { read: ['a'], written: ['y'] });
    tasks.start('write 2', { read: ['a'], written: ['a'] });
    tasks.start('read 3', { read: ['a'] });
    await settle();
    expect([...tasks.running]).toEqual(['write 1']);
    await tasks.end('write 1');
    expect([...tasks.running]).toEqual(['read 1', 'read 2']);
    await tasks.end('read 2');
    expect([...tasks.running]).toEqual(['read 1']);
    await tasks.end('read 1');
    expect([...tasks.running]).toEqual(['write 2']);
    await tasks.end('write 2');
    expect([...tasks.running]).toEqual(['read 3']);
    await tasks.end('read 3');
    expect(tasks.order.size).toBe(0);
  });

  it('continues after a task that fails', async () => {
    const order = new KeyOrder();
    const failing = order.run({ read: [], written: ['a'] }, () => Promise.reject(new Error('failed')));
    const next = order.run({ read: ['a'], written: [] }, async () => 'next');
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe('next');
    expect(order.size).toBe(0);
  });

  it('executes all tasks, and conflicting ones in order, whatever keys they use', async () => {
    const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ read: keys, written: keys }), { maxLength: 20 }), async (tasks) => {
        const order = new KeyOrder();
        const log: number[] = [];
        await Promise.all(
          tasks.map((used, index) =>
            order.run(used, async () => {
              for (let tick = 0; tick < (index * 7) % 4; tick++) await Promise.resolve();
              log.push(index);
            }),
          ),
        );
        expect(log).toHaveLength(tasks.length);
        for (const [later, b] of tasks.entries()) {
          for (const [earlier, a] of tasks.slice(0, later).entries()) {
            const conflicts =
              a.written.some((key) => b.written.includes(key) || b.read.includes(key)) ||
              a.read.some((key) => b.written.includes(key));
            if (conflicts) expect(log.indexOf(earlier)).toBeLessThan(log.indexOf(later));
          }
        }
        expect(order.size).toBe(0);
      }),
    );
  });
});
