import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Host, HostedVirtualCluster, HostLocation, InstanceDriver } from '../host.ts';

/** A host driver to test, and functions that read and change its host without the driver. */
export interface SpacesUnderTest {
  readonly host: Pick<Host, 'spaces'>;
  /** Does the background work that is due on the host. Tests call it repeatedly until they see the expected state. */
  runPendingWork(): Promise<void>;
  createNamespace(name: string): Promise<void>;
  hasNamespace(name: string): Promise<boolean>;
  /** Returns the groups that have a cluster role in a namespace; `undefined` if there is no binding. */
  groupsWithRole(namespace: string, clusterRole: string): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

const location: HostLocation = { namespace: 'flotilla-space', name: '' };
const ours = { owner: 'space-1' };
const bindings = [{ clusterRole: 'admin', groups: ['platform:user:anna'] }];

/** Tests the contract of the spaces of a host. Every host driver must pass it. */
export function spaceSuite(name: string, open: () => Promise<SpacesUnderTest>): void {
  describe(`the spaces of the host ${name}`, () => {
    let test: SpacesUnderTest;
    let spaces: InstanceDriver;

    beforeEach(async () => {
      test = await open();
      spaces = test.host.spaces;
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
    const inPhase = (phase: HostedVirtualCluster['phase']) =>
      until(async () => {
        const seen = await spaces.observe(location);
        return seen?.phase === phase && seen;
      });
    const removed = () => until(() => spaces.remove(location, ours));

    it('creates a namespace that is ready at once, and installs it once', async () => {
      expect(await spaces.observe(location)).toBeUndefined();
      await Promise.all([1, 2, 3].map(() => spaces.install({ location, ...ours, bindings })));
      const { uid } = await inPhase('Ready');
      expect(uid).not.toBe('');
      await spaces.install({ location, ...ours, bindings });
      expect(await spaces.observe(location)).toMatchObject({ location, uid, owner: ours.owner });
    });

    it('binds the roles, replaces the groups and removes roles that are no longer wanted', async () => {
      await spaces.install({ location, ...ours, bindings });
      expect(await test.groupsWithRole(location.namespace, 'admin')).toEqual(['platform:user:anna']);
      const changed = [
        { clusterRole: 'admin', groups: ['platform:user:ben'] },
        { clusterRole: 'view', groups: ['platform:team:crew', 'platform:user:anna'] },
      ];
      await spaces.install({ location, ...ours, bindings: changed });
      expect(await test.groupsWithRole(location.namespace, 'admin')).toEqual(['platform:user:ben']);
      expect(await test.groupsWithRole(location.namespace, 'view')).toEqual([
        'platform:team:crew',
        'platform:user:anna',
      ]);
      await spaces.install({ location, ...ours, bindings: [] });
      expect(await test.groupsWithRole(location.namespace, 'admin')).toBeUndefined();
      expect(await test.groupsWithRole(location.namespace, 'view')).toBeUndefined();
    });

    it('does not use a namespace that someone else created or that another space has', async () => {
      await test.createNamespace(location.namespace);
      await expect(spaces.install({ location, ...ours })).rejects.toMatchObject({ code: 409 });
      const other = { namespace: 'flotilla-other', name: '' };
      await spaces.install({ location: other, ...ours });
      await expect(spaces.install({ location: other, owner: 'space-2' })).rejects.toMatchObject({ code: 409 });
    });

    it('removes the namespace and reports success only once it is gone', async () => {
      await spaces.install({ location, ...ours, bindings });
      await removed();
      expect(await spaces.observe(location)).toBeUndefined();
      expect(await test.hasNamespace(location.namespace)).toBe(false);
      expect(await spaces.remove(location, ours)).toBe(true);
    });

    it('does not remove the namespace of another owner', async () => {
      await spaces.install({ location, ...ours });
      expect(await spaces.remove(location, { owner: 'space-2' })).toBe(true);
      expect(await spaces.remove(location, { ...ours, uid: 'another' })).toBe(true);
      expect((await spaces.observe(location))?.phase).toBe('Ready');
    });

    it('takes over the imported namespace, adds bindings, and keeps it when the space is removed', async () => {
      await test.createNamespace(location.namespace);
      const adopt = (await inPhase('Ready')).uid;
      await expect(spaces.install({ location, ...ours, adopt: 'another' })).rejects.toMatchObject({ code: 409 });
      await spaces.install({ location, ...ours, bindings, adopt });
      expect(await spaces.observe(location)).toMatchObject({ uid: adopt, owner: ours.owner });
      expect(await test.groupsWithRole(location.namespace, 'admin')).toEqual(['platform:user:anna']);
      await removed();
      expect(await spaces.observe(location)).toMatchObject({ uid: adopt, owner: '' });
      expect(await test.groupsWithRole(location.namespace, 'admin')).toBeUndefined();
    });

    it('removes an imported namespace that an earlier space created', async () => {
      await spaces.install({ location, owner: 'space-0', bindings });
      const adopt = (await inPhase('Ready')).uid;
      await spaces.install({ location, ...ours, bindings, adopt });
      await removed();
      expect(await test.hasNamespace(location.namespace)).toBe(false);
    });

    it('puts a space to sleep and wakes it', async () => {
      await spaces.install({ location, ...ours, bindings });
      await spaces.sleep(location, { isWanted: async () => false });
      expect((await spaces.observe(location))?.phase).toBe('Ready');
      await spaces.sleep(location, { isWanted: async () => true });
      await spaces.sleep(location);
      expect((await inPhase('Sleeping')).drift).toBeUndefined();
      await spaces.install({ location, ...ours, bindings });
      expect((await spaces.observe(location))?.phase).toBe('Sleeping');
      await spaces.wake(location);
      await inPhase('Ready');
      await removed();
    });

    it('reports a gap first and then the namespace of each change', async () => {
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
      const following = spaces.watch(
        { onChange: ({ namespace }) => record(namespace), onGap: () => record('gap') },
        stop.signal,
      );
      await recorded('gap');
      await spaces.install({ location, ...ours });
      await recorded(location.namespace);
      expect(records[0]).toBe('gap');
      records.length = 0;
      await removed();
      await recorded(location.namespace);
      stop.abort();
      await following;
    });

    it('returns 404 for a space that does not exist', async () => {
      await expect(spaces.sleep(location)).rejects.toMatchObject({ code: 404 });
      await expect(spaces.wake(location)).rejects.toMatchObject({ code: 404 });
      await expect(spaces.install({ location, ...ours, adopt: 'gone' })).rejects.toMatchObject({ code: 404 });
      expect(await spaces.remove(location, ours)).toBe(true);
    });
  });
}
