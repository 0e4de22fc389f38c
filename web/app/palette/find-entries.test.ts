import { describe, expect, it } from 'vitest';
import { findEntries, type PaletteEntry, type PaletteSource, sourceOf } from './find-entries.ts';

const entry = (title: string): PaletteEntry => ({ id: title, title, about: '', icon: 'fleet', run() {} });
const source = (...texts: string[]): PaletteSource =>
  sourceOf(
    texts,
    (text) => text,
    (text) => entry(text),
  );
const titles = (sources: readonly PaletteSource[], query: string, max = 10) =>
  findEntries(sources, query, max).entries.map(({ title }) => title);

describe('the command palette', () => {
  it('finds entries with all words, in any order and case', () => {
    const sources = [source('shop payments', 'search payments', 'shop default')];
    expect(titles(sources, 'PAY shop')).toEqual(['shop payments']);
    expect(titles(sources, 'nothing')).toEqual([]);
  });

  it('lists the best matches first: the name, its start, the start of a word, any other place', () => {
    const sources = [source('sleep shop', 'workshop', 'shopping', 'shop default')];
    expect(titles(sources, 'shop')).toEqual(['shop default', 'shopping', 'sleep shop', 'workshop']);
  });

  it('offers only initial entries before the user types', () => {
    const pages = { ...source('fleet'), isInitial: true };
    expect(titles([source('shop'), pages], ' ')).toEqual(['fleet']);
  });

  it('creates at most the wanted number of entries, however many match', () => {
    let created = 0;
    const many = sourceOf(
      Array.from({ length: 10_000 }, (_, index) => `demo-${index}`),
      (text) => text,
      (text) => {
        created += 1;
        return entry(text);
      },
    );
    const { entries, total } = findEntries([many], 'demo', 12);
    expect([entries.length, total, created]).toEqual([12, 10_000, 12]);
  });
});
