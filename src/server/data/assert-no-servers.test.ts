import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { beatKey, type MemberRow, memberKey } from '../../replicas/replica-rows.ts';
import { maxSilenceMs } from '../../replicas/replica-timing.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { putValue } from '../../store/suite/suite-store.ts';
import { assertNoServers } from './assert-no-servers.ts';

const member: MemberRow = {
  registration: 'r',
  version: '1.0.0',
  schemas: [1, 1],
  address: 'https://flotilla.test',
  settings: 's',
};

async function storeWithServer(): Promise<Store> {
  const store = openMemoryStore();
  await putValue(store, memberKey('a1'), JSON.stringify(member));
  await putValue(store, beatKey('a1'), '{"beat":1}');
  return store;
}

/** Resolves after the callbacks of all settled promises have run. */
const settled = () => new Promise(setImmediate);

describe('a store', () => {
  it('without registered servers is not in use', async () => {
    await assertNoServers(openMemoryStore(), new ManualClock());
  });

  it('is in use if the beats of a server continue', async () => {
    const store = await storeWithServer();
    const result = assertNoServers(store, new ManualClock());
    await settled();
    await putValue(store, beatKey('a1'), '{"beat":2}');
    await expect(result).rejects.toThrow(
      'the server a1 at https://flotilla.test uses the store; stop all servers, and try again',
    );
  });

  it('is not in use if a registered server has no beats any more', async () => {
    const clock = new ManualClock();
    const result = assertNoServers(await storeWithServer(), clock);
    let isDone = false;
    void result.then(() => {
      isDone = true;
    });
    await settled();
    clock.advance(maxSilenceMs - 1);
    await settled();
    expect(isDone).toBe(false);
    clock.advance(1);
    await result;
  });
});
