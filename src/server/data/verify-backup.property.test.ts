import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupLines, withSealedKeys } from '../../store/backup.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { runVerifyBackup } from './verify-backup.ts';

let folder: string;
let backup: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-'));
  const store = await openMemoryStore();
  const object = JSON.stringify({ object: { metadata: { name: 'ä "x"' } } });
  for (let n = 0; n < 20; n++) {
    const key = { slice: 'management', segments: ['objects', n % 2 === 0 ? 'users' : 'teams', '', String(n)] };
    await store.transact({ writes: [{ key, value: object }] });
  }
  await store.transact({ writes: [{ key: { slice: 'other', segments: ['x'] }, value: 'text' }] });
  let text = '';
  for await (const line of withSealedKeys(backupLines(store), 'sealed')) text += `${line}\n`;
  backup = Buffer.from(text);
  await store.close();
});
afterAll(() => rm(folder, { recursive: true }));

async function verify(content: Uint8Array): Promise<string> {
  const file = join(folder, 'file');
  await writeFile(file, content);
  return await runVerifyBackup(file);
}

describe('flotilla backup verify', () => {
  it('accepts a backup, and counts its rows', async () => {
    const message = await verify(backup);
    expect(message).toContain('is complete and intact');
    expect(message).toContain('  teams: 10\n  users: 10\n  other rows: 1\n');
    expect(message).toContain('keys:         included');
  });

  it('finds every changed byte, and names its line unless it is in the checksum of the file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(backup.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(backup);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        const line = backup.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
        const lines = backup.filter((byte) => byte === 0x0a).length;
        const error = await verify(damaged).then(
          () => undefined,
          (thrown: Error) => thrown.message,
        );
        expect(error, `byte ${at}`).toBeDefined();
        if (line > 1 && line < lines) expect(error).toMatch(new RegExp(`line ${line}\\b`));
      }),
      { numRuns: 500 },
    );
  });

  it('finds that a backup was cut anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(backup.length - 1), async (length) => {
        await expect(verify(backup.subarray(0, length))).rejects.toThrow(
          /truncated|empty|not a Flotilla backup|damaged/,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('finds rows that were removed, repeated or exchanged', async () => {
    const lines = backup.toString().trimEnd().split('\n');
    const second = lines[3] ?? '';
    const changes = [
      lines.toSpliced(3, 1),
      lines.toSpliced(3, 0, second),
      lines.toSpliced(3, 1).toSpliced(5, 0, second),
    ];
    for (const changed of changes) {
      await expect(verify(Buffer.from(`${changed.join('\n')}\n`))).rejects.toThrow('rows are missing or added');
    }
  });

  it('names a row that cannot be decoded', async () => {
    const store = await openMemoryStore();
    await store.transact({ writes: [{ key: { slice: 'm', segments: ['objects', 'users', '', 'anna'] }, value: '{' }] });
    let text = '';
    for await (const line of backupLines(store)) text += `${line}\n`;
    await store.close();
    await expect(verify(Buffer.from(text))).rejects.toThrow('the row m/objects/users//anna cannot be decoded');
  });

  it('accepts a backup of an earlier version, which has no checksums of rows', async () => {
    const { createHash } = await import('node:crypto');
    const head = JSON.stringify({ format: 'flotilla-backup', version: 1, identity: 'i', revision: 5 });
    const sha256 = createHash('sha256').update(`${head}\n`).digest('hex');
    const message = await verify(Buffer.from(`${head}\n${JSON.stringify({ rows: 0, sha256 })}\n`));
    expect(message).toContain('checksums:    of the file\n');
  });

  it('says that a file does not exist', async () => {
    await expect(runVerifyBackup(join(folder, 'none'))).rejects.toThrow('there is no such file');
  });
});
