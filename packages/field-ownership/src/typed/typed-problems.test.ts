import type { JsonObject, JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { InvalidApplyError, SchemaMismatchError } from '../apply-errors.ts';
import { errorOf, object, Thing, type ThingObject, thing } from '../thing.fixture.ts';
import { shapeOf } from './shape.ts';
import { typedProblems } from './typed-problems.ts';

describe('the body of an apply', () => {
  it('must have the kind of the endpoint (SSA-01)', () => {
    const body = { ...object({}), kind: 'Other', apiVersion: 'v1' } as ThingObject;
    expect(errorOf(() => new Thing().apply('m', body))).toEqual(
      new InvalidApplyError('invalid object type: /v1, Kind=Other'),
    );
    expect(errorOf(() => new Thing().apply('m', { ...object({}), kind: 1 } as unknown as ThingObject)).message).toBe(
      'invalid object type: g.io/v1, Kind=1',
    );
  });

  it('may omit apiVersion, kind and metadata, which default to those of the endpoint (completions §2)', () => {
    const result = new Thing().apply('m', { spec: { a: '1' } } as unknown as ThingObject);
    expect(result).toMatchObject({ apiVersion: 'g.io/v1', kind: 'Thing', spec: { a: '1' } });
  });

  it('must not contain managedFields, not even an empty list, but may contain null (SSA-03)', () => {
    const error = errorOf(() => new Thing().apply('m', object({}, { managedFields: [] })));
    expect(error).toEqual(new InvalidApplyError('metadata.managedFields must be nil'));
    expect(new Thing().apply('m', object({ a: '1' }, { managedFields: null })).spec).toEqual({ a: '1' });
  });

  it('may contain only fields of the schema (SSA-05, DEC-18)', () => {
    const error = errorOf(() => new Thing().apply('m', object({ foo: 1 })));
    expect(error).toBeInstanceOf(SchemaMismatchError);
    expect(error.message).toBe(
      'failed to create typed patch object (n/x; g.io/v1, Kind=Thing): .spec.foo: field not declared in schema',
    );
    expect(errorOf(() => new Thing().apply('m', object({ q: 1, inner: { p: 1 } }))).message).toBe(
      'failed to create typed patch object (n/x; g.io/v1, Kind=Thing): errors:\n  .spec.inner.p: field not declared in schema\n  .spec.q: field not declared in schema',
    );
    expect(errorOf(() => new Thing().apply('m', object({}, { foo: 1 }))).message).toContain(
      '.metadata.foo: field not declared in schema',
    );
  });

  it.each<[JsonValue, string]>([
    [
      { list: [{ value: '1' }] },
      '.spec.list: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [{ list: [{ name: 'a' }, { name: 'a' }] }, '.spec.list: duplicate entries for key [name="a"]'],
    [
      { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] },
      '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
    [{ list: ['x'] }, '.spec.list: element 0: associative list with keys may not have non-map elements'],
    [{ list: [null] }, '.spec.list: element 0: associative list with keys may not have a null element'],
    [{ set: ['x', 'x'] }, '.spec.set: duplicate entries for key [="x"]'],
    [{ set: [{}] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
    [{ set: [null] }, ".spec.set: element 0: associative list without keys has an element that's an explicit null"],
    [{ set: [['x']] }, '.spec.set: element 0: not supported: associative list with lists as elements'],
    [{ size: 'x' }, '.spec.size: expected numeric (int or float), got string'],
    [{ a: 1 }, '.spec.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ on: 'no' }, '.spec.on: expected boolean, got &{no}'],
    [{ map: [1, null] }, '.spec.map: expected map, got &{[1 <nil>]}'],
    [{ set: { b: 1, a: 'x' } }, '.spec.set: expected list, got &{map[a:x b:1]}'],
    [{ plainList: ['x', true] }, '.spec.plainList[1]: expected string, got &value.valueUnstructured{Value:true}'],
  ])('is rejected with the message of kube-apiserver: %j (SSA-06)', (spec, problem) => {
    const error = errorOf(() => new Thing().apply('m', object(spec)));
    expect(error).toBeInstanceOf(SchemaMismatchError);
    expect(error.message).toBe(`failed to create typed patch object (n/x; g.io/v1, Kind=Thing): ${problem}`);
  });

  it.each([{ a: ['secret'] }, { a: { b: 'secret' } }, { set: 'secret' }, { map: 'secret' }, 'secret'])(
    'is rejected without quoting values of a confidential kind: %j',
    (spec) => {
      const problems = typedProblems(shapeOf(thing), { ...object({}), spec } as JsonObject, { confidential: true });
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain('secret');
    },
  );
});
