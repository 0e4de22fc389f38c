import type { Write } from '../../../src/store/store.ts';

export const crashSlice = 'crash';
export const crashWriters = 8;

/**
 * Returns the nth transaction of a writer. The result depends only on the arguments, so the parent process can compute
 * what the store may contain after a kill. A transaction writes two objects and an unlogged row; every fifth one
 * deletes the first object.
 */
export function crashWrites(round: number, writer: number, count: number): Write[] {
  const value = `${round} ${writer} ${count}`;
  const at = (name: string) => ({ slice: crashSlice, segments: [name, `${writer}`, `${count % 3}`] });
  return [
    { key: at('first'), value: count % 5 === 4 ? undefined : value },
    { key: at('second'), value },
    { key: at('index'), value, unlogged: true },
  ];
}
