import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdmittedSharedLogin } from '../../auth/password-login.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { StoredLoginBackoff } from './stored-login-backoff.ts';

const sealer = openSealer(new Uint8Array(32).fill(3));
let clock: ManualClock;
let store: Store;
let replicas: StoredLoginBackoff[];

beforeEach(() => {
  clock = new ManualClock();
  store = openMemoryStore({ clock });
  replicas = Array.from({ length: 3 }, () => new StoredLoginBackoff({ store, sealer, clock, log: silentLog }));
});
afterEach(() => {
  for (const replica of replicas) replica.close();
});

const anna = { account: 'anna', source: '192.0.2.1' };
const attempt = async (index: number, login = anna, isKnownPair = false) =>
  await replicas[index % 3]?.admit(login, isKnownPair);

function admitted(result: number | AdmittedSharedLogin | undefined): AdmittedSharedLogin {
  if (result === undefined || typeof result === 'number') throw new Error(`not admitted: ${result}`);
  return result;
}

describe('failed logins at several replicas', () => {
  it('leave five free guesses in total, then each one waits longer', async () => {
    for (let index = 0; index < 6; index++) admitted(await attempt(index));
    for (const replica of [0, 1, 2]) expect(await attempt(replica)).toBe(1_000);
    clock.advance(1_000);
    admitted(await attempt(1));
    expect(await attempt(2)).toBe(2_000);
  });

  it('are forgotten after a success, and after half an hour without an attempt', async () => {
    for (let index = 0; index < 4; index++) admitted(await attempt(index));
    await admitted(await attempt(1)).succeed();
    for (let index = 0; index < 6; index++) admitted(await attempt(index));
    expect(await attempt(0)).toBe(1_000);
    clock.advance(31 * 60_000);
    admitted(await attempt(2));
  });

  it('do not include attempts whose password was not checked', async () => {
    for (let index = 0; index < 20; index++) await admitted(await attempt(index)).abandon();
    for (let index = 0; index < 6; index++) admitted(await attempt(index));
    expect(await attempt(0)).toBe(1_000);
  });

  it('slow down guesses at one account from many sources, except from a source that recently logged in', async () => {
    for (let index = 0; index < 101; index++)
      admitted(await attempt(index, { ...anna, source: `198.51.100.${index}` }));
    expect(await attempt(0, { ...anna, source: '203.0.113.1' })).toBe(1_000);
    admitted(await attempt(0, { ...anna, source: '203.0.113.1' }, true));
  });

  it('of an account whose name looks like another pair do not affect that pair', async () => {
    for (let index = 0; index < 20; index++) {
      await attempt(index, { account: '192.0.2.1 anna', source: `198.51.100.${index}` });
    }
    for (let index = 0; index < 6; index++) admitted(await attempt(index));
  });

  it('are stored without names and addresses, and removed when they are old', async () => {
    admitted(await attempt(0));
    const rows = async () => (await store.list({ slice: 'logins', prefix: [] })).entries;
    const text = JSON.stringify(await rows());
    expect(text).not.toContain('anna');
    expect(text).not.toContain('192.0.2.1');
    for (let minutes = 0; minutes < 45; minutes += 10) {
      clock.advance(10 * 60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await rows()).toEqual([]);
  });
});
