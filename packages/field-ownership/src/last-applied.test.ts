import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { ApplyConflictError } from './apply-errors.ts';
import { errorOf, object, Thing } from './thing.fixture.ts';

describe('kubectl', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

  function clientSideApplied(spec: JsonObject, recorded: JsonObject = spec): Thing {
    const state = new Thing();
    const lastApplied = JSON.stringify({
      apiVersion: 'g.io/v1',
      kind: 'Thing',
      metadata: { name: 'x' },
      spec: recorded,
    });
    state.update('kubectl-client-side-apply', object(spec, { annotations: { [annotation]: lastApplied } }));
    return state;
  }

  it('takes over the fields of its client-side apply (SSA-35, KUBECTL-08)', () => {
    const state = clientSideApplied({ a: '1', set: ['x'] });
    state.apply('kubectl', object({ a: '2', set: ['x'] }));
    expect(state.spec).toEqual({ a: '2', set: ['x'] });
  });

  it('still conflicts on fields that other managers have changed since (SSA-35)', () => {
    const state = clientSideApplied({ a: '1', b: '1' }, { a: '1', b: 'other' });
    expect(errorOf(() => state.apply('kubectl', object({ a: '2', b: '2' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using g.io/v1: .spec.b',
    );
    expect(errorOf(() => state.apply('someone', object({ a: '2' })))).toBeInstanceOf(ApplyConflictError);
  });

  it('updates the annotation, if it exists (SSA-35)', () => {
    const state = clientSideApplied({ a: '1' });
    state.apply('kubectl', object({ a: '2' }));
    expect(state.live?.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"x","namespace":"n"},"spec":{"a":"2"}}\n',
    );
    const fresh = new Thing();
    fresh.apply('kubectl', object({ a: '2' }));
    expect(fresh.live?.metadata.annotations).toBeUndefined();
  });

  it('keeps the kind that the annotation names, which may be another view of the object', () => {
    const state = new Thing();
    const lastApplied = JSON.stringify({ apiVersion: 'g.io/v1', kind: 'OwnedThing', metadata: {}, spec: { a: '1' } });
    state.update('kubectl-client-side-apply', object({ a: '1' }, { annotations: { [annotation]: lastApplied } }));
    state.apply('kubectl', object({ a: '2' }));
    expect(JSON.parse(state.live?.metadata.annotations?.[annotation] ?? '')).toMatchObject({
      kind: 'OwnedThing',
      spec: { a: '2' },
    });
  });

  it('removes the annotation if it would be too long (SSA-35)', () => {
    const state = clientSideApplied({ a: '1' });
    state.apply('kubectl', object({ a: 'x'.repeat(262_144) }));
    expect(state.live?.metadata.annotations).toEqual({});
  });
});
