import { deepFreeze, type JsonObject, type JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { object, Thing, type ThingObject, thing } from './thing.fixture.ts';
import { trackUpdate } from './track-update.ts';
import type { TrackedKind } from './tracked-kind.ts';

const entry = {
  manager: 'before',
  operation: 'Update',
  apiVersion: 'g.io/v1',
  time: '2025-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:gone': {} } },
};

describe('a create', () => {
  it('has one Update entry with all fields that were sent, including containers (CREATE-07, SSA-22)', () => {
    const state = new Thing();
    state.update('m', object({ set: ['x'], inner: { x: '1' } }, { labels: { a: '1' }, generateName: 'g' }));
    expect(state.entries).toEqual([
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'g.io/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': { '.': {}, 'f:inner': { '.': {}, 'f:x': {} }, 'f:set': { '.': {}, 'v:"x"': {} } },
        },
      },
    ]);
  });

  it.each<[string, JsonValue]>([
    ['nothing', []],
    ['one empty entry', [{}]],
    ['an entry without operation', [{ manager: 'm', apiVersion: 'v1', fieldsType: 'FieldsV1' }]],
    ['an entry of an unknown form', [{ ...entry, fieldsType: 'FieldsV2' }]],
    ['an invalid set', [{ ...entry, fieldsV1: { spec: {} } }]],
    ['an invalid time', [{ ...entry, time: 'x' }]],
    ['a text', 'x'],
  ])('is tracked although its managedFields are %s (CREATE-06)', (_what, managedFields) => {
    const state = new Thing();
    state.update('m', object({ a: '1' }, { managedFields }));
    expect(state.entries.map(({ manager }) => manager)).toEqual(['m']);
  });

  it('extends the valid entries that it contains (CREATE-06)', () => {
    const state = new Thing();
    const mine = { ...entry, manager: 'm' };
    state.update('m', object({ a: '1' }, { managedFields: [entry, mine] }));
    expect(state.owned('before', 'Update')).toEqual({ 'f:spec': { 'f:gone': {} } });
    expect(state.owned('m', 'Update')).toEqual({ 'f:spec': { '.': {}, 'f:a': {}, 'f:gone': {} } });
  });
});

describe('an update', () => {
  it('takes the fields that it changes from their owners, and no others (SSA-16)', () => {
    const state = new Thing();
    state.apply('applier', object({ a: '1', b: '1', list: [{ name: 'i', value: '1' }] }));
    state.update('editor', object({ a: '2', b: '1', list: [{ name: 'i', value: '1', more: 'x' }] }));
    expect(state.owned('applier')).toEqual({
      'f:spec': { 'f:b': {}, 'f:list': { 'k:{"name":"i"}': { '.': {}, 'f:name': {}, 'f:value': {} } } },
    });
    expect(state.owned('editor', 'Update')).toEqual({
      'f:spec': { 'f:a': {}, 'f:list': { 'k:{"name":"i"}': { 'f:more': {} } } },
    });
  });

  it('drops removed fields from every entry, and then empty entries (SSA-16, SSA-34)', () => {
    const state = new Thing();
    state.update('a', object({ a: '1' }));
    state.update('b', object({ a: '1', b: '1' }));
    state.update('a', object({ a: '1' }));
    expect(state.entries.map(({ manager }) => manager)).toEqual(['a']);
  });

  it('keeps the times of other entries, and of its own if it changed nothing (SSA-25, SSA-26)', () => {
    const state = new Thing();
    state.update('a', object({ a: '1' }));
    state.update('b', object({ a: '1', b: '1' }));
    const before = state.live;
    expect([state.time('a', 'Update'), state.time('b', 'Update')]).toEqual(['00Z', '01Z']);
    expect(state.update('a', object({ a: '1', b: '1' }))).toEqual(before);
    state.update('a', object({ a: '3', b: '1' }));
    expect([state.time('a', 'Update'), state.time('b', 'Update')]).toEqual(['03Z', '01Z']);
  });

  it.each<[string, JsonValue]>([
    ['an empty list', []],
    ['one empty entry', [{}]],
  ])(
    'with %s removes all managers, and later updates are not tracked until an apply (SSA-29)',
    (_what, managedFields) => {
      const state = new Thing();
      state.update('a', object({ a: '1' }));
      state.update('b', object({ a: '2' }, { managedFields }));
      expect(state.live?.metadata).not.toHaveProperty('managedFields');
      state.update('c', object({ a: '3' }));
      expect(state.entries).toEqual([]);
      state.apply('d', object({ b: '1' }));
      expect(state.entries.map(({ manager }) => manager)).toEqual(['d', 'before-first-apply']);
    },
  );

  it.each<[string, JsonValue | undefined]>([
    ['no', undefined],
    ['null', null],
    ['undecodable', [{ manager: 'x' }]],
  ])('with %s managedFields keeps the live ones (SSA-30, SSA-31)', (_what, managedFields) => {
    const state = new Thing();
    state.update('a', object({ a: '1' }));
    state.update('b', object({ a: '1', b: '1' }, managedFields === undefined ? {} : { managedFields }));
    expect(state.entries.map(({ manager }) => manager)).toEqual(['a', 'b']);
  });

  it('accepts valid managedFields as the client sets them (SSA-31)', () => {
    const state = new Thing();
    state.update('a', object({ a: '1' }));
    state.update('b', object({ a: '1' }, { managedFields: [entry] }));
    expect(state.entries.map(({ manager }) => manager)).toEqual(['before']);
  });

  it('through a subresource ignores managedFields and tracks the status only (SSA-32, STATUS-06)', () => {
    const state = new Thing();
    state.update('a', object({ a: '1' }));
    const next = { ...object({ a: '1' }, { managedFields: [] }), status: { phase: '1' } } as ThingObject;
    state.update('b', next, 'status');
    expect(state.entries.map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ['a', undefined],
      ['b', 'status'],
    ]);
    expect(state.owned('b', 'Update', 'status')).toEqual({ 'f:status': { '.': {}, 'f:phase': {} } });
  });

  it('drops entries of other groups, whose fields are not those of this kind', () => {
    const state = new Thing();
    state.update('a', object({ a: '1' }, { managedFields: [{ ...entry, apiVersion: 'other.io/v1' }] }));
    expect(state.entries.map(({ manager }) => manager)).toEqual(['a']);
  });

  it('keeps at most ten Update entries (SSA-27)', () => {
    const state = new Thing();
    const map: JsonObject = {};
    state.apply('applier', object({ a: '1' }));
    for (let writer = 0; writer < 12; writer++) {
      map[`k${writer}`] = 'v';
      state.update(`w${String(writer).padStart(2, '0')}`, object({ a: '1', map: { ...map } }));
    }
    const names = state.entries.map(({ manager }) => manager);
    expect(names).toHaveLength(11);
    expect(names.slice(0, 3)).toEqual(['applier', 'ancient-changes', 'w03']);
    expect(state.owned('ancient-changes', 'Update')).toEqual({
      'f:spec': { 'f:map': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
    });
    expect(state.time('ancient-changes', 'Update')).toBe('03Z');
  });

  it('does not fail for stored lists that do not fit their schema, and keeps the managers', () => {
    const state = new Thing();
    state.update('a', object({ a: '1' }));
    state.live = { ...(state.live as ThingObject), spec: { list: [{ value: 'without a key' }] } };
    state.update('b', object({ a: '2' }));
    expect(state.entries.map(({ manager }) => manager)).toEqual(['a']);
  });

  it('owns duplicate items as a whole', () => {
    const state = new Thing();
    state.update('a', object({ set: ['x'] }));
    state.update('b', object({ set: ['x', 'x'] }));
    expect(state.owned('b', 'Update')).toEqual({ 'f:spec': { 'f:set': { 'v:"x"': {} } } });
    expect(state.owned('a', 'Update')).toEqual({ 'f:spec': { '.': {}, 'f:set': {} } });
    state.update('c', object({ set: ['x'] }));
    expect(state.owned('c', 'Update')).toEqual({ 'f:spec': { 'f:set': { 'v:"x"': {} } } });
  });

  it('does not change its inputs', () => {
    const next = deepFreeze(object({ a: '1' }, { managedFields: [entry] }) as JsonObject) as ThingObject;
    expect(() =>
      trackUpdate({ kind: thing, next, manager: 'm', subresource: '', now: '2026-01-01T00:00:00Z' }),
    ).not.toThrow();
  });
});

describe('a kind with a Go form', () => {
  /** Returns the object as Go prints it: with `a` even if it is empty, and with null for an absent list. */
  const print = ({ spec, ...rest }: JsonObject): JsonObject => ({
    ...rest,
    spec: { a: '', plainList: null, ...(spec as JsonObject | undefined) },
  });
  const kind: TrackedKind = {
    ...thing,
    goForm: {
      emptyObject: () => print({ apiVersion: 'g.io/v1', kind: 'Thing' }),
      print: (printed) => print(printed as JsonObject),
    },
  };

  it('is tracked as Go prints it: members of the empty object have no owner until they change', () => {
    const state = new Thing(kind);
    state.update('m', object({ a: '', b: '1' }));
    expect(state.owned('m', 'Update')).toEqual({ 'f:spec': { 'f:b': {} } });
    state.update('n', object({ a: '1', b: '1', plainList: ['x'] }));
    expect(state.owned('n', 'Update')).toEqual({ 'f:spec': { 'f:a': {}, 'f:plainList': {} } });
    state.update('o', object({ a: '1', b: '1' }));
    expect(state.owned('o', 'Update')).toEqual({ 'f:spec': { 'f:plainList': {} } });
    expect(state.spec).toEqual({ a: '1', b: '1' });
  });
});

describe('managedFields', () => {
  it('are sorted by operation, time, manager, version, subresource (SSA-19)', () => {
    const state = new Thing();
    state.update('z', object({ a: '1' }));
    state.update('b', { ...(state.live as ThingObject), status: { phase: '1' } } as ThingObject, 'status');
    state.update('b', object({ a: '1', b: '1' }));
    state.apply('y', object({ size: 1 }));
    state.apply('x', object({ on: true }));
    const entries = state.entries.map((each) => ({ ...each, time: '2026-01-01T00:00:00Z' })) as JsonValue;
    state.update('z', object(state.spec as JsonObject, { managedFields: entries }));
    expect(state.entries.map(({ manager, operation, subresource }) => [operation, manager, subresource])).toEqual([
      ['Apply', 'x', undefined],
      ['Apply', 'y', undefined],
      ['Update', 'b', undefined],
      ['Update', 'b', 'status'],
      ['Update', 'z', undefined],
    ]);
  });
});

describe('a write to a kind with reset fields', () => {
  const kind: TrackedKind = { ...thing, resetFields: { '': [['spec']], approval: [['spec', 'a'], ['status']] } };
  const now = '2026-01-01T00:00:00Z';
  const written = object({ a: '1', b: '2' }, { labels: { l: '1' } });

  it.each([
    ['', { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } }],
    ['approval', { 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } }, 'f:spec': { '.': {}, 'f:b': {} } }],
  ])('through %j gets no ownership of the fields that it cannot change', (subresource, fieldsV1) => {
    const { metadata } = trackUpdate({ kind, next: written, manager: 'm', subresource, now });
    expect(metadata.managedFields).toMatchObject([{ manager: 'm', fieldsV1 }]);
    expect(Object.keys(metadata.managedFields?.[0]?.fieldsV1 ?? {})).toEqual(Object.keys(fieldsV1));
  });
});
