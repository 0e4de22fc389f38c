import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StatusError } from '../api/status.ts';
import type { Host, HostedVirtualCluster, HostPlace } from './host.ts';

/** A host, and the hands to touch it from outside. */
export interface HostUnderTest {
  readonly host: Host;
  /** Lets the host get on with what it has to do; called again and again until what is waited for has come. */
  work(): Promise<void>;
  makeNamespace(name: string): Promise<void>;
  hasNamespace(name: string): Promise<boolean>;
  /** A virtual cluster as somebody makes it who knows nothing of us; its namespace is there. */
  makeByHand(place: HostPlace): Promise<void>;
  close(): Promise<void>;
}

const admin = { name: 'tester', groups: ['system:masters', 'system:authenticated'] };
const place: HostPlace = { namespace: 'flotilla-one', name: 'one' };
const mine = { owner: 'instance-1' };

/** The law of hosts: what every one of them does, whatever virtual clusters are made of there. */
export function hostSuite(name: string, open: () => Promise<HostUnderTest>): void {
  describe(`the host ${name}`, () => {
    let test: HostUnderTest;
    let host: Host;

    beforeEach(async () => {
      test = await open();
      host = test.host;
    });
    afterEach(() => test.close());

    async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
      for (let turn = 0; turn < 1_000; turn++) {
        const found = await look();
        if (found !== undefined && found !== false) return found;
        await test.work();
      }
      throw new Error('the host worked a thousand times and it has not come');
    }
    const inPhase = (phase: HostedVirtualCluster['phase'], where = place) =>
      until(async () => {
        const seen = await host.observe(where);
        return seen?.phase === phase && seen;
      });
    const installed = async (where = place, owner = mine.owner) => {
      await host.install({ place: where, owner });
      return await inPhase('Ready', where);
    };
    const gone = (where = place, of: Parameters<Host['remove']>[1] = mine) => until(() => host.remove(where, of));

    async function send(path: string, more: { method?: string; body?: string; where?: HostPlace } = {}) {
      const { method = 'GET', body, where = place } = more;
      const answer = await host.reach(where).send({
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

    it('installs what was not there, and says when it is ready', async () => {
      expect(await host.observe(place)).toBeUndefined();
      expect(await host.discover()).toEqual([]);
      const ready = await installed();
      expect(ready).toMatchObject({ place, owner: mine.owner, phase: 'Ready' });
      expect(ready.uid).not.toBe('');
      expect(ready.kubernetesVersion).toMatch(/^v1\.\d+/);
      expect((await send('/readyz')).status).toBe(200);
    });

    it('installs once, however often it is asked, also at the same time', async () => {
      await Promise.all([1, 2, 3].map(() => host.install({ place, ...mine })));
      const { uid } = await inPhase('Ready');
      await host.install({ place, ...mine });
      expect((await inPhase('Ready')).uid).toBe(uid);
      expect(await host.discover()).toHaveLength(1);
    });

    it('does not install into a namespace that somebody else made', async () => {
      await test.makeNamespace(place.namespace);
      await expect(host.install({ place, ...mine })).rejects.toMatchObject({ code: 409 });
      expect(await host.observe(place)).toBeUndefined();
    });

    it('does not take over what was made for another owner, nor by hand', async () => {
      const { uid } = await installed();
      await expect(host.install({ place, owner: 'instance-2' })).rejects.toBeInstanceOf(StatusError);
      await expect(host.install({ place, owner: 'instance-2' })).rejects.toMatchObject({ code: 409 });
      expect(await host.observe(place)).toMatchObject({ uid, owner: mine.owner });
    });

    it('discovers all that is there, made by hand or not, in order', async () => {
      const byHand = { namespace: 'by-hand', name: 'found' };
      await test.makeNamespace(byHand.namespace);
      await test.makeByHand(byHand);
      await installed();
      const found = await host.discover();
      expect(found.map((each) => [each.place, each.owner])).toEqual([
        [byHand, ''],
        [place, mine.owner],
      ]);
      expect(new Set(found.map(({ uid }) => uid)).size).toBe(2);
    });

    it('removes everything that it made, and says so only when it is gone', async () => {
      await installed();
      await gone();
      expect(await host.observe(place)).toBeUndefined();
      expect(await test.hasNamespace(place.namespace)).toBe(false);
      expect(await host.discover()).toEqual([]);
      expect(await host.remove(place, mine)).toBe(true);
    });

    it('leaves the namespace of one that was made by hand', async () => {
      await test.makeNamespace(place.namespace);
      await test.makeByHand(place);
      await inPhase('Ready');
      await gone();
      expect(await test.hasNamespace(place.namespace)).toBe(true);
    });

    it('does not remove another one that has come into its place', async () => {
      const { uid } = await installed();
      await expect(gone(place, { owner: 'instance-2', uid: 'another' })).resolves.toBe(true);
      expect((await host.observe(place))?.uid).toBe(uid);
    });

    it('begins anew where one was removed: nothing of it comes back', async () => {
      const first = await installed();
      const body = JSON.stringify({ metadata: { name: 'left-behind' } });
      expect((await send('/api/v1/namespaces', { method: 'POST', body })).status).toBe(201);
      await gone();
      const second = await installed();
      expect(second.uid).not.toBe(first.uid);
      expect((await send('/api/v1/namespaces/left-behind')).status).toBe(404);
    });

    it('lets nobody into one that sleeps, says why, and keeps what is in it', async () => {
      await installed();
      const body = JSON.stringify({ metadata: { name: 'kept' } });
      expect((await send('/api/v1/namespaces', { method: 'POST', body })).status).toBe(201);
      await host.sleep(place);
      await host.sleep(place);
      const asleep = await inPhase('Sleeping');
      expect(asleep.uid).not.toBe('');
      const refused = await send('/api/v1/namespaces/kept');
      expect(refused.status).toBe(503);
      expect(refused.text).toMatch(/asleep/);
      await host.wake(place);
      expect((await inPhase('Ready')).uid).toBe(asleep.uid);
      expect((await send('/api/v1/namespaces/kept')).status).toBe(200);
    });

    it('removes one that sleeps too', async () => {
      await installed();
      await host.sleep(place);
      await inPhase('Sleeping');
      await gone();
      expect(await host.observe(place)).toBeUndefined();
    });

    it('keeps virtual clusters apart', async () => {
      const other = { namespace: 'flotilla-two', name: 'one' };
      await installed();
      await installed(other, 'instance-2');
      const body = JSON.stringify({ metadata: { name: 'only-here' } });
      expect((await send('/api/v1/namespaces', { method: 'POST', body })).status).toBe(201);
      expect((await send('/api/v1/namespaces/only-here', { where: other })).status).toBe(404);
      await gone();
      expect((await send('/readyz', { where: other })).status).toBe(200);
    });

    it('tells where something changes, after it has said that it missed what was before', async () => {
      const stop = new AbortController();
      const heard: string[] = [];
      let look = () => {};
      const hear = (what: string) => {
        heard.push(what);
        look();
      };
      const hears = (what: string) =>
        new Promise<void>((resolve) => {
          look = () => {
            if (heard.includes(what)) resolve();
          };
          look();
        });
      const following = host.follow(
        { onChange: ({ namespace, name = '' }) => hear(`${namespace}/${name}`), onGap: () => hear('gap') },
        stop.signal,
      );
      await hears('gap');
      await installed();
      await hears(`${place.namespace}/${place.name}`);
      expect(heard[0]).toBe('gap');
      heard.length = 0;
      await gone();
      await hears(`${place.namespace}/${place.name}`);
      stop.abort();
      await following;
    });

    it('answers 404 for what is not there', async () => {
      await expect(host.sleep(place)).rejects.toMatchObject({ code: 404 });
      await expect(host.wake(place)).rejects.toMatchObject({ code: 404 });
      expect((await send('/readyz')).status).toBe(404);
      expect(await host.remove(place, mine)).toBe(true);
      const wanted = { query: new URLSearchParams(), signal: new AbortController().signal };
      await expect(host.logs(place, wanted)).rejects.toMatchObject({ code: 404 });
    });
  });
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
