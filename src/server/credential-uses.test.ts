import { describe, expect, it } from 'vitest';
import type { CredentialUse } from '../api/management/credential-use.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { openCredentialUses } from './credential-uses.ts';

const use = (serviceAccount: string, lastUsed: number, more: Partial<CredentialUse> = {}): CredentialUse => ({
  namespace: 'default',
  serviceAccount,
  lastUsed,
  ...more,
});

describe('the uses of service account credentials', () => {
  const clock = new ManualClock();
  const open = (store: Store) => openCredentialUses({ store, clock, log: silentLog });

  it('are merged with those that other replicas have stored', async () => {
    const store = openMemoryStore({ clock });
    const [one, two] = [open(store), open(store)];
    one.record('a', use('robot', 1, { maker: 'anna', issued: 1, expires: 10 }));
    await one.close();
    two.record('a', use('robot', 2, { maker: 'anna', issued: 5, expires: 7 }));
    two.record('a', use('robot', 3, { secret: 'token' }));
    const expected = [use('robot', 2, { maker: 'anna', issued: 5, expires: 10 }), use('robot', 3, { secret: 'token' })];
    expect(await two.usesOf('a')).toEqual(expected);
    await two.close();
    expect(await open(store).usesOf('a')).toEqual(expect.arrayContaining(expected));
    expect(await open(store).usesOf('b')).toEqual([]);
  });

  it('are limited to the credentials that were used last, and are written rarely', async () => {
    const store = openMemoryStore({ clock });
    let writes = 0;
    const counted = {
      ...store,
      get: store.get.bind(store),
      transact(...args: Parameters<Store['transact']>) {
        writes++;
        return store.transact(...args);
      },
    };
    const first = open(counted);
    for (let index = 0; index < 150; index++) first.record('a', use(`old-${index}`, index));
    await first.close();
    const second = open(counted);
    for (let index = 0; index < 150; index++) second.record('a', use(`new-${index}`, 1000 + index));
    await second.close();
    const stored = await open(store).usesOf('a');
    expect(stored).toHaveLength(200);
    expect(stored.filter(({ serviceAccount }) => serviceAccount.startsWith('new-'))).toHaveLength(150);
    expect(writes).toBe(2);
  });

  it('are removed with the instance', async () => {
    const store = openMemoryStore({ clock });
    const uses = open(store);
    uses.record('a', use('robot', 1));
    await uses.close();
    uses.forget('a');
    expect(await uses.usesOf('a')).toEqual([]);
  });
});
