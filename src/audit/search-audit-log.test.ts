import { appendFile, mkdir, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit/audit-event.ts';
import type { AuditQuery } from '../api/audit/audit-query.ts';
import { auditEvent, auditTimestampAt } from './audit-event.fixture.ts';
import { openAuditLog } from './open-audit-log.ts';
import { type AuditSearchOptions, type AuditSearchResult, searchAuditLog } from './search-audit-log.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(directory, 'audit.log');
});
afterEach(() => rm(directory, { recursive: true }));

const text = (events: readonly AuditEvent[]) => events.map((each) => `${JSON.stringify(each)}\n`).join('');
const numbered = (from: number, to: number, changes: Partial<AuditEvent> = {}) =>
  Array.from({ length: to - from }, (_, index) =>
    auditEvent({ ...changes, auditID: `${from + index}`, stageTimestamp: auditTimestampAt(from + index) }),
  );

const options: AuditSearchOptions = { signal: new AbortController().signal, yieldToEventLoop: async () => {} };

async function search(query: AuditQuery = {}, changes: Partial<AuditSearchOptions> = {}): Promise<AuditSearchResult> {
  return await searchAuditLog({ path, keptFiles: 5 }, query, { ...options, ...changes });
}

const ids = ({ lines }: AuditSearchResult) => lines.map((line) => (JSON.parse(line) as AuditEvent).auditID);

/** Returns the lines of all pages. */
async function searchAll(query: AuditQuery, changes: Partial<AuditSearchOptions> = {}): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined, pages = 0; ; pages++) {
    const page = await search({ ...query, ...(next === undefined ? {} : { continue: next }) }, changes);
    found.push(...ids(page));
    next = page.continue;
    if (next === undefined) return found;
    if (pages > 1_000) throw new Error('it never ends');
  }
}

const down = (from: number, to: number) => Array.from({ length: from - to }, (_, index) => `${from - 1 - index}`);

describe('searchAuditLog', () => {
  it('returns log lines unchanged, newest first, across rotated files', async () => {
    await writeFile(`${path}.2`, text(numbered(0, 2)));
    await writeFile(`${path}.1`, text(numbered(2, 4)));
    await writeFile(path, text(numbered(4, 6)));
    const found = await search();
    expect(ids(found)).toEqual(down(6, 0));
    expect(found.lines[0]).toBe(JSON.stringify(numbered(5, 6)[0]));
    expect(found.continue).toBeUndefined();
    expect(found.oldestSearchedTime).toBe(Date.parse(auditTimestampAt(0)));
  });

  it('returns nothing without a log, and ignores a partially written line', async () => {
    expect(await search()).toEqual({ lines: [], positions: [] });
    await writeFile(path, `${text(numbered(0, 2))}{"level":"Meta`);
    expect(ids(await search())).toEqual(['1', '0']);
    await writeFile(`${path}.1`, `{"torn":\n${text(numbered(0, 1))}`);
    expect(ids(await search())).toEqual(['1', '0', '0']);
  });

  it('continues where the previous page ended, and only if there is more', async () => {
    await writeFile(`${path}.1`, text(numbered(0, 3)));
    await writeFile(path, text(numbered(3, 6)));
    const first = await search({ limit: 3 });
    expect(ids(first)).toEqual(['5', '4', '3']);
    const second = await search({ limit: 3, continue: first.continue ?? '' });
    expect(ids(second)).toEqual(['2', '1', '0']);
    expect(second.continue).toBeUndefined();
  });

  it('returns a position for each line, at which a search finds that line first', async () => {
    await writeFile(`${path}.1`, text([...numbered(0, 3), ...numbered(100, 110, { verb: 'list' })]));
    await writeFile(path, text([...numbered(3, 6), ...numbered(110, 120, { verb: 'list' })]));
    const found = await search({ verb: 'create' });
    expect(ids(found)).toEqual(down(6, 0));
    await appendFile(path, text(numbered(6, 8)));
    for (const [index, position] of found.positions.entries()) {
      expect(ids(await search({ verb: 'create', continue: position }))).toEqual(down(6 - index, 0));
    }
    expect(found.positions).toHaveLength(6);
  });

  it('continues at the same position after writes and rotations', async () => {
    await writeFile(`${path}.1`, text(numbered(0, 3)));
    await writeFile(path, text(numbered(3, 6)));
    const first = await search({ limit: 2 });
    await appendFile(path, text(numbered(6, 8)));
    await rename(`${path}.1`, `${path}.2`);
    await rename(path, `${path}.1`);
    await writeFile(path, text(numbered(8, 10)));
    expect(ids(await search({ continue: first.continue ?? '' }))).toEqual(['3', '2', '1', '0']);
  });

  it('responds with 410 if the file of the cursor is no longer retained, and with 400 for an invalid cursor', async () => {
    await writeFile(path, text(numbered(0, 6)));
    const { continue: next = '' } = await search({ limit: 2 });
    await expect(search({ continue: 'nonsense' })).rejects.toMatchObject({ code: 400 });
    await truncate(path, 1);
    await expect(search({ continue: next })).rejects.toMatchObject({ code: 410 });
    await rename(path, join(directory, 'elsewhere'));
    await expect(search({ continue: next })).rejects.toMatchObject({ code: 410 });
  });

  it('searches a limited part of the log per request, and continues even if nothing matched', async () => {
    await writeFile(path, text([...numbered(0, 1, { verb: 'delete' }), ...numbered(1, 200)]));
    const bounds = { maxBytes: 1_000, chunkBytes: 500 };
    const first = await search({ verb: 'delete' }, bounds);
    expect(first.lines).toEqual([]);
    expect(first.continue).toBeDefined();
    expect(first.oldestSearchedTime).toBeGreaterThan(Date.parse(auditTimestampAt(190)));
    expect(await searchAll({ verb: 'delete' }, bounds)).toEqual(['0']);
  });

  it('limits the size of a response', async () => {
    const long = numbered(0, 10, { userAgent: 'x'.repeat(200) });
    await writeFile(path, text(long));
    const found = await search({}, { maxResultLength: 1_000 });
    expect(found.lines.length).toBeLessThan(5);
    expect(await searchAll({}, { maxResultLength: 1_000 })).toEqual(down(10, 0));
  });

  it('stops at since, except for lines of agents, which arrive late', async () => {
    const late = numbered(0, 1, { agent: { cluster: 'edge', log: 'l', line: 1 } });
    await writeFile(path, text([...numbered(0, 1_000), ...late, ...numbered(1_000, 1_003)]));
    let turns = 0;
    const counted = { chunkBytes: 400, yieldToEventLoop: async () => void turns++ };
    const found = await search({ since: auditTimestampAt(1_001) }, counted);
    expect(ids(found)).toEqual(['1002', '1001']);
    expect(found.continue).toBeUndefined();
    expect(found.oldestSearchedTime).toBeGreaterThan(Date.parse(auditTimestampAt(600)));
    expect(turns).toBeGreaterThan(10);
    expect(ids(await search({ until: auditTimestampAt(0) }))).toEqual(['0', '0']);
  });

  it('stops if its request is aborted', async () => {
    await writeFile(path, text(numbered(0, 2)));
    const ended = AbortSignal.abort(new Error('gone'));
    await expect(search({}, { signal: ended })).rejects.toThrow('gone');
  });

  it('reports that a log that is not a regular file cannot be searched', async () => {
    await mkdir(path);
    await expect(search()).rejects.toMatchObject({ code: 501 });
  });

  it('finds all lines with any page size while the log is written and rotated', async () => {
    const log = await openAuditLog({ path, maxBytes: 6_000, keptFiles: 100 });
    let written = 0;
    const write = async (count: number) => {
      for (const event of numbered(written, written + count)) await log.write(event);
      written += count;
    };
    await write(60);
    const sizes = fc.record({
      limit: fc.integer({ min: 1, max: 30 }),
      mostBytes: fc.integer({ min: 1, max: 9_000 }),
      pieceBytes: fc.integer({ min: 600, max: 5_000 }),
      more: fc.integer({ min: 0, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ limit, mostBytes, pieceBytes, more }) => {
        const from = written;
        const place = { path, keptFiles: 100 };
        const found: string[] = [];
        for (let next: string | undefined, pages = 0; pages < 2_000; pages++) {
          const query = { limit, ...(next === undefined ? {} : { continue: next }) };
          const page = await searchAuditLog(place, query, { ...options, maxBytes: mostBytes, chunkBytes: pieceBytes });
          found.push(...ids(page));
          next = page.continue;
          if (next === undefined) break;
          if (pages < 3) await write(more);
        }
        expect(found).toEqual(down(from, 0));
      }),
      { numRuns: 25 },
    );
    await log.close();
  });
});
