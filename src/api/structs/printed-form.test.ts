import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { kubernetesObjects } from '../../http/protobuf/kubernetes-objects.fixture.ts';
import type { KubeObject } from '../meta.ts';
import { emptyObjectOf, toPrintedForm, toStoredForm } from './printed-form.ts';

/** Objects as Go prints them. The protobuf tests also use them. */
const fixtures = [
  ...(JSON.parse(readFileSync(new URL('../../http/protobuf/go-fixtures.json', import.meta.url), 'utf8')) as {
    name: string;
    json: JsonObject;
  }[]),
  ...kubernetesObjects,
].filter(({ json }) => json.kind !== 'DeleteOptions');

/** Reverses the order of all members except those in fieldsV1, whose names clients define. */
function mixed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(mixed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, name === 'fieldsV1' ? member : mixed(member)]),
  );
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

describe('objects of built-in kinds', () => {
  it.each(fixtures.map(({ name, json }) => [name, json] as const))('print %s as Go does (DEC-25)', (_, json) => {
    const free = JSON.stringify(json).includes('openAPIV3Schema');
    const object = (free ? json : mixed(json)) as KubeObject;
    expect(JSON.stringify(toPrintedForm(object))).toBe(JSON.stringify(json));
    expect(JSON.stringify(toPrintedForm(toStoredForm(object)))).toBe(JSON.stringify(json));
  });

  it.each(fixtures.map(({ name, json }) => [name, json] as const))('store %s without nulls (DEC-25)', (_, json) => {
    const stored = toStoredForm(withoutNulls(json) as KubeObject);
    expect(stored).toEqual(toStoredForm(json as KubeObject));
    expect(toStoredForm(stored)).toEqual(stored);
  });

  it('omit empty members, except those that a struct always prints', () => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };
    expect(toPrintedForm(lease)).toEqual({ ...lease, spec: {} });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: {}, binaryData: null };
    expect(toPrintedForm(map as unknown as KubeObject)).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
    expect(emptyObjectOf('v1', 'Event')).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('keep values of the wrong type, which validation rejects (META-21)', () => {
    const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: ['x'], immutable: 'yes' };
    expect(toStoredForm(wrong as unknown as KubeObject)).toEqual(wrong);
    const rules = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: {}, rules: { a: 'b' } };
    expect(toStoredForm(rules as unknown as KubeObject)).toEqual(rules);
  });

  it('are unchanged if the kind has no struct', () => {
    const own = { b: 1, apiVersion: 'example.dev/v1', kind: 'ConfigMap', metadata: {} } as unknown as KubeObject;
    expect(toPrintedForm(own)).toBe(own);
  });
});
