import { describe, expect, it } from 'vitest';
import { GatheredLines } from './gathered-lines.ts';

/** What was written, call by call, and who was told, in the order in which it happened. */
function gathering(write: (text: string) => Promise<void> | undefined = () => undefined) {
  const happened: string[] = [];
  const counts: number[] = [];
  const lines = new GatheredLines({
    write(bytes, count) {
      happened.push(`wrote ${bytes.toString().replaceAll('\n', ';')}`);
      counts.push(count);
      return write(bytes.toString());
    },
  });
  const add = (name: string, patience: 'moment' | 'turn') =>
    lines.add(`${name}\n`, patience).then(
      () => void happened.push(`told ${name}`),
      (error: unknown) => void happened.push(`refused ${name}: ${String(error)}`),
    );
  return { lines, add, happened, counts };
}

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('lines that are gathered', () => {
  it('of a moment are written by one call, and nobody is told before it', async () => {
    const { add, happened, counts } = gathering();
    await Promise.all([add('a', 'moment'), add('b', 'moment'), add('ü', 'moment')]);
    expect(happened).toEqual(['wrote a;b;ü;', 'told a', 'told b', 'told ü']);
    expect(counts).toEqual([3]);
  });

  it('of a moment do not wait for the end of the turn', async () => {
    const { add, happened } = gathering();
    let isOver = false;
    const end = endOfTurn().then(() => {
      isOver = true;
    });
    await add('a', 'moment');
    expect([happened, isOver]).toEqual([['wrote a;', 'told a'], false]);
    await end;
  });

  it('of a turn wait for those of other callbacks of that turn, and are written once', async () => {
    const { add, happened } = gathering();
    const first = add('a', 'turn');
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(happened).toEqual([]);
    await Promise.all([first, add('b', 'turn')]);
    expect(happened).toEqual(['wrote a;b;', 'told a', 'told b']);
    await endOfTurn();
    expect(happened).toHaveLength(3);
  });

  it('of a turn go with those of a moment, in the order in which they came', async () => {
    const { add, happened } = gathering();
    const first = add('a', 'turn');
    await add('b', 'moment');
    const third = add('c', 'turn');
    await Promise.all([first, third]);
    expect(happened).toEqual(['wrote a;b;', 'told a', 'told b', 'wrote c;', 'told c']);
  });

  it('are all refused where the call fails, at once or later, and those that follow are not', async () => {
    for (const fail of [
      () => Promise.reject(new Error('full')),
      () => {
        throw new Error('full');
      },
    ]) {
      let isFull = true;
      const { add, happened } = gathering(() => (isFull ? fail() : undefined));
      await Promise.all([add('a', 'turn'), add('b', 'moment')]);
      isFull = false;
      await add('c', 'moment');
      expect(happened).toEqual([
        'wrote a;b;',
        'refused a: Error: full',
        'refused b: Error: full',
        'wrote c;',
        'told c',
      ]);
    }
  });

  it('wait for a call that takes its time', async () => {
    let done = (): void => {};
    const { add, happened } = gathering(
      () =>
        new Promise((resolve) => {
          done = resolve;
        }),
    );
    const told = add('a', 'moment');
    await endOfTurn();
    expect(happened).toEqual(['wrote a;']);
    done();
    await told;
    expect(happened).toEqual(['wrote a;', 'told a']);
  });

  it('are written before they take too much room, and one that is longer than that by itself', async () => {
    const { add, happened, counts } = gathering();
    const long = '€'.repeat(10_000);
    const longest = 'x'.repeat(100_000);
    await Promise.all([
      add('a', 'turn'),
      add(long, 'turn'),
      add(long, 'turn'),
      add(long, 'turn'),
      add(longest, 'moment'),
      add('b', 'moment'),
    ]);
    const written = happened.filter((each) => each.startsWith('wrote')).map((each) => each.length - 'wrote '.length);
    expect(written).toEqual([2 + 2 * 10_001, 10_001, 100_001, 2]);
    expect(counts).toEqual([3, 1, 1, 1]);
  });

  it('are written when somebody wants them to be, once', async () => {
    const { lines, add, happened } = gathering();
    const told = Promise.all([add('a', 'turn'), add('b', 'moment')]);
    lines.flush();
    expect(happened).toEqual(['wrote a;b;']);
    lines.flush();
    await told;
    await endOfTurn();
    expect(happened).toEqual(['wrote a;b;', 'told a', 'told b']);
  });
});
