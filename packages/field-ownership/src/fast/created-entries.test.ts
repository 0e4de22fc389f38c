import { timestamp } from '@flotilla/kubernetes-formats';
import { describe, expect, it } from 'vitest';
import { createdEntries } from './created-entries.ts';

const info = { manager: 'm', operation: 'Update', apiVersion: 'v1', subresource: '' } as const;
const fields = { 'f:spec': {} };

describe('createdEntries', () => {
  it('returns the same entries for equal input, and others for different input', () => {
    const time = timestamp(1000);
    const first = createdEntries(info, time, fields);
    expect(first).toEqual([
      { manager: 'm', operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1: fields },
    ]);
    expect(createdEntries({ ...info }, timestamp(1500), fields)).toBe(first);
    for (const [changed, at, own] of [
      [{ ...info, manager: 'n' }, time, fields],
      [{ ...info, apiVersion: 'v2' }, time, fields],
      [info, timestamp(2000), fields],
      [info, time, { 'f:data': {} }],
    ] as const) {
      const [entry] = createdEntries(changed, at, own);
      expect(entry).toMatchObject({
        manager: changed.manager,
        apiVersion: changed.apiVersion,
        time: at,
        fieldsV1: own,
      });
    }
  });
});
