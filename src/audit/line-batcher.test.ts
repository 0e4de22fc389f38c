import { describe, expect, it } from 'vitest';
import { LineBatcher } from './line-batcher.ts';

/** Records each write call and each settled promise, in order. */
function recordBatches(write: (text: string) => Promise<void> | undefined = () => undefined) {
  const events: string[] = [];
  const counts: number[] = [];
  const lines = new LineBatcher({
    write(bytes, count) {
      events.push(`wrote ${bytes.toString().replaceAll('\n', ';')}`);
      counts.push(count);
      return write(bytes.toString());
    },
  });
  const add = (name: string, policy: 'microtask' | 'tick') =>
    lines.add(`${name}\n`, policy).then(
      () => void events.push(`resolved ${name}`),
      (error: unknown) => void events.push(`rejected ${name}: ${String(error)}`),
    );
  return { lines, add, events, counts };
}

const endOfTick = () => new Promise((resolve) => setImmediate(resolve));

describe('batched lines', () => {
  it('with the microtask policy are written by one call, and no promise resolves before it', async () => {
    const { add, events, counts } = recordBatches();
    await Promise.all([add('a', 'microtask'), add('b', 'microtask'), add('ü', 'microtask')]);
    expect(events).toEqual(['wrote a;b;ü;', 'resolved a', 'resolved b', 'resolved ü']);
    expect(counts).toEqual([3]);
  });

  it('with the microtask policy do not wait for the end of the tick', async () => {
    const { add, events } = recordBatches();
    let isOver = false;
    const end = endOfTick().then(() => {
      isOver = true;
    });
    await add('a', 'microtask');
    expect([events, isOver]).toEqual([['wrote a;', 'resolved a'], false]);
    await end;
  });

  it('with the tick policy wait for lines of other callbacks in that tick, and are written once', async () => {
    const { add, events } = recordBatches();
    const first = add('a', 'tick');
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(events).toEqual([]);
    await Promise.all([first, add('b', 'tick')]);
    expect(events).toEqual(['wrote a;b;', 'resolved a', 'resolved b']);
    await endOfTick();
    expect(events).toHaveLength(3);
  });

  it('of both policies are written together, in the order of arrival', async () => {
    const { add, events } = recordBatches();
    const first = add('a', 'tick');
    await add('b', 'microtask');
    const third = add('c', 'tick');
    await Promise.all([first, third]);
    expect(events).toEqual(['wrote a;b;', 'resolved a', 'resolved b', 'wrote c;', 'resolved c']);
  });

  it('are all rejected if the call fails, synchronously or later, and later lines are not', async () => {
    for (const fail of [
      () => Promise.reject(new Error('full')),
      () => {
        throw new Error('full');
      },
    ]) {
      let isFull = true;
      const { add, events } = recordBatches(() => (isFull ? fail() : undefined));
      await Promise.all([add('a', 'tick'), add('b', 'microtask')]);
      isFull = false;
      await add('c', 'microtask');
      expect(events).toEqual([
        'wrote a;b;',
        'rejected a: Error: full',
        'rejected b: Error: full',
        'wrote c;',
        'resolved c',
      ]);
    }
  });

  it('wait for an asynchronous write', async () => {
    let done = (): void => {};
    const { add, events } = recordBatches(
      () =>
        new Promise((resolve) => {
          done = resolve;
        }),
    );
    const told = add('a', 'microtask');
    await endOfTick();
    expect(events).toEqual(['wrote a;']);
    done();
    await told;
    expect(events).toEqual(['wrote a;', 'resolved a']);
  });

  it('are written before they exceed the buffer, and a line longer than the buffer is written alone', async () => {
    const { add, events, counts } = recordBatches();
    const long = '€'.repeat(10_000);
    const longest = 'x'.repeat(100_000);
    await Promise.all([
      add('a', 'tick'),
      add(long, 'tick'),
      add(long, 'tick'),
      add(long, 'tick'),
      add(longest, 'microtask'),
      add('b', 'microtask'),
    ]);
    const written = events.filter((each) => each.startsWith('wrote')).map((each) => each.length - 'wrote '.length);
    expect(written).toEqual([2 + 2 * 10_001, 10_001, 100_001, 2]);
    expect(counts).toEqual([3, 1, 1, 1]);
  });

  it('are written once by an explicit flush', async () => {
    const { lines, add, events } = recordBatches();
    const told = Promise.all([add('a', 'tick'), add('b', 'microtask')]);
    lines.flush();
    expect(events).toEqual(['wrote a;b;']);
    lines.flush();
    await told;
    await endOfTick();
    expect(events).toEqual(['wrote a;b;', 'resolved a', 'resolved b']);
  });
});
