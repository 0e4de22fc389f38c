import { area } from '../../area.ts';
import { apiVersion, applyPatch, gadget, groupPath, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const force = { query: '&force=true' };

/** Specs that violate the schema. Each one is applied to an existing object. */
const misfits = [
  { ports: [{ port: 1 }] },
  { ports: [{ name: 'a' }, { name: 'a' }] },
  { tags: ['a', 'a'] },
  { ports: [{ name: null }] },
  { ports: [{ name: 5 }] },
  { ports: [null] },
  { tags: [null] },
  { tags: [{ a: 1 }] },
  { ports: { a: 1 } },
  { labels: ['a'] },
  { color: { a: 1 } },
  { size: 'x' },
  { color: 5 },
  { flag: 'x' },
  { size: 1.5 },
  { real: 5 },
  { nested: 'x' },
  'x',
  { foo: 1 },
  { foo: 1, bar: 2, nested: { zip: 1 } },
  { size: 'x', color: 5, ports: [{ port: 1 }], foo: 1 },
  { size: 0 },
  { mode: 'zzz' },
];

const texts = [
  `apiVersion: ${apiVersion}\nkind: Gadget\nmetadata:\n  name: written\nspec:\n  color: red\n`,
  `apiVersion: ${apiVersion}\nkind: Gadget\nmetadata:\n  name: written\nspec:\n  color: red\n  color: blue\n`,
  `apiVersion: ${apiVersion}\nkind: Gadget\nmetadata:\n  name: written\n---\nfoo: bar\n`,
  'a: b: c',
  `apiVersion: ${apiVersion}\nkind: Gadget\nmetadata:\n  name: written\n  labels:\n    a: 5\n`,
  '- a',
  '',
  'x',
  '\tx',
];

/** Compares server-side apply: requested fields, owned fields, removed fields. */
export function apply(pair: Pair): void {
  area(pair, 'Apply', (compared, gadgets) => {
    compared('one manager creates, repeats, changes and removes fields (SSA-07, SSA-08, SSA-15)', async () => {
      await gadgets.apply('m1', 'a', { spec: { color: 'red', size: 3 } });
      await gadgets.apply('m1', 'a', { spec: { color: 'red', size: 3 } });
      await gadgets.apply('m1', 'a', { spec: { color: 'blue', size: 3 } });
      await gadgets.apply('m1', 'a', { spec: { color: 'blue' } });
    });

    compared('several managers: conflicts, shared fields, force, giving up (SSA-09 to SSA-14, SSA-34)', async () => {
      await gadgets.apply('m2', 'a', { spec: { color: 'green' } });
      await gadgets.apply('m2', 'a', { spec: { color: 'blue' } });
      await gadgets.apply('m3', 'a', { spec: { color: 'green' } });
      await gadgets.apply('m3', 'a', { spec: { color: 'green' } }, force);
      await gadgets.apply('m3', 'a', {});
      await gadgets.apply('m3', 'a', { spec: {} });
      await gadgets.apply('m9', 'a', {});
    });

    compared('nulls and defaults (SSA-37, SSA-40, DEC-22)', async () => {
      await gadgets.apply('m1', 'a', { spec: { color: null } }, { query: '&dryRun=All' });
      for (const spec of [{ maybe: null }, { mode: null }, { mode: 'fancy' }, {}])
        await gadgets.apply('m1', 'a', { spec });
    });

    compared('apply and other write methods share ownership (SSA-11, SSA-12, SSA-16)', async () => {
      const merge = (manager: string, patch: object) =>
        gadgets.patch('a', mergePatch, patch, { query: `?fieldManager=${manager}` });
      await merge('u1', { spec: { color: 'x', size: 9 } });
      await gadgets.apply('m1', 'a', { spec: { color: 'y', size: 1 } });
      await gadgets.apply('m1', 'a', { spec: { color: 'y', size: 1 } }, { query: '&force=false' });
      await merge('u2', { spec: { size: 10, labels: { a: '1', b: '2' } }, metadata: { labels: { q: 'r' } } });
      const spec = { color: 'y', size: 1, labels: { a: 'z' } };
      await gadgets.apply('m1', 'a', { spec });
      await gadgets.apply('m1', 'a', { spec }, force);
      await gadgets.apply('m4', 'a', { spec: { color: 'dry' } }, { query: '&force=true&dryRun=All' });
      await gadgets.get('/a');
    });

    compared('specs that violate the schema (SSA-05, SSA-06, DEC-18)', async () => {
      await gadgets.post(gadget('fit'));
      for (const spec of misfits) await gadgets.apply('m3', 'fit', { spec });
      for (const mode of ['Strict', 'Ignore']) {
        await gadgets.apply('m3', 'fit', { spec: { foo: 1 } }, { query: `&fieldValidation=${mode}` });
      }
      await gadgets.apply('m3', 'fit', { spec: { raw: { foo: 1 } } }, force);
      await gadgets.patch('fit', applyPatch, { ...gadget('fit'), foo: 1 }, { query: '?fieldManager=m3' });
    });

    compared('metadata (SSA-03, SSA-21, SSA-38, PATCH-18)', async () => {
      const meta = (manager: string, metadata: object, name = 'meta') =>
        gadgets.apply(manager, name, { metadata, spec: {} });
      const owner = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'X', name, uid });
      const finalizers = ['x/y', 'z/z'];
      await meta('m3', {
        labels: { a: 'b' },
        annotations: { c: 'd' },
        finalizers,
        ownerReferences: [owner('n', 'u1')],
      });
      await meta('m4', { labels: { a: 'b', e: 'f' }, finalizers: ['w/w'], ownerReferences: [owner('n', 'u2')] });
      await meta('m4', { labels: { a: 'x' }, ownerReferences: [owner('other', 'u1')] });
      await meta('m3', {});
      await meta('m4', {});
      await meta('m5', { foo: 1 });
      await meta('m5', { labels: { a: 1 } });
      await meta('m5', { uid: 'x' });
      await meta('m5', { generation: 5, creationTimestamp: '2020-01-01T00:00:00Z', selfLink: 'x' });
      await meta('m5', { creationTimestamp: null });
      await meta('m5', { managedFields: [] });
      await meta('m5', { managedFields: null });
      await meta('m5', { managedFields: [{ manager: 'x' }] });
      await meta('m5', { resourceVersion: '1' });
      await meta('m5', { resourceVersion: 'abc' });
      await meta('m5', { resourceVersion: '5' }, 'not-there');
      await meta('m5', { uid: 'abc' }, 'not-there');
      await meta('m5', { namespace: 'apply' });
      await meta('m5', { namespace: 'other' });
    });

    compared('names, kinds and versions of the body (SSA-01, SSA-02, PATCH-16)', async () => {
      const applied = (body: object, name = 'meta') =>
        gadgets.patch(name, applyPatch, body, { query: '?fieldManager=m5' });
      const spec = { color: 'q' };
      await applied(gadget('other'));
      await applied({ apiVersion, kind: 'Gadget', spec });
      await applied({ apiVersion, kind: 'Gadget', spec }, 'unnamed');
      await applied({ apiVersion, kind: 'Gadget', metadata: {}, spec });
      await applied({ ...gadget('meta'), kind: 'Gizmo' });
      await applied({ ...gadget('not-there'), kind: 'Gizmo' }, 'not-there');
      await applied({ ...gadget('meta'), apiVersion: 'workshop.test/v2' });
      await applied({ ...gadget('meta'), apiVersion: 'x.y/v1' });
      await applied({ apiVersion, metadata: { name: 'meta' } });
      await applied({ kind: 'Gadget', metadata: { name: 'meta' } });
      await applied({ apiVersion, kind: 'Gadget', metadata: { generateName: 'm', name: 'meta' } });
      await applied(gadget('UPPER'), 'UPPER');
    });

    compared('the manager must be named, and not too long (PATCH-20, CREATE-09)', async () => {
      for (const query of ['', '?fieldManager=', `?fieldManager=${'x'.repeat(129)}`]) {
        await gadgets.patch('meta', applyPatch, gadget('meta'), { query });
      }
    });

    compared('a dry run creates nothing, and a missing namespace is reported (SSA-39, CREATE-19)', async () => {
      await gadgets.apply('m1', 'dry', { spec: { color: 'q' } }, { query: '&dryRun=All' });
      await gadgets.get('/dry');
      const path = `${groupPath}/namespaces/nope/gadgets/x?fieldManager=m`;
      const headers = { 'content-type': applyPatch };
      await gadgets.send({ method: 'PATCH', path, body: JSON.stringify(gadget('x')), headers });
    });

    compared('bodies in YAML, in both modes (SSA-04, DEC-17)', async () => {
      for (const text of texts) {
        for (const mode of ['', '&fieldValidation=Strict']) {
          await gadgets.patch('written', applyPatch, text, { query: `?fieldManager=y${mode}` });
        }
      }
    });
  });
}
