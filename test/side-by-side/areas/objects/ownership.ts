import { area } from '../../area.ts';
import { apiVersion, applyPatch, gadget, groupPath, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const force = { query: '&force=true' };

/** Compares field ownership in lists and maps of every type, for every kind of write. */
export function ownership(pair: Pair): void {
  area(pair, 'Ownership', (compared, gadgets) => {
    const merge = (manager: string, name: string, patch: object) =>
      gadgets.patch(name, mergePatch, patch, { query: `?fieldManager=${manager}` });

    compared('of items in lists and members of maps (SSA-13, SSA-20, SSA-22, SSA-23)', async () => {
      const embedded = { apiVersion: 'v1', kind: 'X', metadata: { name: 'n' } };
      const first = {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2, protocol: 'UDP' },
        ],
        rooms: [{ id: 1, note: 'n' }],
        tags: ['x', 'y'],
        numbers: [1, 2],
        parts: ['p'],
        things: [{ a: '1' }],
        whole: { a: 'x' },
        labels: { l: 'm' },
        limits: { q: { x: 1 } },
        raw: { r: [1] },
        half: { known: { k: 'x' }, more: { z: 1 } },
        any: { y: 1 },
        ios: 5,
        nested: { level: 4, deep: { a: 'x' } },
        embedded: { ...embedded, foo: { b: 1 } },
      };
      await gadgets.apply('m1', 'k', { spec: first });
      const beside = {
        ports: [
          { name: 'c', port: 3 },
          { name: 'a', port: 1 },
        ],
        tags: ['z', 'x'],
        numbers: [3],
        labels: { n: 'o' },
        limits: { q: { y: 's' }, w: { x: 2 } },
        rooms: [{ id: 2 }],
        nested: { deep: { d: false } },
      };
      await gadgets.apply('m2', 'k', { spec: beside });
      const against = {
        ports: [
          { name: 'a', port: 9 },
          { name: 'b', protocol: 'UDP', port: 8 },
        ],
        rooms: [{ id: 1, note: 'zz' }],
        limits: { q: { x: 5 } },
        whole: { b: 'y' },
        parts: ['q'],
        things: [{ a: '2' }],
        raw: { r: [2], s: 1 },
        half: { known: { k: 'y' } },
        any: { y: 2 },
        ios: 'x',
        embedded: { apiVersion: 'v1', kind: 'X', foo: { b: 2 } },
      };
      await gadgets.apply('m2', 'k', { spec: against });
      const taken = { ports: [{ name: 'a', port: 9 }], whole: { b: 'y' }, parts: ['q'], raw: { s: 1 } };
      await gadgets.apply('m2', 'k', { spec: taken }, force);
      await gadgets.apply('m1', 'k', { spec: { ports: [{ name: 'b', port: 2, protocol: 'UDP' }], tags: ['y'] } });
      await gadgets.apply('m1', 'k', { spec: { ports: [], tags: [] } });
      await gadgets.apply('m1', 'k', { spec: {} });
    });

    compared('moves to the manager that changes a field (SSA-16 to SSA-19, SSA-25)', async () => {
      const spec = {
        color: 'a',
        ports: [{ name: 'x', port: 1 }],
        tags: ['t'],
        parts: ['p'],
        labels: { k: 'v' },
        nested: { deep: { a: '1' } },
        raw: { q: { r: 1 } },
        whole: { a: 'b' },
        limits: { m: { x: 1 } },
        rooms: [{ id: 3 }],
        things: [{ a: 'x' }],
        embedded: { apiVersion: 'v1', kind: 'K', metadata: { name: 'n', labels: { l: 'm' } }, data: { x: 'y' } },
      };
      const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u1' }];
      const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['f/g'], ownerReferences };
      await gadgets.post(gadget('up', { metadata, spec }), { query: '?fieldManager=w' });
      const ports = [{ name: 'x', port: 2 }, { name: 'y' }];
      await merge('w2', 'up', { spec: { ports, tags: ['t', 't2'] } });
      await merge('w3', 'up', {
        spec: { labels: { k: null, k2: 'v2' }, raw: { q: null, z: [1] }, whole: { a: 'c' } },
        metadata: { labels: { a: null, b: 'c' }, finalizers: null },
      });
      await merge('w', 'up', { spec: { nested: null, rooms: null, parts: ['p', 'q'], things: [{ a: 'y' }] } });
      await merge('w4', 'up', { spec: { ports: null, tags: [], embedded: { data: { x: 'z' } } } });
      await merge('w5', 'up', { spec: { ports: [{ name: 'x', port: 2 }] } });
      for (const [manager, mode] of [
        ['w6', 'plain'],
        ['w6', 'odd'],
        ['w7', null],
      ] as const) {
        await merge(manager, 'up', { spec: { mode } });
      }
      const applied = { spec: { color: 'zzz', ports: [{ name: 'x', port: 3 }] } };
      await gadgets.apply('ap', 'up', applied);
      await gadgets.apply('ap', 'up', applied, force);
    });

    compared('can be reset, and restarts (SSA-28, SSA-29)', async () => {
      await merge('w8', 'up', { metadata: { managedFields: [{}] } });
      await merge('w8', 'up', { spec: { color: 'r1' } });
      await gadgets.apply('ap', 'up', { spec: { color: 'r2' } });
      await gadgets.apply('ap', 'up', { spec: { color: 'r2' } }, force);
      await merge('w8', 'up', { metadata: { managedFields: [{}] } });
      await gadgets.apply('ap', 'up', { spec: { size: 4 } });
    });

    compared('of one manager is separate by operation (SSA-18)', async () => {
      await gadgets.get('/up', { keepAs: 'up' });
      const bigger = ({ spec }: { spec: Record<string, unknown> }) => {
        spec.size = 5;
      };
      await gadgets.put('up', bigger, { query: '?fieldManager=ap' });
      await gadgets.apply('ap', 'up', { spec: { size: 4 } });
      await gadgets.apply('ap', 'up', { spec: { size: 4 } }, force);
    });

    compared('can be edited by hand, within limits (SSA-31)', async () => {
      const edit = (member: string, value: unknown) =>
        gadgets.patch('up', jsonPatch, [{ op: 'replace', path: `/metadata/managedFields/0/${member}`, value }], {
          query: '?fieldManager=ed',
        });
      await edit('manager', 'renamed');
      await edit('operation', 'X');
      await edit('fieldsV1', { x: {} });
      await edit('manager', '');
    });

    compared('of the oldest managers is merged when there are too many (SSA-27)', async () => {
      // Names managers with single letters, so the alphabetical order is also the order in time, even if the writes
      // cross the boundary of a second.
      const [first, ...later] = 'abcdefghijklmn';
      await gadgets.post(gadget('many', { spec: { labels: {} } }), { query: `?fieldManager=${first}` });
      for (const manager of later) await merge(manager, 'many', { metadata: { labels: { [manager]: 'x' } } });
    });

    compared('migrates from client-side to server-side apply (SSA-35)', async () => {
      const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
      const created = async (name: string, last: string) => {
        const parts = { metadata: { annotations: { [annotation]: last } }, spec: { color: 'a', size: 2 } };
        await gadgets.post(gadget(name, parts), { query: '?fieldManager=kubectl-client-side-apply' });
      };
      const spec = { color: 'a', size: 2 };
      const metadata = { name: 'moved', namespace: 'ownership', annotations: {} };
      await created('moved', JSON.stringify({ apiVersion, kind: 'Gadget', metadata, spec }));
      await gadgets.apply('kubectl', 'moved', { spec: { color: 'b', size: 2 } });
      await gadgets.apply('foo', 'moved', { spec: { color: 'c' } });
      await gadgets.apply('kubectl', 'moved', { spec: { color: 'b' } });
      await created('unmoved', 'garbage');
      await gadgets.apply('kubectl', 'unmoved', { spec: { color: 'b', size: 2 } });
    });

    compared('in a kind without a spec (SSA-05, SSA-22)', async () => {
      const path = `${groupPath}/gizmos`;
      const applied = (name: string, members: object) => {
        const body = JSON.stringify({ apiVersion, kind: 'Gizmo', metadata: { name }, ...members });
        const headers = { 'content-type': applyPatch };
        return gadgets.send({ method: 'PATCH', path: `${path}/${name}?fieldManager=m`, body, headers });
      };
      await applied('za', { weight: 1, note: 'x', status: { phase: 'p' } });
      await applied('za', { weight: 2 });
      await applied('zb', {});
      await gadgets.send({ path: `${path}/za` }, { keepAs: 'za' });
      await gadgets.send((side) => ({
        method: 'PUT',
        path: `${path}/za`,
        json: { ...side.kept('za'), status: { phase: 'new' } },
      }));
      const headers = { 'content-type': mergePatch };
      await gadgets.send({ method: 'PATCH', path: `${path}/za`, body: '{"weight":null}', headers });
    });
  });
}
