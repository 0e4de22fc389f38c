import { describe, expect, it } from 'vitest';
import { boundedErrors, maxErrors } from './bounded-errors.ts';
import { type FieldError, invalid } from './field-error.ts';
import { labelSelectorErrors } from './selectors/selector-object.ts';
import { validateLabels } from './validation/labels.ts';
import { validateFieldManager } from './validation/options.ts';

const length = (errors: readonly FieldError[]) => errors.reduce((sum, { message }) => sum + message.length, 0);

describe('validation errors of a value with many wrong parts', () => {
  it('end after a thousand', () => {
    expect(boundedErrors(Array.from({ length: 5_000 }, () => invalid('a', 1, 'is wrong')))).toHaveLength(maxErrors);
  });

  it('end if they are too long together', () => {
    const text = 'x'.repeat(99_000);
    expect(boundedErrors(Array.from({ length: 50 }, () => invalid('a', text, 'is wrong')))).toHaveLength(11);
  });

  it('contain the start of a text that is too long', () => {
    const { message } = invalid('a', '\u0001'.repeat(3_000_000), 'is wrong');
    expect(message).toMatch(/^Invalid value: "(\\x01){100000}"\.\.\.: is wrong$/);
  });

  it('are few if a field manager consists of control characters', () => {
    expect(length(validateFieldManager('\u0001'.repeat(60_000), 'fieldManager'))).toBeLessThan(2_000_000);
  });

  it('are few if all labels and all values of a selector are wrong', () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `-${at}-`);
    const labels = Object.fromEntries(names.map((name) => [name, name]));
    expect(validateLabels(labels, 'metadata.labels').length).toBeLessThan(maxErrors + 10);
    const selector = { matchLabels: labels, matchExpressions: [{ key: 'a', operator: 'In', values: names }] };
    expect(labelSelectorErrors(selector, 'spec.selector')).toHaveLength(maxErrors);
  });
});
