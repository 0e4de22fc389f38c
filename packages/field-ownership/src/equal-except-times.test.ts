import { expect, it } from 'vitest';
import { equalExceptTimes } from './equal-except-times.ts';
import { object, type ThingObject } from './thing.fixture.ts';

function managed(time: string, ...managers: string[]): ThingObject {
  const entry = {
    operation: 'Update',
    apiVersion: 'g.io/v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': {} },
  };
  return object({ a: '1' }, { managedFields: managers.map((manager) => ({ ...entry, manager })) });
}

it('the times of managedFields and the resulting order are ignored (UPDATE-15, SSA-26)', () => {
  expect(equalExceptTimes(managed('2026-01-01T00:00:00Z', 'a', 'b'), managed('2026-01-01T00:00:01Z', 'b', 'a'))).toBe(
    true,
  );
});

it('every other difference is found (UPDATE-15)', () => {
  const base = managed('2026-01-01T00:00:00Z', 'a');
  expect(equalExceptTimes(base, managed('2026-01-01T00:00:00Z', 'b'))).toBe(false);
  expect(equalExceptTimes(base, managed('2026-01-01T00:00:00Z', 'a', 'b'))).toBe(false);
  expect(equalExceptTimes(base, { ...base, spec: { a: '2' } } as ThingObject)).toBe(false);
  expect(equalExceptTimes(base, { ...base, more: 1 } as ThingObject)).toBe(false);
  expect(equalExceptTimes(base, { ...base, metadata: { ...base.metadata, labels: { a: '1' } } } as ThingObject)).toBe(
    false,
  );
  expect(equalExceptTimes(object({}), base)).toBe(false);
  expect(equalExceptTimes(object({}), object({}))).toBe(true);
});
