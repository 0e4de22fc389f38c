import { byteLength } from '@flotilla/kubernetes-formats';
import { boundedErrors } from '../bounded-errors.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required, tooLong } from '../field-error.ts';

/** The options of a write as the client sent them. A parameter that the client did not send is '' or undefined. */
export interface SentWriteOptions {
  readonly dryRun: readonly string[];
  readonly fieldManager: string;
  readonly fieldValidation: string;
}

/**
 * Validates the options of a write. If there are errors, callers throw `invalidObject({ group: 'meta.k8s.io', kind:
 * 'CreateOptions' }, '', …)` with the kind of their options.
 */
export function validateWriteOptions(options: SentWriteOptions): FieldError[] {
  return [
    ...validateFieldManager(options.fieldManager, 'fieldManager'),
    ...validateDryRun(options.dryRun),
    ...validateFieldValidation(options.fieldValidation),
  ];
}

export interface SentPatchOptions extends SentWriteOptions {
  readonly force: boolean | undefined;
}

export function validatePatchOptions(options: SentPatchOptions, isApply: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (isApply && options.fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (!isApply && options.force !== undefined) {
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  return [...errors, ...validateWriteOptions(options)];
}

export interface SentDeleteOptions {
  readonly dryRun: readonly string[];
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

/** The maximum grace period: 100 years, in seconds. A longer period could lead to a year with more than four digits. */
const maxGraceSeconds = 100 * 366 * 24 * 3600;

const policies = ['Foreground', 'Background', 'Orphan'];

export function validateDeleteOptions(options: SentDeleteOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { orphanDependents, propagationPolicy, gracePeriodSeconds } = options;
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds > maxGraceSeconds) {
    errors.push(invalid('gracePeriodSeconds', gracePeriodSeconds, `must be less than or equal to ${maxGraceSeconds}`));
  }
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalid('propagationPolicy', propagationPolicy, detail));
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...policies, 'nil']));
  }
  return [...errors, ...validateDryRun(options.dryRun)];
}

export interface SentListOptions {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

const matchField = 'resourceVersionMatch';

export function validateListOptions(options: SentListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(forbiddenField(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '') errors.push(matchWithContinue());
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(matchField, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbiddenField(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

export function validateWatchOptions(options: SentListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
      errors.push(forbiddenField(matchField, detail));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(matchField, match, ['NotOlderThan']));
    if (options.continue !== '') errors.push(matchWithContinue());
  }
  return errors;
}

function matchWithContinue(): FieldError {
  return forbiddenField(matchField, 'resourceVersionMatch is forbidden when continue is provided');
}

function validateDryRun(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', [...dryRun], ['All'])];
}

function validateFieldValidation(mode: string): FieldError[] {
  const modes = ['', 'Ignore', 'Strict', 'Warn'];
  return modes.includes(mode) ? [] : [notSupported('fieldValidation', mode, modes)];
}

const managerBytes = 128;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Validates the name of a field manager (rule CREATE-09), also in managedFields. Positions in messages count bytes. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  return boundedErrors(fieldManagerErrors(manager, field));
}

function* fieldManagerErrors(manager: string, field: string): Generator<FieldError> {
  if (byteLength(manager) > managerBytes) yield tooLong(field, managerBytes);
  let position = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      yield invalid(field, manager, `invalid character U+${code} (at position ${position})`);
    }
    position += byteLength(character);
  }
}
