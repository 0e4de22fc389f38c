import { area } from '../../area.ts';
import { age, apiVersion, applyPatch, asTable, gadget, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const options = (more: object) => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...more });

const bodies = [
  { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'x' },
  { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan', orphanDependents: true },
  { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'abc' } },
  { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { resourceVersion: '1' } },
  { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'abc', resourceVersion: '1' } },
  { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['x'] },
  { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All', 'x'] },
  { kind: 'Gadget', apiVersion: 'workshop.test/v1' },
  { kind: 'Foo', apiVersion: 'v1' },
  { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 'x' },
  { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 1.5 },
  '"x"',
  '[]',
  '{',
  '5',
  { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 5 },
  { kind: 'DeleteOptions', apiVersion: 'v1', orphanDependents: 'x' },
  { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: 'x' },
  { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
  { kind: 'DeleteOptions', apiVersion: 'v1' },
  { kind: 'DeleteOptions', apiVersion: 'v1', foo: 1, dryRun: ['All'] },
  { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
  { kind: 'DeleteOptions', apiVersion: 'workshop.test/v1', dryRun: ['All'] },
  { dryRun: ['All'] },
  { apiVersion: 'v1', dryRun: ['All'] },
  { kind: 'DeleteOptions', dryRun: ['All'] },
  'x: y',
  { kind: 'DeleteOptions', apiVersion: 'v1', ignoreStoreReadErrorWithClusterBreakingPotential: true, dryRun: ['All'] },
];

const queries = [
  '?propagationPolicy=x',
  '?propagationPolicy=Orphan&orphanDependents=true',
  '?dryRun=x',
  '?gracePeriodSeconds=x',
  '?gracePeriodSeconds=1.5',
  '?orphanDependents=x&dryRun=All',
  '?dryRun=All',
  '?dryRun=All&propagationPolicy=Foreground',
  '?dryRun=All&propagationPolicy=Orphan',
  '?dryRun=All&uid=abc',
  '?dryRun=All&resourceVersion=1',
  '?preconditions.uid=abc&dryRun=All',
  '?dryRun=All&gracePeriodSeconds=0',
  '?dryRun=All&orphanDependents=false',
  '?timeout=abc',
];

const policies: readonly object[] = [
  { propagationPolicy: 'Foreground' },
  { propagationPolicy: 'Orphan' },
  { propagationPolicy: 'Background' },
  { orphanDependents: true },
  { orphanDependents: false },
  {},
];

/** Compares the deletion of single objects: at once, or delayed by finalizers. */
export function deletion(pair: Pair): void {
  area(pair, 'Deletion', (compared, gadgets) => {
    const make = (name: string, metadata = {}) => gadgets.post(gadget(name, { metadata }), { keepAs: name });

    compared('without finalizers an object is deleted at once (DELETE-06, DELETE-10, DELETE-20)', async () => {
      await make('plain');
      await gadgets.delete('/plain');
      await gadgets.delete('/plain');
    });

    compared(
      'with a finalizer it stays, marked, and may still be changed (DELETE-07, DELETE-09, GET-06, UPDATE-17, UPDATE-19)',
      async () => {
        await make('held', { finalizers: ['x/y'] });
        await gadgets.delete('/held');
        await gadgets.delete('/held');
        await gadgets.get('/held', { keepAs: 'held' });
        await gadgets.get('/held', { headers: { accept: asTable }, ignoredFields: age });
        await gadgets.post(gadget('held'));
        await gadgets.put('held', (object) => Object.assign(object, { spec: { color: 'y' } }));
        await gadgets.put('held', (object) => {
          object.spec = { color: 'z' };
          delete object.metadata.deletionTimestamp;
          delete object.metadata.deletionGracePeriodSeconds;
        });
        await gadgets.put('held', ({ metadata }) => Object.assign(metadata, { deletionGracePeriodSeconds: 7 }));
        await gadgets.put('held', ({ metadata }) => Object.assign(metadata, { finalizers: ['x/y', 'n/n', 'm/m'] }));
        await gadgets.patch('held', mergePatch, { metadata: { finalizers: ['q/q'] } });
        await gadgets.patch('held', mergePatch, { metadata: { deletionTimestamp: null } });
        await gadgets.apply('f', 'held', { spec: { size: 2 } }, { query: '&force=true' });
        await gadgets.patch('held/status', mergePatch, { status: { phase: 'Up' } });
      },
    );

    compared('it is deleted when the last finalizer is removed (DELETE-21, PATCH-24, UPDATE-18)', async () => {
      await gadgets.patch('held', mergePatch, { metadata: { finalizers: null } }, { query: '?dryRun=All' });
      await gadgets.patch('held', mergePatch, { metadata: { finalizers: null } });
      await gadgets.get('/held');
      await make('put', { finalizers: ['x/y'] });
      await gadgets.delete('/put');
      await gadgets.get('/put', { keepAs: 'put' });
      await gadgets.put('put', (object) => {
        object.metadata.finalizers = [];
        object.spec = { color: 'last' };
      });
      await gadgets.get('/put');
      await make('patched', { finalizers: ['x/y'] });
      await gadgets.delete('/patched');
      await gadgets.patch('patched', jsonPatch, [{ op: 'remove', path: '/metadata/finalizers' }]);
      await make('applied', { finalizers: ['x/y'] });
      await gadgets.delete('/applied');
      const body = { apiVersion, kind: 'Gadget', metadata: { name: 'applied' } };
      await gadgets.patch('applied', applyPatch, body, { query: '?fieldManager=workshop' });
    });

    compared('options in the body and in the query (DELETE-01 to DELETE-05, DELETE-19, DELETE-23)', async () => {
      await make('o1');
      for (const body of bodies) await gadgets.delete('/o1', body);
      for (const query of queries) await gadgets.delete(`/o1${query}`);
      await gadgets.get('/o1');
      await gadgets.delete('/o1', '{}', { headers: { 'content-type': 'text/plain' } });
      const yaml = 'kind: DeleteOptions\napiVersion: v1\ndryRun: [All]\n';
      await gadgets.delete('/o1', yaml, { headers: { 'content-type': 'application/yaml' } });
      await gadgets.delete('/o1', undefined, { headers: { accept: 'text/plain' } });
      await make('o2');
      await gadgets.delete('/o2', undefined, { headers: { accept: asTable } });
      await make('o3');
      await gadgets.delete('/o3', '');
      await make('o4');
      await gadgets.delete('/o4?propagationPolicy=x', options({ dryRun: ['All'] }));
      await gadgets.delete('/o4?dryRun=');
    });

    compared('preconditions (DELETE-11, DELETE-12)', async () => {
      await make('sure');
      const condition = (preconditions: object) => gadgets.delete('/sure', options({ preconditions }));
      await condition({ uid: 'abc' });
      await condition({ resourceVersion: '1' });
      await condition({ uid: 'abc', resourceVersion: '1' });
      await gadgets.send((side) => {
        const { uid, resourceVersion } = side.kept('sure').metadata;
        return {
          method: 'DELETE',
          path: `${gadgets.path}/sure`,
          json: options({ preconditions: { uid, resourceVersion } }),
        };
      });
      await condition({ uid: 'abc' });
    });

    compared('the deletion of dependents (DELETE-08, DELETE-13 to DELETE-17)', async () => {
      for (const [at, policy] of policies.entries()) {
        const name = `free-${at}`;
        await make(name);
        await gadgets.delete(`/${name}`, options(policy));
        await gadgets.delete(`/${name}`, options(policy));
        await gadgets.delete(`/${name}`, options({ propagationPolicy: 'Background' }));
        await gadgets.get(`/${name}`);
        for (const finalizer of ['orphan', 'foregroundDeletion', 'a.b/c']) {
          const held = `held-${at}-${finalizer.charAt(0)}`;
          await make(held, { finalizers: [finalizer] });
          for (const then of [policy, {}, { propagationPolicy: 'Foreground' }, { propagationPolicy: 'Orphan' }]) {
            await gadgets.delete(`/${held}`, options(then));
          }
        }
      }
    });
  });

  area(pair, 'Deletion of collections', (compared, gadgets) => {
    const matched = '?labelSelector=col';

    compared('invalid options delete nothing (DELCOL-06, DELCOL-08)', async () => {
      for (let i = 0; i < 4; i++) {
        const finalizers = i === 3 ? ['k/k'] : [];
        const metadata = { labels: { c: String(i % 2), col: 'y' }, finalizers };
        await gadgets.post(gadget(`c${i}`, { metadata }));
      }
      await gadgets.delete('?labelSelector=((');
      await gadgets.delete('?fieldSelector=spec.zip%3Dx');
      await gadgets.delete(matched, options({ propagationPolicy: 'x' }));
      for (const query of ['resourceVersionMatch=x', 'sendInitialEvents=true', 'limit=x', 'dryRun=All', 'timeout=x']) {
        await gadgets.delete(`${matched}&${query}`);
      }
      await gadgets.delete(matched, options({ dryRun: ['All'] }));
      await gadgets.delete(matched, options({ preconditions: { uid: 'x' } }));
    });

    compared('matching objects are deleted and returned (DELCOL-01 to DELCOL-04)', async () => {
      await gadgets.delete('?labelSelector=zzz');
      await gadgets.delete('?labelSelector=zzz', undefined, { headers: { accept: asTable } });
      await gadgets.delete(`${matched}&limit=1`);
      await gadgets.delete('?labelSelector=c%3D0');
      await gadgets.delete('?fieldSelector=metadata.name%3Dc1');
      await gadgets.delete(matched);
      await gadgets.get(matched);
      await gadgets.send({ method: 'DELETE', path: gadgets.path.replace('deletion-of-collections', 'nope') });
      await gadgets.delete('');
      await gadgets.get('');
    });
  });
}
