import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import { auditEvent, auditTimestampAt } from './audit-event.fixture.ts';
import { mergeSearches } from './merge-searches.ts';
import type { AuditSearchResult } from './search-audit-log.ts';

const noLimits = { lines: 1_000, characters: 1_000_000 };
const lineOf = (id: string, second: number, changes: Partial<AuditEvent> = {}) =>
  JSON.stringify(auditEvent({ ...changes, auditID: id, stageTimestamp: auditTimestampAt(second) }));
const idOf = (line: string) => (JSON.parse(line) as AuditEvent).auditID;
const timeOf = (second: number) => Date.parse(auditTimestampAt(second));

interface LogLine {
  readonly line: string;
  readonly second: number;
  readonly isMatch: boolean;
}

/** Searches part of a log, as a replica does. Stops after `lines` matching lines or after `scanned` lines in total. */
function searchLog(log: readonly LogLine[], from: number, lines: number, scanned: number): AuditSearchResult {
  const found: string[] = [];
  const positions: string[] = [];
  let position = from;
  let at = from;
  while (at < log.length && found.length < lines && at - from < scanned) {
    const entry = log[at];
    at += 1;
    if (entry?.isMatch !== true) continue;
    found.push(entry.line);
    positions.push(`${position}`);
    position = at;
  }
  const oldest = log[at - 1];
  return {
    lines: found,
    positions,
    continue: at < log.length ? `${at}` : undefined,
    oldestSearchedTime: at === from || oldest === undefined ? undefined : timeOf(oldest.second),
  };
}

const logs = fc.array(
  fc
    .array(fc.record({ second: fc.nat(300), isMatch: fc.boolean() }), { maxLength: 40 })
    .map((entries) => entries.sort((a, b) => b.second - a.second)),
  { minLength: 1, maxLength: 4 },
);

describe('mergeSearches', () => {
  it('returns each matching line of all replicas once, newest first, over any number of pages', () => {
    const sizes = fc.record({ limit: fc.integer({ min: 1, max: 10 }), scanned: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(logs, sizes, (drawn, { limit, scanned }) => {
        const all = drawn.map((entries, replica) =>
          entries.map((entry, index): LogLine => ({ ...entry, line: lineOf(`${replica}-${index}`, entry.second) })),
        );
        let next = new Map<string, string | undefined>(all.map((_, replica) => [`${replica}`, '0']));
        const lines: string[] = [];
        for (let pages = 0; next.size > 0; pages++) {
          const found = new Map(
            [...next].map(([replica, from]) => [
              replica,
              searchLog(all[Number(replica)] ?? [], Number(from), limit, scanned),
            ]),
          );
          const merged = mergeSearches(found, { lines: limit, characters: 100_000 });
          expect(merged.lines.length).toBeLessThanOrEqual(limit);
          lines.push(...merged.lines);
          next = new Map([...merged.next].filter(([, position]) => position !== undefined));
          expect(pages).toBeLessThan(500);
        }
        const wanted = all.flat().filter(({ isMatch }) => isMatch);
        expect(lines.map(idOf).sort()).toEqual(wanted.map(({ line }) => idOf(line)).sort());
        const times = lines.map((line) => (JSON.parse(line) as AuditEvent).stageTimestamp);
        expect(times).toEqual([...times].sort().reverse());
      }),
    );
  });

  const whole = (lines: readonly string[]): AuditSearchResult => ({
    lines,
    positions: lines.map((_, index) => `${index}`),
    continue: undefined,
    oldestSearchedTime: timeOf(0),
  });

  it('leaves out lines that are older than the unsearched part of another log', () => {
    const a = whole([lineOf('a9', 9), lineOf('a1', 1)]);
    const b = { lines: [], positions: [], continue: 'more', oldestSearchedTime: timeOf(5) };
    const merged = mergeSearches(new Map(Object.entries({ a, b })), noLimits);
    expect(merged.lines.map(idOf)).toEqual(['a9']);
    expect([...merged.next]).toEqual([
      ['a', '1'],
      ['b', 'more'],
    ]);
    expect(merged.oldestSearchedTime).toBe(timeOf(5));
  });

  it('keeps lines of agents where they arrived, and returns them once', () => {
    const late = (id: string) => lineOf(id, 0, { agent: { cluster: 'edge', log: 'l', line: 7 } });
    const a = whole([lineOf('a9', 9), late('first'), lineOf('a8', 8)]);
    const b = whole([late('second'), lineOf('b7', 7)]);
    const merged = mergeSearches(new Map(Object.entries({ a, b })), noLimits);
    expect(merged.lines.map(idOf)).toEqual(['a9', 'first', 'a8', 'b7']);
    expect([...merged.next.values()]).toEqual([undefined, undefined]);
    expect(merged.oldestSearchedTime).toBe(timeOf(0));
  });

  it('limits the number of characters', () => {
    const a = whole(Array.from({ length: 10 }, (_, index) => lineOf(`a${9 - index}`, 9 - index)));
    const merged = mergeSearches(new Map([['a', a]]), { lines: 100, characters: 400 });
    expect(merged.lines.length).toBeLessThan(5);
    expect(merged.next.get('a')).toBe(`${merged.lines.length}`);
  });
});
