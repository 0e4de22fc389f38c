import { deepFreeze, type JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { applyObject } from './apply.ts';
import { ApplyConflictError } from './apply-errors.ts';
import { errorOf, object, Thing, type ThingObject, thing } from './thing.fixture.ts';

describe('ownership after an apply', () => {
  it('is one entry with the leaves and items that were sent (SSA-07, SSA-17, SSA-20, SSA-22)', () => {
    const state = new Thing();
    state.apply(
      'm',
      object({ a: '1', map: { k: 'v' }, set: ['x'], list: [{ name: 'i', value: '1' }], plainList: ['p'] }),
    );
    expect(state.entries).toEqual([
      {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'g.io/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:a': {},
            'f:list': { 'k:{"name":"i"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
            'f:map': { 'f:k': {} },
            'f:plainList': {},
            'f:set': { 'v:"x"': {} },
          },
        },
      },
    ]);
  });

  it('includes key defaults that were not sent', () => {
    const state = new Thing();
    state.apply('m', object({ ports: [{ port: 80 }] }));
    expect(state.owned('m')).toEqual({
      'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    });
  });

  it('follows the structure of metadata (SSA-23)', () => {
    const owner = { apiVersion: 'v1', kind: 'K', name: 'o', uid: 'u' };
    const state = new Thing();
    state.apply('m', object({}, { labels: { l: '1' }, finalizers: ['f/f'], ownerReferences: [owner] }));
    expect(state.owned('m')).toEqual({
      'f:metadata': {
        'f:finalizers': { 'v:"f/f"': {} },
        'f:labels': { 'f:l': {} },
        'f:ownerReferences': { 'k:{"uid":"u"}': {} },
      },
      'f:spec': {},
    });
  });

  it('omits fields that only the server sets, and so may be empty (SSA-21, SSA-34)', () => {
    const state = new Thing();
    const { spec: _, ...bare } = object({}, { uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: null });
    state.apply('m', bare as ThingObject);
    expect(state.entries).toEqual([]);
    expect(state.live?.metadata).not.toHaveProperty('managedFields');
  });

  it('deduces the structure from the value if the schema does not define it (SSA-24)', () => {
    const state = new Thing();
    state.apply('m', object({ free: { deep: { x: 1 }, list: [{ y: 1 }] } }));
    expect(state.owned('m')).toEqual({
      'f:spec': { 'f:free': { 'f:deep': { '.': {}, 'f:x': {} }, 'f:list': {} } },
    });
  });

  it('needs no schema at all (SSA-24)', () => {
    const state = new Thing({ ...thing, schema: { type: 'object' } });
    state.apply('m', { ...object({ any: { thing: [1] } }), data: 'x' } as ThingObject);
    expect(state.owned('m')).toEqual({
      'f:data': {},
      'f:spec': { '.': {}, 'f:any': { '.': {}, 'f:thing': {} } },
    });
  });

  it('treats an embedded resource as an object', () => {
    const state = new Thing();
    state.apply('m', object({ embedded: { kind: 'K', metadata: { labels: { a: '1' } }, spec: { x: '1' } } }));
    expect(state.owned('m')).toEqual({
      'f:spec': {
        'f:embedded': { 'f:kind': {}, 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:spec': { 'f:x': {} } },
      },
    });
  });

  it('writes keys with 64-bit integers exactly, and as Go escapes them (SSA-20)', () => {
    const state = new Thing();
    state.apply('m', object({ ports: [{ port: 9007199254740993n }], set: ['<a>'] }));
    expect(state.owned('m')).toEqual({
      'f:spec': {
        'f:ports': { 'k:{"port":9007199254740993,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
        'f:set': { 'v:"\\u003ca\\u003e"': {} },
      },
    });
    state.apply('m', object({ ports: [{ port: 9007199254740993n, note: 'n' }] }));
    expect(state.spec).toEqual({ ports: [{ port: 9007199254740993n, note: 'n' }] });
  });
});

describe('an apply over an earlier one', () => {
  it('removes fields that its manager omits and no other manager owns (SSA-08)', () => {
    const state = new Thing();
    state.apply(
      'm',
      object({ a: '1', b: '1', set: ['x', 'y'], list: [{ name: 'i' }, { name: 'j' }], map: { k: '1' } }),
    );
    state.apply('other', object({ b: '1', set: ['y'] }));
    state.update('u', object({ ...(state.spec as JsonObject), size: 1 }, { managedFields: null }));
    state.apply('m', object({ list: [{ name: 'j' }] }));
    expect(state.spec).toEqual({ b: '1', set: ['y'], list: [{ name: 'j' }], size: 1 });
  });

  it('keeps items of keyed lists that other managers also applied (SSA-08)', () => {
    const state = new Thing();
    state.apply('m', object({ list: [{ name: 'i', value: '1' }] }));
    state.apply('other', object({ list: [{ name: 'i', more: '2' }] }));
    state.apply('m', object({}));
    expect(state.spec).toEqual({ list: [{ name: 'i', more: '2' }] });
    expect(state.owned('other')).toEqual({
      'f:spec': { 'f:list': { 'k:{"name":"i"}': { '.': {}, 'f:more': {}, 'f:name': {} } } },
    });
  });

  it('keeps defaults without an owner (SSA-37)', () => {
    const state = new Thing();
    state.apply('m', object({ a: '1', inner: { x: '1' } }));
    state.live = { ...(state.live as ThingObject), spec: { a: '1', b: 'default', inner: { x: '1', y: 'default' } } };
    state.apply('m', object({ inner: { x: '1' } }));
    expect(state.spec).toEqual({ b: 'default', inner: { x: '1', y: 'default' } });
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:inner': { 'f:x': {} } } });
  });

  it('changes nothing, not even a time, if it is the same (SSA-15)', () => {
    const state = new Thing();
    const first = state.apply('m', object({ a: '1', list: [{ name: 'i' }] }));
    expect(state.apply('m', object({ a: '1', list: [{ name: 'i' }] }))).toEqual(first);
  });

  it('updates only the time of its own entry, if the object or the fields changed (SSA-25)', () => {
    const state = new Thing();
    state.apply('m', object({ a: '1' }));
    state.apply('other', object({ a: '1', b: '1' }));
    expect([state.time('m'), state.time('other')]).toEqual(['00Z', '01Z']);
    state.apply('m', object({ a: '1', b: '1' }));
    expect([state.time('m'), state.time('other')]).toEqual(['02Z', '01Z']);
  });

  it('keeps the order of the applied items and the position of the others', () => {
    const state = new Thing();
    state.apply('m', object({ set: ['a', 'b', 'c'] }));
    state.apply('other', object({ set: ['c', 'new', 'a'] }));
    expect(state.spec).toEqual({ set: ['b', 'c', 'new', 'a'] });
  });

  it('leaves one item if the live object has it twice', () => {
    const state = new Thing();
    state.update('u', object({ set: ['y', 'x', 'x'], list: [{ name: 'i', more: '1' }, { name: 'i' }] }));
    state.apply('m', object({ set: ['x'], list: [{ name: 'i', value: '2' }] }), { force: true });
    expect(state.spec).toEqual({ set: ['y', 'x'], list: [{ name: 'i', value: '2' }] });
  });

  it('replaces its entry when it uses another version (SSA-18)', () => {
    const state = new Thing({ ...thing, version: 'v1beta1' });
    state.apply('m', { ...object({ a: '1', b: '1' }), apiVersion: 'g.io/v1beta1' } as ThingObject);
    const later = new Thing();
    later.live = { ...(state.live as ThingObject), apiVersion: 'g.io/v1' };
    later.apply('m', object({ a: '1' }));
    expect(later.entries.map((entry) => entry.apiVersion)).toEqual(['g.io/v1']);
    expect(later.spec).toEqual({ a: '1' });
  });

  it('owns the whole list or map if the schema has become atomic', () => {
    const granular: JsonObject = { 'f:spec': { 'f:whole': { '.': {}, 'f:x': {} }, 'f:plainList': { 'v:"a"': {} } } };
    const state = new Thing();
    const entry = {
      manager: 'old',
      operation: 'Update',
      apiVersion: 'g.io/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: granular,
    };
    state.live = object({ whole: { x: '1' }, plainList: ['a'] }, { managedFields: [entry] });
    state.apply('m', object({ a: '1' }));
    expect(state.owned('old', 'Update')).toEqual({ 'f:spec': { 'f:plainList': {}, 'f:whole': {} } });
  });
});

describe('conflicts', () => {
  it('are listed per field and name the owner in the message (SSA-09, SSA-11, SSA-12)', () => {
    const state = new Thing();
    state.update('editor', object({ a: '1' }));
    const error = errorOf(() => state.apply('m', object({ a: '2' })));
    expect(error).toBeInstanceOf(ApplyConflictError);
    expect(error).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "editor" using g.io/v1: .spec.a',
      conflicts: [{ manager: 'editor', message: 'conflict with "editor" using g.io/v1', field: '.spec.a' }],
    });
  });

  it('are grouped by manager, with human-readable paths (SSA-12, SSA-13)', () => {
    const state = new Thing();
    state.update('a', object({ list: [{ name: 'i', value: '1' }], a: '1', ports: [{ port: 80, note: '1' }] }));
    state.apply('b', object({ inner: { x: '1' } }));
    const body = object({
      a: '2',
      list: [{ name: 'i', value: '2' }],
      ports: [{ port: 80, note: '2' }],
      inner: { x: '2' },
    });
    expect(errorOf(() => state.apply('m', body)).message).toBe(
      [
        'Apply failed with 4 conflicts: conflicts with "a" using g.io/v1:',
        '- .spec.a',
        '- .spec.list[name="i"].value',
        '- .spec.ports[port=80,protocol="TCP"].note',
        'conflicts with "b":',
        '- .spec.inner.x',
      ].join('\n'),
    );
  });

  it('name the subresource that the owner used (SSA-12)', () => {
    const state = new Thing();
    state.update('m', object({}));
    state.update('m', { ...(state.live as ThingObject), status: { phase: '1' } } as ThingObject, 'status');
    const body = { ...object({}), status: { phase: '2' } } as ThingObject;
    expect(errorOf(() => state.apply('other', body, { subresource: 'status' })).message).toBe(
      'Apply failed with 1 conflict: conflict with "m" with subresource "status" using g.io/v1: .status.phase',
    );
  });

  it('do not arise if the value is the same: both managers own it (SSA-10)', () => {
    const state = new Thing();
    state.apply('m', object({ a: '1' }));
    state.apply('other', object({ a: '1' }));
    expect(state.owned('m')).toEqual(state.owned('other'));
  });

  it('are overridden by force, which takes exactly the conflicting fields (SSA-14)', () => {
    const state = new Thing();
    state.apply('m', object({ a: '1', b: '1' }));
    state.apply('gone', object({ size: 1 }));
    state.apply('taker', object({ a: '2', size: 2 }), { force: true });
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:b': {} } });
    expect(state.owned('gone')).toBeUndefined();
    expect(state.spec).toEqual({ a: '2', b: '1', size: 2 });
  });

  it('name before-first-apply if the object has no managers (SSA-28)', () => {
    const state = new Thing();
    state.live = object({ a: '1' }, { uid: 'u' });
    expect(errorOf(() => state.apply('m', object({ a: '2' }))).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using g.io/v1: .spec.a',
    );
    state.apply('m', object({ b: '1' }));
    expect(state.owned('before-first-apply', 'Update')).toEqual({ 'f:spec': { '.': {}, 'f:a': {} } });
  });
});

describe('endpoints', () => {
  it('the main endpoint neither changes nor owns the status (SSA-33)', () => {
    const state = new Thing();
    state.update('m', { ...object({}), status: { phase: 'live' } } as ThingObject);
    state.apply('m', { ...object({ a: '1' }), status: { phase: 'sent' } } as ThingObject);
    expect(state.live?.status).toEqual({ phase: 'live' });
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:a': {} } });
  });

  it('/status neither changes nor owns anything else (SSA-33, STATUS-06)', () => {
    const state = new Thing();
    state.apply('m', object({ a: '1' }));
    const body = { ...object({ a: '2' }, { labels: { l: '1' } }), status: { phase: '1' } } as ThingObject;
    state.apply('m', body, { subresource: 'status' });
    expect(state.spec).toEqual({ a: '1' });
    expect(state.live?.metadata.labels).toBeUndefined();
    expect(state.owned('m', 'Apply', 'status')).toEqual({ 'f:status': { 'f:phase': {} } });
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:a': {} } });
  });

  it('/status also changes and owns the metadata of some kinds, but not the spec (STATUS-02, STATUS-06)', () => {
    const state = new Thing({ ...thing, statusWritesMetadata: true });
    state.apply('m', object({ a: '1' }));
    const body = { ...object({ a: '2' }, { labels: { l: '1' } }), status: { phase: '1' } } as ThingObject;
    state.apply('m', body, { subresource: 'status' });
    expect(state.spec).toEqual({ a: '1' });
    expect(state.live?.metadata.labels).toEqual({ l: '1' });
    const owned = { 'f:metadata': { 'f:labels': { 'f:l': {} } }, 'f:status': { 'f:phase': {} } };
    expect(state.owned('m', 'Apply', 'status')).toEqual(owned);
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:a': {} } });
  });

  it('return the resourceVersion of the body to the caller (SSA-38)', () => {
    const state = new Thing();
    state.apply('m', object({ a: '1' }));
    expect(state.apply('m', object({ a: '1' }, { resourceVersion: '7' })).metadata.resourceVersion).toBe('7');
    const body = { ...object({}, { resourceVersion: '8' }), status: {} } as ThingObject;
    expect(state.apply('m', body, { subresource: 'status' }).metadata.resourceVersion).toBe('8');
  });
});

describe('null', () => {
  it('is owned and part of the result, for pruning to decide (SSA-40)', () => {
    const state = new Thing();
    state.apply('m', object({ a: null, b: '1' }));
    expect(state.spec).toEqual({ a: null, b: '1' });
    expect(state.owned('m')).toEqual({ 'f:spec': { 'f:a': {}, 'f:b': {} } });
  });

  it('never appears in metadata (META-10)', () => {
    const state = new Thing();
    const result = state.apply('m', object({}, { labels: { l: null }, finalizers: null }));
    expect(result.metadata.labels).toEqual({ l: '' });
    expect(result.metadata).not.toHaveProperty('finalizers');
  });
});

it('applyObject changes neither the live object nor the request body', () => {
  const state = new Thing();
  state.apply('m', object({ a: '1', list: [{ name: 'i' }], map: { k: 'v' } }));
  const live = deepFreeze(state.live as JsonObject) as ThingObject;
  const applied = deepFreeze(object({ list: [{ name: 'j' }] }) as JsonObject) as ThingObject;
  const options = { kind: thing, live, applied, force: false, subresource: '', now: '2026-01-01T00:00:00Z' };
  const result = applyObject({ ...options, manager: 'other' });
  expect(() => {
    (result.spec as { list: JsonObject[] }).list.push({ name: 'k' });
    (result.spec as { map: JsonObject }).map.more = 'x';
  }).not.toThrow();
  expect(Object.isFrozen(applyObject({ ...options, manager: 'm' }).spec)).toBe(false);
});

it('applyObject accepts objects that are a thousand levels deep', () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 1_000; level++) deep = { a: deep };
  const state = new Thing();
  state.apply('m', object({ free: deep }));
  state.update('u', object({ free: { ...deep, b: 1 } }));
  state.apply('m', object({ free: { c: 1 } }));
  expect(state.spec).toEqual({ free: { b: 1, c: 1 } });
});

it('applyObject treats __proto__ as an ordinary member', () => {
  const state = new Thing();
  state.apply('m', object({ free: JSON.parse('{"__proto__":{"x":1}}') as JsonObject }));
  state.apply('other', object({ map: JSON.parse('{"__proto__":"v"}') as JsonObject }));
  expect(JSON.stringify(state.spec)).toBe('{"free":{"__proto__":{"x":1}},"map":{"__proto__":"v"}}');
  state.apply('m', object({}));
  expect(JSON.stringify(state.spec)).toBe('{"map":{"__proto__":"v"}}');
});
