import type { Write } from '../../../src/store/store.ts';

export const crashSlice = 'crash';
export const crashWriters = 8;

/**
 * The nth transaction of a writer. The parent process derives from the arguments alone what it may find after a kill:
 * two objects that always change together and an unlogged row beside them; every fifth transaction deletes the first
 * object.
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
