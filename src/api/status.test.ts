import { describe, expect, it } from 'vitest';
import { type FieldError, invalid } from './field-error.ts';
import { invalidObject } from './status.ts';

const widget = { group: 'test.example', kind: 'Widget' };

describe('the validation errors of an object', () => {
  it('are reported completely if there is only one long error', () => {
    const long = invalid('spec', '', 'x'.repeat(2_000_000));
    expect(invalidObject(widget, 'one', [long]).status.details?.causes).toHaveLength(1);
  });

  it('are truncated to a readable length, with the number of omitted errors', () => {
    const message = `Invalid value: ${'x'.repeat(90_000)}`;
    const errors = Array.from({ length: 20_000 }, (_, index): FieldError => {
      return { type: 'FieldValueInvalid', field: `spec.items[${index}]`, message };
    });
    const { status } = invalidObject(widget, 'one', errors);
    expect(status.details?.causes).toHaveLength(12);
    expect(status.message).toMatch(/, <nil>: and 19989 more]$/);
    expect(status.message?.length).toBeLessThan(1_100_000);
  });
});
