import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { auditEvent } from '../../audit/audit-event.fixture.ts';
import { openCheckpointVerifier } from '../../audit/chain/checkpoint-key.ts';
import { openAuditLog } from '../../audit/open-audit-log.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { loadAuditKey } from './audit-key.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { StoredCheckpoints } from './stored-checkpoints.ts';

const sealer = openSealer(Buffer.alloc(32, 5));
const day = 24 * 60 * 60_000;
let directory: string;
let path: string;
let clock: ManualClock;
let store: Store;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keeper-'));
  path = join(directory, 'audit.log');
  clock = new ManualClock();
  store = openMemoryStore({ clock });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function open() {
  const key = await loadAuditKey(store, sealer);
  const auditLog = await openAuditLog({ path, sign: (head) => key.sign(head, clock.now()) });
  const checkpoints = new StoredCheckpoints(store);
  const location = { path, keptFiles: 5 };
  const keeper = await CheckpointKeeper.open({ id: 'a', auditLog, location, key, checkpoints, clock, log: silentLog });
  return { key, auditLog, checkpoints, keeper };
}

describe('the key of the audit log', () => {
  it('is created once, and is sealed', async () => {
    const keys = await Promise.all([loadAuditKey(store, sealer), loadAuditKey(store, sealer)]);
    expect(keys[0]?.publicKey).toBe(keys[1]?.publicKey);
    const { entries } = await store.list({ slice: 'installation', prefix: [] });
    expect(JSON.stringify(entries)).not.toContain('PRIVATE KEY');
    await expect(loadAuditKey(store, openSealer(Buffer.alloc(32, 6)))).rejects.toThrow('cannot be decrypted');
  });
});

describe('the newest hash of the audit log', () => {
  it('is signed and stored every minute if there are new lines, and at the end', async () => {
    const { key, auditLog, checkpoints, keeper } = await open();
    await auditLog.write(auditEvent({}));
    expect(await checkpoints.get('a')).toBeUndefined();
    clock.advance(60_000);
    await vi.waitFor(async () => expect(await checkpoints.get('a')).toMatchObject(auditLog.head));
    const first = await checkpoints.get('a');
    expect(first && openCheckpointVerifier(key.publicKey).check(first)).toBeUndefined();
    await auditLog.write(auditEvent({}));
    await keeper.close();
    await auditLog.close();
    expect(await checkpoints.get('a')).toMatchObject({ seq: 2 });
    expect(await readFile(path, 'utf8')).toContain('"signed":{');
  });

  it('is compared at the start, and a loss is recorded', async () => {
    const first = await open();
    for (let count = 0; count < 3; count++) await first.auditLog.write(auditEvent({}));
    await first.keeper.close();
    await first.auditLog.close();
    const [line = ''] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${line}\n`);
    const second = await open();
    await second.auditLog.write(auditEvent({}));
    await second.keeper.close();
    await second.auditLog.close();
    expect(await readFile(path, 'utf8')).toContain('"lost":{"seq":3,');
  });

  it('is forgotten if the replica has not existed for a long time', async () => {
    const { key, checkpoints, keeper, auditLog } = await open();
    const head = { seq: 1, hash: 'h' };
    await checkpoints.put('old', { ...head, ...key.sign(head, clock.now() - 91 * day) });
    await checkpoints.put('new', { ...head, ...key.sign(head, clock.now() - 89 * day) });
    await checkpoints.removeOld(clock.now());
    expect((await checkpoints.list()).map(({ replica }) => replica)).toEqual(['new']);
    await keeper.close();
    await auditLog.close();
  });
});
