import { describe, expect, it } from 'vitest';
import { describeFieldError, type FieldError } from '../field-error.ts';
import { invalidObject } from '../status.ts';
import {
  type SentListOptions,
  validateDeleteOptions,
  validateListOptions,
  validatePatchOptions,
  validateWatchOptions,
  validateWriteOptions,
} from './options.ts';

const lines = (errors: FieldError[]) => errors.map(describeFieldError);
const write = { dryRun: [], fieldManager: '', fieldValidation: '' };
const list = { resourceVersion: '', resourceVersionMatch: '', continue: '', sendInitialEvents: undefined };

describe('write options', () => {
  it('accept only dryRun=All (CREATE-25)', () => {
    const errors = validateWriteOptions({ ...write, dryRun: ['true'] });
    expect(invalidObject({ group: 'meta.k8s.io', kind: 'CreateOptions' }, '', errors).message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["true"]: supported values: "All"',
    );
    expect(validateWriteOptions({ ...write, dryRun: ['All'] })).toEqual([]);
  });

  it('accept three modes of field validation, or none (DEC-08)', () => {
    expect(lines(validateWriteOptions({ ...write, fieldValidation: 'x' }))).toEqual([
      'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"',
    ]);
    for (const fieldValidation of ['', 'Ignore', 'Warn', 'Strict']) {
      expect(validateWriteOptions({ ...write, fieldValidation })).toEqual([]);
    }
  });

  it('limit managers to 128 printable bytes (CREATE-09)', () => {
    expect(lines(validateWriteOptions({ ...write, fieldManager: 'x'.repeat(129) }))).toEqual([
      'fieldManager: Too long: may not be more than 128 bytes',
    ]);
    expect(lines(validateWriteOptions({ ...write, fieldManager: 'äb\n' }))).toEqual([
      'fieldManager: Invalid value: "äb\\n": invalid character U+000A (at position 3)',
    ]);
  });

  it('allow force only for apply (PATCH-19), and apply only with a field manager (PATCH-20)', () => {
    expect(lines(validatePatchOptions({ ...write, force: false }, false))).toEqual([
      'force: Forbidden: may not be specified for non-apply patch',
    ]);
    expect(lines(validatePatchOptions({ ...write, force: true }, true))).toEqual([
      'fieldManager: Required value: is required for apply patch',
    ]);
    expect(validatePatchOptions({ ...write, fieldManager: 'me', force: true }, true)).toEqual([]);
  });
});

describe('delete options', () => {
  it('accept either orphanDependents or a propagation policy (DELETE-04), and only known policies (DELETE-05)', () => {
    expect(lines(validateDeleteOptions({ dryRun: [], orphanDependents: false, propagationPolicy: 'Orphan' }))).toEqual([
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ]);
    expect(
      lines(validateDeleteOptions({ dryRun: ['x'], orphanDependents: undefined, propagationPolicy: 'x' })),
    ).toEqual([
      'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
      'dryRun: Unsupported value: ["x"]: supported values: "All"',
    ]);
  });

  it('reject a grace period whose end cannot be written as a timestamp', () => {
    const sent = { dryRun: [], orphanDependents: undefined, propagationPolicy: undefined };
    expect(validateDeleteOptions({ ...sent, gracePeriodSeconds: 30 })).toEqual([]);
    expect(lines(validateDeleteOptions({ ...sent, gracePeriodSeconds: 253_402_300_800 }))).toEqual([
      'gracePeriodSeconds: Invalid value: 253402300800: must be less than or equal to 3162240000',
    ]);
  });
});

describe('list options', () => {
  it.each<[Partial<SentListOptions>, string, string]>([
    [
      { resourceVersionMatch: 'Exact' },
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      'LIST-07',
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '5', continue: 'x' },
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
      'LIST-08',
    ],
    [
      { resourceVersionMatch: 'x', resourceVersion: '5' },
      'resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""',
      'LIST-09',
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      'LIST-10',
    ],
    [{ sendInitialEvents: true }, 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list', 'LIST-11'],
  ])('%j is rejected with %s (%s)', (options, text) => {
    expect(lines(validateListOptions({ ...list, ...options }))).toEqual([text]);
  });

  it('accept the options that clients send', () => {
    expect(validateListOptions(list)).toEqual([]);
    expect(validateListOptions({ ...list, resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' })).toEqual([]);
  });
});

describe('watch options', () => {
  it('require NotOlderThan with initial events (WATCH-10) and allow it only then (WATCH-11, WATCH-13)', () => {
    expect(lines(validateWatchOptions({ ...list, sendInitialEvents: true }))).toEqual([
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ]);
    expect(lines(validateWatchOptions({ ...list, resourceVersionMatch: 'NotOlderThan' }))).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ]);
    expect(lines(validateWatchOptions({ ...list, resourceVersionMatch: 'Exact', continue: 'x' }))).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ]);
    expect(validateWatchOptions({ ...list, resourceVersionMatch: 'NotOlderThan', sendInitialEvents: true })).toEqual(
      [],
    );
  });
});
