import { describe, expect, it } from 'vitest';
import type { LogChunk } from './log-buffer.ts';
import { chunkView } from './log-search.ts';

const time = '2026-01-01T00:00:00Z';
const chunk = (...texts: string[]): LogChunk => ({ id: 0, lines: texts.map((text) => ({ time, text })) });
const none = { query: '', onlyMatching: false, timestamps: false };

function shown(...args: Parameters<typeof chunkView>): string {
  return chunkView(...args)
    .parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join('');
}

describe('a search in a log', () => {
  it('marks all matches without regard to case, and counts lines', () => {
    const lines = chunk('Error: an error', 'fine', 'no ERROR');
    expect(shown(lines, { ...none, query: 'error' })).toBe('[Error]: an [error]\nfine\nno [ERROR]\n');
    expect(chunkView(lines, { ...none, query: 'error' }).matches).toBe(2);
    expect(shown(lines, { ...none, query: 'error', onlyMatching: true })).toBe('[Error]: an [error]\nno [ERROR]\n');
    expect(shown(lines, { ...none, onlyMatching: true })).toBe('Error: an error\nfine\nno ERROR\n');
  });

  it('shows the times, but does not search in them', () => {
    expect(shown(chunk('a 2026'), { query: '2026', onlyMatching: false, timestamps: true })).toBe(`${time} a [2026]\n`);
  });

  it('takes the text literally', () => {
    expect(shown(chunk('a.b a*b'), { ...none, query: 'a.b' })).toBe('[a.b] a*b\n');
  });

  it('finds lines whose lower case is longer', () => {
    const view = chunkView(chunk('İstanbul error'), { ...none, query: 'error' });
    expect(view.matches).toBe(1);
    expect(view.parts).toEqual([{ text: 'İstanbul error\n', isMatch: false }]);
  });

  it('marks a limited number of matches, and counts all lines', () => {
    const view = chunkView(chunk(...Array.from({ length: 200 }, () => 'e'.repeat(100))), { ...none, query: 'e' });
    expect(view.parts.filter(({ isMatch }) => isMatch)).toHaveLength(500);
    expect(view.matches).toBe(200);
  });
});
