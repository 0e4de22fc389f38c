import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { openMemoryStore } from '../memory.ts';
import { storeSuite } from '../store.suite.ts';
import { propertiesOf, type Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { ChangeRecorder } from '../suite/recorder.ts';
import { putValue, storeErrorCodeOf, storeKey, storeRange } from '../suite/suite-store.ts';
import { connectStore } from './connect-store.ts';
import { serveStore } from './serve-store.ts';

interface Connection {
  readonly client: Store;
  /** Closes the port on the side of the store, like the end of a thread. */
  cut(): void;
}

function connect(store: Store, ownsSlices = false): Connection {
  const { port1, port2 } = new MessageChannel();
  const cut = serveStore(store, port1);
  return { client: connectStore({ port: port2, properties: propertiesOf(store), ownsSlices, log: silentLog }), cut };
}

for (const ownsSlices of [false, true]) {
  storeSuite(`store over a message port, ${ownsSlices ? 'with' : 'without'} slices of its own`, async (options) => {
    const store = openMemoryStore(options);
    const { client } = connect(store, ownsSlices);
    return {
      ...client,
      async close() {
        await client.close();
        await store.close();
      },
    };
  });
}

describe('connectStore', () => {
  const stores: Store[] = [];
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  const newStore = (): Store => {
    const store = openMemoryStore();
    stores.push(store);
    return store;
  };

  it('ends observations and rejects calls when the other side closes the port', async () => {
    const { client, cut } = connect(newStore());
    const recorder = new ChangeRecorder();
    await client.observe(storeRange('s'), 1, recorder);
    const waiting = client.list(storeRange('s'));
    cut();
    expect(await storeErrorCodeOf(waiting)).toBe('Closed');
    expect(recorder.end?.code).toBe('Closed');
    expect(await storeErrorCodeOf(client.get(storeKey('s', 'x')))).toBe('Closed');
  });

  it('ends the observations in the store when the client closes its connection', async () => {
    const store = newStore();
    const { client } = connect(store);
    const recorder = new ChangeRecorder();
    await client.observe(storeRange('s'), 1, recorder);
    await client.close();
    await putValue(store, storeKey('s', 'x'), '1');
    expect(recorder.summary).toEqual([]);
    expect(recorder.end?.code).toBe('Closed');
  });

  it('delivers changes of other clients, and each client gets those of its own transaction first', async () => {
    const store = newStore();
    const [one, other] = [connect(store).client, connect(store).client];
    const recorder = new ChangeRecorder();
    await one.observe(storeRange('s'), 1, recorder);
    await putValue(other, storeKey('s', 'x'), '1');
    expect(await one.revision('s')).toBe(2);
    expect(recorder.summary).toEqual(['x=1']);
    await Promise.all([one.close(), other.close()]);
  });

  it('lists more entries than fit into one message, in order', async () => {
    const store = newStore();
    const { client } = connect(store);
    const value = 'x'.repeat(100_000);
    const keys = Array.from({ length: 40 }, (_, number) => storeKey('s', String(number + 10)));
    await store.transact({ writes: keys.map((key) => ({ key, value })) });
    const both = await Promise.all([client.list(storeRange('s')), client.list(storeRange('s'), { limit: 20 })]);
    expect(both.map(({ entries }) => entries.map(({ key }) => key))).toEqual([keys, keys.slice(0, 20)]);
    expect(both).toEqual([await store.list(storeRange('s')), await store.list(storeRange('s'), { limit: 20 })]);
    await client.close();
  });

  it('knows the revision of its own slices without asking', async () => {
    const { client } = connect(newStore(), true);
    await client.list(storeRange('s'));
    expect(client.revision('s')).toBe(1);
    const revision = await putValue(client, storeKey('s', 'x'), '1');
    expect(client.revision('s')).toBe(revision);
    expect(client.revision('t')).toBeInstanceOf(Promise);
    await client.close();
  });

  it('asks once for all readers that wait, and never answers with a revision older than the call', async () => {
    const store = newStore();
    let asked = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const revision = store.revision.bind(store);
    store.revision = async (slice) => {
      asked++;
      const found = await revision(slice);
      await answered;
      return found;
    };
    const { client } = connect(store);
    const recorder = new ChangeRecorder();
    await client.observe(storeRange('s'), 1, recorder);
    const first = client.revision('s');
    await expect.poll(() => asked).toBe(1);
    await putValue(store, storeKey('s', 'x'), '1');
    const later = Array.from({ length: 100 }, () => client.revision('s'));
    const ofOther = client.revision('t');
    answer();
    expect(await first).toBe(1);
    expect(await Promise.all(later)).toEqual(later.map(() => 2));
    expect(recorder.summary).toEqual(['x=1']);
    expect(await ofOther).toBe(1);
    expect(asked).toBe(3);
    expect(await client.revision('s')).toBe(2);
    expect(asked).toBe(4);
    await client.close();
  });

  it('asks again after a question has failed', async () => {
    const store = newStore();
    const revision = store.revision.bind(store);
    let failures = 1;
    store.revision = async (slice) => {
      if (failures-- > 0) throw new StoreError('Unavailable', 'the store cannot be reached');
      return await revision(slice);
    };
    const { client } = connect(store);
    const answers = [client.revision('s'), client.revision('s')];
    expect(await storeErrorCodeOf(Promise.resolve(answers[0]))).toBe('Unavailable');
    expect(await answers[1]).toBe(1);
    await client.close();
  });
});
