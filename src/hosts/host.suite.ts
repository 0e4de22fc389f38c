import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StatusError } from '../api/status.ts';
import type { Host, HostedVirtualCluster, HostLocation } from './host.ts';

/** A host driver to test, and functions that change the host without using the driver. */
export interface HostUnderTest {
  readonly host: Host;
  /** Does the background work that is due on the host. Tests call it repeatedly until they see the expected state. */
  runPendingWork(): Promise<void>;
  createNamespace(name: string): Promise<void>;
  hasNamespace(name: string): Promise<boolean>;
  /** Creates a virtual cluster without the host driver, as a user would. Its namespace must exist. */
  createManually(location: HostLocation): Promise<void>;
  close(): Promise<void>;
}

const admin = { name: 'tester', groups: ['system:masters', 'system:authenticated'] };
const location: HostLocation = { namespace: 'flotilla-one', name: 'one' };
const ours = { owner: 'instance-1' };

/** Tests the contract of the interface Host. Every host driver must pass it. */
export function hostSuite(name: string, open: () => Promise<HostUnderTest>): void {
  describe(`the host ${name}`, () => {
    let test: HostUnderTest;
    let host: Host;

    beforeEach(async () => {
      test = await open();
      host = test.host;
    });
    afterEach(() => test.close());

    async function until<T>(check: () => Promise<T | undefined | false>): Promise<T> {
      for (let round = 0; round < 1_000; round++) {
        const found = await check();
        if (found !== undefined && found !== false) return found;
        await test.runPendingWork();
      }
      throw new Error('the expected state was not reached after 1000 rounds of work');
    }
    const inPhase = (phase: HostedVirtualCluster['phase'], where = location) =>
      until(async () => {
        const seen = await host.observe(where);
        return seen?.phase === phase && seen;
      });
    const installed = async (where = location, owner = ours.owner) => {
      await host.install({ location: where, owner });
      return await inPhase('Ready', where);
    };
    const removed = (where = location, of: Parameters<Host['remove']>[1] = ours) => until(() => host.remove(where, of));

    async function send(path: string, more: { method?: string; body?: string; where?: HostLocation } = {}) {
      const { method = 'GET', body, where = location } = more;
      const answer = await host.clusterApi(where).send({
        method,
        path,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: oneChunk(body) }),
        as: admin,
        signal: new AbortController().signal,
      });
      let text = '';
      for await (const chunk of answer.body) text += Buffer.from(chunk).toString('utf8');
      return { status: answer.status, text };
    }

    it('installs a virtual cluster and reports when it is ready', async () => {
      expect(await host.observe(location)).toBeUndefined();
      expect(await host.discover()).toEqual([]);
      const ready = await installed();
      expect(ready).toMatchObject({ owner: ours.owner, phase: 'Ready' });
      expect(ready.location).toEqual(location);
      expect(ready.uid).not.toBe('');
      expect(ready.kubernetesVersion).toMatch(/^v1\.\d+/);
      expect((await send('/readyz')).status).toBe(200);
    });

    it('installs a virtual cluster once, even if install is called repeatedly or concurrently', async () => {
      await Promise.all([1, 2, 3].map(() => host.install({ location, ...ours })));
      const { uid } = await inPhase('Ready');
      await host.install({ location, ...ours });
      expect((await inPhase('Ready')).uid).toBe(uid);
      expect(await host.discover()).toHaveLength(1);
    });

    it('does not install into a namespace that someone else created', async () => {
      await test.createNamespace(location.namespace);
      await expect(host.install({ location, ...ours })).rejects.toMatchObject({ code: 409 });
      expect(await host.observe(location)).toBeUndefined();
    });

    it('does not take over a virtual cluster of another owner or one that was created manually', async () => {
      const { uid } = await installed();
      await expect(host.install({ location, owner: 'instance-2' })).rejects.toBeInstanceOf(StatusError);
      await expect(host.install({ location, owner: 'instance-2' })).rejects.toMatchObject({ code: 409 });
      expect(await host.observe(location)).toMatchObject({ uid, owner: ours.owner });
    });

    it('discovers all virtual clusters in order, also those that were created manually', async () => {
      const byHand = { namespace: 'by-hand', name: 'found' };
      await test.createNamespace(byHand.namespace);
      await test.createManually(byHand);
      await installed();
      const found = await host.discover();
      expect(found.map((each) => [each.location, each.owner])).toEqual([
        [byHand, ''],
        [location, ours.owner],
      ]);
      expect(new Set(found.map(({ uid }) => uid)).size).toBe(2);
    });

    it('removes everything that it created and reports success only once it is gone', async () => {
      await installed();
      await removed();
      expect(await host.observe(location)).toBeUndefined();
      expect(await test.hasNamespace(location.namespace)).toBe(false);
      expect(await host.discover()).toEqual([]);
      expect(await host.remove(location, ours)).toBe(true);
    });

    it('keeps the namespace of a virtual cluster that was created manually', async () => {
      await test.createNamespace(location.namespace);
      await test.createManually(location);
      await inPhase('Ready');
      await removed();
      expect(await test.hasNamespace(location.namespace)).toBe(true);
    });

    it('does not remove a different virtual cluster at the same location', async () => {
      const { uid } = await installed();
      await expect(removed(location, { owner: 'instance-2', uid: 'another' })).resolves.toBe(true);
      expect((await host.observe(location))?.uid).toBe(uid);
    });

    it('starts empty at a location where a virtual cluster was removed', async () => {
      const first = await installed();
      const body = JSON.stringify({ metadata: { name: 'left-behind' } });
      expect((await send('/api/v1/namespaces', { method: 'POST', body })).status).toBe(201);
      await removed();
      const second = await installed();
      expect(second.uid).not.toBe(first.uid);
      expect((await send('/api/v1/namespaces/left-behind')).status).toBe(404);
    });

    it('refuses requests to a sleeping virtual cluster with an explanation and keeps its contents', async () => {
      await installed();
      const body = JSON.stringify({ metadata: { name: 'kept' } });
      expect((await send('/api/v1/namespaces', { method: 'POST', body })).status).toBe(201);
      await host.sleep(location);
      await host.sleep(location);
      const asleep = await inPhase('Sleeping');
      expect(asleep.uid).not.toBe('');
      const refused = await send('/api/v1/namespaces/kept');
      expect(refused.status).toBe(503);
      expect(refused.text).toMatch(/asleep/);
      await host.wake(location);
      expect((await inPhase('Ready')).uid).toBe(asleep.uid);
      expect((await send('/api/v1/namespaces/kept')).status).toBe(200);
    });

    it('puts a virtual cluster to sleep only if that is still wanted after its state was read', async () => {
      await installed();
      await host.sleep(location, { isWanted: async () => false });
      expect((await host.observe(location))?.phase).toBe('Ready');
      await host.sleep(location, { isWanted: async () => true });
      await inPhase('Sleeping');
    });

    it('removes a sleeping virtual cluster', async () => {
      await installed();
      await host.sleep(location);
      await inPhase('Sleeping');
      await removed();
      expect(await host.observe(location)).toBeUndefined();
    });

    it('isolates virtual clusters from each other', async () => {
      const other = { namespace: 'flotilla-two', name: 'one' };
      await installed();
      await installed(other, 'instance-2');
      const body = JSON.stringify({ metadata: { name: 'only-here' } });
      expect((await send('/api/v1/namespaces', { method: 'POST', body })).status).toBe(201);
      expect((await send('/api/v1/namespaces/only-here', { where: other })).status).toBe(404);
      await removed();
      expect((await send('/readyz', { where: other })).status).toBe(200);
    });

    it('reports a gap first and then the location of each change', async () => {
      const stop = new AbortController();
      const records: string[] = [];
      let check = () => {};
      const record = (what: string) => {
        records.push(what);
        check();
      };
      const recorded = (what: string) =>
        new Promise<void>((resolve) => {
          check = () => {
            if (records.includes(what)) resolve();
          };
          check();
        });
      const following = host.watch(
        { onChange: ({ namespace, name = '' }) => record(`${namespace}/${name}`), onGap: () => record('gap') },
        stop.signal,
      );
      await recorded('gap');
      await installed();
      await recorded(`${location.namespace}/${location.name}`);
      expect(records[0]).toBe('gap');
      records.length = 0;
      await removed();
      await recorded(`${location.namespace}/${location.name}`);
      stop.abort();
      await following;
    });

    it('returns 404 for a virtual cluster that does not exist', async () => {
      await expect(host.sleep(location)).rejects.toMatchObject({ code: 404 });
      await expect(host.wake(location)).rejects.toMatchObject({ code: 404 });
      expect((await send('/readyz')).status).toBe(404);
      expect(await host.remove(location, ours)).toBe(true);
      const wanted = { query: new URLSearchParams(), signal: new AbortController().signal };
      await expect(host.logs(location, wanted)).rejects.toMatchObject({ code: 404 });
    });
  });
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
