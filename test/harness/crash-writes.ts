import type { Write } from '../../src/store/store.ts';

export const crashSlice = 'crash';
export const crashWriters = 8;

/**
 * What a writer sends as its nth transaction. The parent can tell from it alone what may be found after a kill: two
 * objects that always change together and a quiet row beside them; every fifth time the first object is removed.
 */
export function crashWrites(round: number, writer: number, count: number): Write[] {
  const value = `${round} ${writer} ${count}`;
  const at = (name: string) => ({ slice: crashSlice, segments: [name, `${writer}`, `${count % 3}`] });
  return [
    { key: at('first'), value: count % 5 === 4 ? undefined : value },
    { key: at('second'), value },
    { key: at('index'), value, quiet: true },
  ];
}
