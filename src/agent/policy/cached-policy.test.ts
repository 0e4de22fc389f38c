import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import { ManualClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { CachedPolicy } from './cached-policy.ts';
import { openPolicyFile } from './policy-file.ts';
import type { ReplicaListener } from './policy-replica.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'policy-'));
});
afterEach(() => rm(dir, { recursive: true }));

const sealer = openSealer(new Uint8Array(32).fill(7));
const begin: PolicyLine = { type: 'BEGIN', installation: 'i', apiPrefix: 'p', serviceAccountTokens: true, time: 1 };
const key = (name: string): PolicyLine => ({
  type: 'KEY',
  key: { name, uid: 'u', mark: 'm', user: { name: 'anna', groups: [] }, scopes: [] },
});

async function open(clock = new ManualClock(), log: Log = silentLog) {
  const file = await openPolicyFile({ path: join(dir, 'policy'), sealer });
  const listener: ReplicaListener = { onKeysChanged() {}, onObjectChanged() {} };
  const policy = new CachedPolicy({ file, listener, maxAgeMilliseconds: 60_000, clock, log });
  const hear = (...lines: PolicyLine[]) => {
    for (const line of lines) policy.receive(line);
  };
  return { policy, clock, hear, synced: (): PolicyLine => ({ type: 'SYNCED', time: clock.now() }) };
}

describe('the cached policy of an agent', () => {
  it('survives a restart together with its age', async () => {
    const first = await open();
    first.hear(begin, key('a'), first.synced(), key('b'), { type: 'NO_KEY', name: 'a' });
    await first.policy.close();
    const clock = new ManualClock();
    clock.advance(30_000);
    const second = await open(clock);
    expect([second.policy.age, second.policy.isUsable]).toEqual([undefined, false]);
    await second.policy.load();
    expect([second.policy.replica.key('a'), second.policy.replica.key('b')?.name]).toEqual([undefined, 'b']);
    expect([second.policy.age, second.policy.isUsable]).toEqual([30_000, true]);
    clock.advance(30_001);
    expect(second.policy.isUsable).toBe(false);
    await second.policy.close();
  });

  it('is ignored with a warning if its server had another API word, until the server sends a policy', async () => {
    const first = await open();
    first.hear({ ...begin, apiWord: 'loft' }, key('a'), first.synced());
    await first.policy.close();
    const warnings: unknown[] = [];
    const log: Log = { ...silentLog, warn: (members) => void warnings.push(members) };
    const second = await open(new ManualClock(), log);
    await second.policy.load();
    expect([second.policy.replica.header, second.policy.replica.key('a'), second.policy.isUsable]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    expect(warnings).toEqual([
      {
        reason:
          'the server of the policy has the API word "loft", but this agent has "platform"; start the agent with FLOTILLA_API_WORD=loft',
      },
    ]);
    second.hear(begin, key('b'), second.synced());
    await second.policy.close();
    const third = await open();
    await third.policy.load();
    expect([third.policy.replica.key('a'), third.policy.replica.key('b')?.name]).toEqual([undefined, 'b']);
    await third.policy.close();
  });

  it('has the age of the last line from the server, also of a keepalive', async () => {
    const { policy, hear, clock, synced } = await open();
    hear(begin, synced());
    clock.advance(59_000);
    expect(policy.isUsable).toBe(true);
    hear({ type: 'ALIVE', time: clock.now() });
    clock.advance(59_000);
    expect([policy.age, policy.isUsable]).toEqual([59_000, true]);
    await policy.close();
  });

  it('reports the clock skew', async () => {
    const { policy, hear, clock } = await open();
    hear(begin, { type: 'SYNCED', time: clock.now() + 7_000 });
    expect(policy.skew).toBe(7_000);
    await policy.close();
  });

  it('is sealed and private on disk, and loads without a torn last row', async () => {
    const first = await open();
    first.hear(begin, key('a'), first.synced(), key('b'));
    await first.policy.close();
    const path = join(dir, 'policy');
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect(await readFile(path, 'utf8')).not.toContain('anna');
    await truncate(path, (await stat(path)).size - 5);
    const second = await open();
    await second.policy.load();
    expect([second.policy.replica.key('a')?.name, second.policy.replica.key('b')]).toEqual(['a', undefined]);
    await second.policy.close();
  });

  it('is rejected if it was modified or sealed with another key', async () => {
    const first = await open();
    first.hear(begin, key('a'), first.synced(), key('b'));
    await first.policy.close();
    const path = join(dir, 'policy');
    const rows = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, ['x', ...rows].join('\n'));
    const second = await open();
    await expect(second.policy.load()).rejects.toThrow('is damaged');
    await second.policy.close();
    await writeFile(path, rows.join('\n'));
    await appendFile(path, `${openSealer(new Uint8Array(32).fill(8)).seal('agent-policy', '[]')}\n`);
    const third = await open();
    await third.policy.load();
    expect(third.policy.replica.key('b')?.name).toBe('b');
    await third.policy.close();
  });

  it('is loaded completely or not at all: rows before a damaged one admit nobody', async () => {
    const first = await open();
    first.hear(begin, key('a'), first.synced());
    await first.policy.close();
    const again = await open();
    again.hear(begin, key('a'), again.synced(), { type: 'NO_KEY', name: 'a' }, key('c'));
    await again.policy.close();
    const path = join(dir, 'policy');
    const [everything = '', ...rest] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, [everything, 'x', ...rest].join('\n'));
    const second = await open();
    await expect(second.policy.load()).rejects.toThrow('is damaged');
    expect([second.policy.age, second.policy.isUsable, second.policy.replica.key('a')]).toEqual([
      undefined,
      false,
      undefined,
    ]);
    await second.policy.close();
  });

  it('does not become younger when the clock is set back', async () => {
    const { policy, hear, clock, synced } = await open();
    hear(begin, synced());
    clock.advance(50_000);
    clock.setWall(-3600_000);
    expect([policy.age, policy.isUsable]).toEqual([50_000, true]);
    clock.advance(10_001);
    expect(policy.isUsable).toBe(false);
    await policy.close();
    const before = new ManualClock();
    before.setWall(-3600_000);
    const second = await open(before);
    await expect(second.policy.load()).rejects.toThrow('before the last contact');
    expect(second.policy.isUsable).toBe(false);
    await second.policy.close();
  });

  it('is compacted after many changes', async () => {
    const { policy, hear, synced } = await open();
    hear(begin, synced());
    for (let index = 0; index < 3_000; index++) hear(key('a'), { type: 'NO_KEY', name: 'a' });
    hear(key('last'));
    await policy.close();
    expect((await stat(join(dir, 'policy'))).size).toBeLessThan(1_000_000);
    const again = await open();
    await again.policy.load();
    expect([again.policy.replica.key('a'), again.policy.replica.key('last')?.name]).toEqual([undefined, 'last']);
    await again.policy.close();
  });
});
