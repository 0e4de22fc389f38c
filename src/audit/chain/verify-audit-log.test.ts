import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditCheckpoint, ChainHead } from '../../api/audit/audit-chain.ts';
import { auditEvent } from '../audit-event.fixture.ts';
import { type ChainedAuditLog, openAuditLog } from '../open-audit-log.ts';
import { makeCheckpointKey, openCheckpointKey, openCheckpointVerifier } from './checkpoint-key.ts';
import { hasLine } from './find-chain-head.ts';
import { verifyAuditLog } from './verify-audit-log.ts';

const key = openCheckpointKey(makeCheckpointKey());
const signatures = openCheckpointVerifier(key.publicKey);
const now = Date.parse('2026-01-01T00:00:00Z');
const sign = (head: ChainHead) => key.sign(head, now);

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'audit-chain-'));
  path = join(directory, 'audit.log');
});
afterEach(() => rm(directory, { recursive: true }));

async function verify(checkpoint?: AuditCheckpoint, keptFiles = 100) {
  const options = { signal: new AbortController().signal, yieldToEventLoop: async () => {}, signatures, checkpoint };
  return await verifyAuditLog({ path, keptFiles }, options);
}

const messages = async (checkpoint?: AuditCheckpoint) =>
  (await verify(checkpoint)).problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);

const open = (options: { maxBytes?: number; keptFiles?: number } = {}) =>
  openAuditLog({ path, sign, keptFiles: 100, ...options });

async function write(log: ChainedAuditLog, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await log.write(auditEvent({ auditID: `é-${index}` }));
}

/** Writes a log and returns its newest checkpoint. `options` can split the log into several files. */
async function writeLog(count: number, options: { maxBytes?: number; keptFiles?: number } = {}) {
  const log = await open(options);
  await write(log, count);
  await log.close();
  return { ...log.head, ...sign(log.head) };
}

const linesOf = async (file: string) => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
const writeLines = (file: string, lines: readonly string[]) =>
  writeFile(file, lines.map((each) => `${each}\n`).join(''));

describe('the verification of an audit log', () => {
  it('finds nothing in a log that was written, rotated and opened again', async () => {
    await writeLog(10, { maxBytes: 3_000 });
    const checkpoint = await writeLog(10, { maxBytes: 3_000 });
    const result = await verify(checkpoint);
    expect(result).toMatchObject({ problems: [], notices: [], lines: 20, signedUpTo: 20, unprotectedLines: 0 });
    expect(result.files.length).toBeGreaterThan(2);
    expect(result.files.at(-1)).toBe('audit.log');
    expect(result).toMatchObject({ first: { seq: 1 }, last: { seq: 20 } });
  });

  it('accepts that retention removed the oldest files, but not that their signature is missing', async () => {
    await writeLog(40, { maxBytes: 3_000, keptFiles: 2 });
    const { problems, first } = await verify();
    expect(problems).toEqual([]);
    expect(first?.seq).toBeGreaterThan(1);
    const oldest = `${path}.2`;
    await writeLines(oldest, (await linesOf(oldest)).slice(1));
    expect(await messages()).toEqual([
      expect.stringMatching(/^audit.log.2:1: the log starts at line \d+; the lines before it were removed$/),
      expect.stringMatching(/without a signature of the lines before it$/),
    ]);
  });

  it('finds every changed, removed, added, moved and repeated line (property)', async () => {
    const checkpoint = await writeLog(24, { maxBytes: 3_000 });
    const files = (await verify(checkpoint)).files.map((name) => join(directory, name));
    const original = await Promise.all(files.map(linesOf));
    const damage = fc.record({
      file: fc.nat(files.length - 1),
      line: fc.nat(100),
      how: fc.constantFrom('change', 'remove', 'add', 'swap', 'repeat', 'strip'),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ file, line, how }) => {
        const path = files[file] ?? '';
        const lines = [...(original[file] ?? [])];
        const at = line % lines.length;
        const text = lines[at] ?? '';
        const isOldest = file === 0 && at === 0;
        if (how === 'change') lines[at] = text.replace('"auditID":"é-', '"auditID":"e-');
        if (how === 'remove') lines.splice(at, 1);
        if (how === 'add') lines.splice(at + 1, 0, JSON.stringify(auditEvent({})));
        if (how === 'repeat') lines.splice(at, 0, text);
        if (how === 'strip') lines[at] = text.replace(/,"chain":\{.*\}$/, '}');
        if (how === 'swap') {
          const other = at === 0 ? 1 : at - 1;
          [lines[at], lines[other]] = [lines[other] ?? '', text];
        }
        await writeLines(path, lines);
        const found = await messages(checkpoint);
        await writeLines(path, original[file] ?? []);
        expect(found.length, `${how} ${path} ${at} ${isOldest}`).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
    expect(await messages(checkpoint)).toEqual([]);
  });

  it('names the file and the line', async () => {
    const checkpoint = await writeLog(5);
    const lines = await linesOf(path);
    await writeLines(path, lines.toSpliced(2, 1));
    expect(await messages(checkpoint)).toEqual(['audit.log:3: line 3 is missing before line 4 of the log']);
    await writeLines(path, lines.with(1, (lines[1] ?? '').replace('create', 'delete')));
    expect(await messages(checkpoint)).toEqual(['audit.log:2: line 2 of the log was changed: its hash does not match']);
  });

  it('finds lines that were removed at the end, by the newest checkpoint', async () => {
    const checkpoint = await writeLog(5);
    await writeLines(path, (await linesOf(path)).slice(0, 3));
    expect(await messages()).toEqual([]);
    expect(await messages(checkpoint)).toEqual([
      'audit.log:3: the log ends at line 3, but lines up to 5 were signed at 2026-01-01T00:00:00.000Z; the last lines were removed',
    ]);
    await rm(path);
    expect((await verify(checkpoint)).problems).toHaveLength(1);
  });

  it('finds a log whose hashes were computed again', async () => {
    const checkpoint = await writeLog(5);
    await rm(path);
    await writeLog(7);
    expect(await messages(checkpoint)).toEqual([
      expect.stringContaining('line 5 of the log differs from the checkpoint'),
    ]);
    const other = openCheckpointKey(makeCheckpointKey());
    const forged = { ...checkpoint, ...other.sign(checkpoint, now) };
    expect((await verify(forged)).problems.at(-1)?.message).toMatch(/^the signature is from another key/);
    expect((await verify({ ...checkpoint, time: '2026-01-02T00:00:00.000Z' })).problems.at(-1)?.message).toMatch(
      /^the signature is not valid/,
    );
  });

  it('finds a missing file', async () => {
    const checkpoint = await writeLog(20, { maxBytes: 3_000 });
    await rm(`${path}.1`);
    expect(await messages(checkpoint)).toEqual([expect.stringMatching(/^audit.log:1: lines? \d+.* missing before/)]);
  });

  it('finds lines that no signature covers for ten minutes', async () => {
    const log = await openAuditLog({ path });
    for (const minute of ['00', '05', '11', '12']) {
      await log.write(auditEvent({ stageTimestamp: `2026-01-01T00:${minute}:00.000000Z` }));
    }
    await log.close();
    expect(await messages()).toEqual([
      'audit.log:3: no signature covers line 3 of the log and the 10 minutes before it',
    ]);
  });
});

describe('the chain of an audit log', () => {
  it('continues after a crash during a write, and records the repair', async () => {
    const log = await open();
    await write(log, 3);
    await log.close();
    await truncate(path, (await readFile(path)).length - 20);
    const next = await open();
    expect(next.head.seq).toBe(2);
    await write(next, 2);
    await next.close();
    const { problems, notices, lines } = await verify();
    expect({ problems, lines }).toEqual({ problems: [], lines: 4 });
    expect(notices).toEqual([
      { file: 'audit.log', line: 3, message: expect.stringMatching(/^the server removed \d+ bytes of an interrupted/) },
    ]);
  });

  it('continues after a crash between the rotation and the next line', async () => {
    await writeLog(3);
    await writeFile(`${path}.1`, await readFile(path));
    await writeFile(path, '{"torn');
    await writeLog(2);
    expect(await verify()).toMatchObject({ problems: [], lines: 5, first: { seq: 1 } });
  });

  it('starts after the lines of an older version', async () => {
    await appendFile(path, `${JSON.stringify(auditEvent({}))}\n`.repeat(3));
    await writeLog(2);
    expect(await verify()).toMatchObject({ problems: [], unprotectedLines: 3, lines: 2 });
  });

  it('contains a signature in the first line after signNext', async () => {
    const log = await open();
    await write(log, 3);
    log.signNext();
    await write(log, 2);
    await log.close();
    expect(await verify()).toMatchObject({ problems: [], signedUpTo: 3 });
  });

  it('is unchanged by failed writes', async () => {
    const log = await openAuditLog({ path: '/dev/full' });
    const before = log.head;
    await expect(log.write(auditEvent({}))).rejects.toThrow();
    expect(log.head).toEqual(before);
    await log.close();
  });

  it('accepts an old checkpoint whose file was removed by retention', async () => {
    const old = await writeLog(1);
    await writeLog(40, { maxBytes: 3_000, keptFiles: 2 });
    expect(await hasLine({ path, keptFiles: 2 }, old)).toBe(true);
    expect(await messages(old)).toEqual([]);
  });

  it('records signed lines that were missing at the start', async () => {
    const checkpoint = await writeLog(5);
    expect(await hasLine({ path, keptFiles: 5 }, checkpoint)).toBe(true);
    await writeLines(path, (await linesOf(path)).slice(0, 3));
    expect(await hasLine({ path, keptFiles: 5 }, checkpoint)).toBe(false);
    const log = await open();
    log.recordLoss({ seq: checkpoint.seq, hash: checkpoint.hash });
    await write(log, 1);
    await log.close();
    expect(await messages()).toEqual([
      expect.stringMatching(/^audit.log:4: signed lines were missing when the server started/),
    ]);
  });
});
