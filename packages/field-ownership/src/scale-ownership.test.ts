import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { ownershipAfterScale, scaleOwnership } from './scale-ownership.ts';

const parent = { group: 'apps', version: 'v1', replicasPath: ['spec', 'replicas'] };
const time = '2024-01-01T00:00:00Z';
const replicas = { 'f:spec': { 'f:replicas': {} } };

function entry(manager: string, operation: string, more: JsonObject = {}): JsonObject {
  return { manager, operation, apiVersion: 'apps/v1', time, fieldsType: 'FieldsV1', fieldsV1: replicas, ...more };
}

const inScale = { apiVersion: 'autoscaling/v1' };

describe('the owners of a scale', () => {
  it('are the owners of the replica count', () => {
    const entries = [
      entry('a', 'Update', { fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } } }),
      entry('b', 'Update', { fieldsV1: { 'f:spec': { 'f:paused': {} } } }),
    ];
    expect(scaleOwnership(entries, parent)).toEqual([entry('a', 'Update', inScale)]);
  });

  it('take the replica count from other managers', () => {
    const entries = [entry('a', 'Update', { fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } } })];
    const { time: _, ...timeless } = entry('scaler', 'Update', { subresource: 'scale' });
    expect(
      ownershipAfterScale(entries, [entry('scaler', 'Update', { ...inScale, subresource: 'scale' })], parent),
    ).toEqual([timeless, entry('a', 'Update', { fieldsV1: { 'f:spec': { 'f:paused': {} } } })]);
  });

  it('keep their entries in the object if they have applied the replica count', () => {
    const entries = [entry('a', 'Apply'), entry('b', 'Apply')];
    expect(ownershipAfterScale(entries, [entry('a', 'Apply', inScale)], parent)).toEqual([entry('a', 'Apply')]);
  });
});
