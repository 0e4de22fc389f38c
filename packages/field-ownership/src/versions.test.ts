import { expect, it } from 'vitest';
import { applyObject } from './apply.ts';
import { ApplyConflictError } from './apply-errors.ts';
import { trackUpdate } from './track-update.ts';
import type { TrackedKind, TrackedVersions } from './tracked-kind.ts';
import type { TrackedObject } from './tracked-object.ts';

/** A kind whose field `spec.size` is named `spec.scale` in v2. */
const versions: TrackedVersions = {
  find: (apiVersion) => [v1, v2].find(({ version }) => apiVersion === `g.io/${version}`),
  convert(object, apiVersion) {
    const { spec = {}, ...rest } = object as TrackedObject & { spec?: Record<string, string> };
    const { size, scale, ...others } = spec;
    const value = size ?? scale;
    const name = apiVersion === 'g.io/v2' ? 'scale' : 'size';
    return { ...rest, apiVersion, spec: { ...others, ...(value === undefined ? {} : { [name]: value }) } } as never;
  },
};

function kindWith(version: string, field: string): TrackedKind {
  const text = { type: 'string' } as const;
  const spec = { type: 'object', properties: { [field]: text, a: text } } as const;
  const schema = { type: 'object', properties: { spec } } as const;
  return { group: 'g.io', version, kind: 'Thing', hasStatus: false, goForm: undefined, schema, versions };
}

const v1 = kindWith('v1', 'size');
const v2 = kindWith('v2', 'scale');
const thing = (version: string, spec: object): TrackedObject =>
  ({ apiVersion: `g.io/${version}`, kind: 'Thing', metadata: { name: 'x' }, spec }) as TrackedObject;
const write = { subresource: '', now: '2026-01-01T00:00:00Z' } as const;

function ownersOf(object: TrackedObject): unknown {
  return Object.fromEntries(
    (object.metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => [
      `${manager} ${apiVersion}`,
      Object.keys((fieldsV1['f:spec'] ?? {}) as object),
    ]),
  );
}

it('an update in one version takes the fields of managers of the other version', () => {
  const created = trackUpdate({ ...write, kind: v1, next: thing('v1', { size: '1', a: 'x' }), manager: 'one' });
  const live = versions.convert(created, 'g.io/v2');
  const next = { ...live, spec: { scale: '2', a: 'x' } } as TrackedObject;
  expect(ownersOf(trackUpdate({ ...write, kind: v2, live, next, manager: 'two' }))).toEqual({
    'one g.io/v1': ['.', 'f:a'],
    'two g.io/v2': ['f:scale'],
  });
});

it('an apply in one version conflicts with managers of the other version, and removes fields applied in it', () => {
  const applied = { ...write, applied: thing('v1', { size: '1', a: 'x' }), manager: 'one', force: false };
  const created = applyObject({ ...applied, kind: v1 });
  const live = versions.convert(created, 'g.io/v2');
  const other = { ...write, kind: v2, live, applied: thing('v2', { scale: '2' }), manager: 'two' };
  expect(() => applyObject({ ...other, force: false })).toThrow(ApplyConflictError);
  expect(ownersOf(applyObject({ ...other, force: true }))).toEqual({
    'one g.io/v1': ['f:a'],
    'two g.io/v2': ['f:scale'],
  });
  const again = { ...write, kind: v2, live, applied: thing('v2', { scale: '1' }), manager: 'one', force: false };
  expect(applyObject(again)).toMatchObject({ apiVersion: 'g.io/v2', spec: { scale: '1' } });
  expect(applyObject(again)).not.toHaveProperty('spec.a');
  const abandoned = applyObject({ ...again, applied: thing('v2', { a: 'x' }) });
  expect(abandoned).not.toHaveProperty('spec.scale');
});

it('fields of an abandoned version stay if a manager of the other version owns them', () => {
  const created = applyObject({
    ...write,
    kind: v1,
    applied: thing('v1', { size: '1', a: 'x' }),
    manager: 'one',
    force: false,
  });
  const live = versions.convert(created, 'g.io/v2');
  const shared = applyObject({
    ...write,
    kind: v2,
    live,
    applied: thing('v2', { scale: '1' }),
    manager: 'two',
    force: false,
  });
  const back = versions.convert(shared, 'g.io/v1');
  const left = applyObject({
    ...write,
    kind: v1,
    live: back,
    applied: thing('v1', { a: 'x' }),
    manager: 'one',
    force: false,
  });
  expect(left).toMatchObject({ spec: { size: '1', a: 'x' } });
});

it('entries of versions that do not exist are removed', () => {
  const created = trackUpdate({ ...write, kind: v1, next: thing('v1', { size: '1' }), manager: 'one' });
  const entries = created.metadata.managedFields?.map((entry) => ({ ...entry, apiVersion: 'g.io/v9' })) ?? [];
  const live = { ...created, metadata: { ...created.metadata, managedFields: entries } };
  const next = { ...live, spec: { size: '2' } } as TrackedObject;
  expect(ownersOf(trackUpdate({ ...write, kind: v1, live, next, manager: 'two' }))).toEqual({
    'two g.io/v1': ['f:size'],
  });
});
