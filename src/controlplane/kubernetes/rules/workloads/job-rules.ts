import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { byteLength, labelFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required, tooLong } from '../../../../api/field-error.ts';
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import {
  fieldIsImmutable,
  immutable,
  immutableStruct,
  memberAt,
  notNegative,
  numberOf,
  objectAt,
  textOf,
} from '../checks.ts';
import { domainPrefixedPathErrors, invalidStruct } from '../field-rules.ts';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import {
  internalFailurePolicy,
  internalSuccessPolicy,
  podFailurePolicy,
  podReplacementPolicy,
  successPolicy,
} from './job-policy-rules.ts';
import { jobStatus } from './job-status-rules.ts';
import { immutableTemplate } from './job-template-changes.ts';
import { matchesLabels, templateLabels, unmatchedTemplate } from './template-checks.ts';

const maxIndexed = 100_000;
const maxWithManyCompletions = 10_000;
const maxManagedByBytes = 63;

/** The labels that a job sets on its pods: the legacy labels, and the labels with a prefix, which replaced them. */
export const jobLabels = {
  legacyUid: 'controller-uid',
  legacyName: 'job-name',
  uid: 'batch.kubernetes.io/controller-uid',
  name: 'batch.kubernetes.io/job-name',
};

function isPresent(value: JsonValue | undefined): boolean {
  return (value ?? undefined) !== undefined;
}

const maxFailedIndexes: Check = function* (value, position) {
  if (value === undefined) return;
  yield* notNegative(value, position);
  if (!isPresent(position.parent.backoffLimitPerIndex)) {
    yield required(childPath(parentPath(position.path), 'backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
  }
};

function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

const managedBy: Check = function* (value, { path }) {
  if (value === undefined) return;
  yield* domainPrefixedPathErrors(path, textOf(value));
  if (byteLength(textOf(value)) > maxManagedByBytes) yield tooLong(path, maxManagedByBytes);
};

function* indexedErrors(spec: JsonObject, path: string): Generator<FieldError> {
  const { completions, parallelism, maxFailedIndexes: failed, backoffLimitPerIndex } = spec;
  const at = (name: string) => childPath(path, name);
  const atMost = (name: string, most: number, detail = '') =>
    numberOf(spec[name]) > most
      ? [invalid(at(name), spec[name], `must be less than or equal to ${most}${detail}`)]
      : [];
  if (!isPresent(completions)) yield required(at('completions'), 'when completion mode is Indexed');
  yield* atMost('parallelism', maxIndexed, ' when completion mode is Indexed');
  if (isPresent(completions) && isPresent(failed) && numberOf(failed) > numberOf(completions)) {
    yield invalid(at('maxFailedIndexes'), failed, 'must be less than or equal to completions');
  }
  yield* atMost('maxFailedIndexes', maxIndexed);
  if (numberOf(completions) <= maxIndexed || !isPresent(backoffLimitPerIndex)) return;
  if (!isPresent(failed)) {
    yield required(at('maxFailedIndexes'), `must be specified when completions is above ${maxIndexed}`);
  }
  const detail = ` when completions are above ${maxIndexed} and used with backoff limit per index`;
  if (isPresent(parallelism)) yield* atMost('parallelism', maxWithManyCompletions, detail);
  yield* atMost('maxFailedIndexes', maxWithManyCompletions, detail);
}

const completionMode: Check = function* (value, { path, parent }) {
  const at = parentPath(path);
  if (value !== undefined && value !== 'NonIndexed' && value !== 'Indexed') {
    yield notSupported(path, value, ['NonIndexed', 'Indexed']);
  }
  if (value === 'Indexed') yield* indexedErrors(parent, at);
  if (value !== undefined && value !== 'NonIndexed') return;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
    if (isPresent(parent[name])) yield invalid(childPath(at, name), parent[name], 'requires indexed completion mode');
  }
};

/** The restart policy of a job must let its pods end. */
const finitePods: Check = function* (spec, { path }) {
  const restart = textOf(memberAt(spec, ['template', 'spec', 'restartPolicy']));
  const at = childPath(path, 'template.spec.restartPolicy');
  if (restart === 'Always' || restart === '') yield required(at, 'valid values: "OnFailure", "Never"');
  else if (restart !== 'OnFailure' && restart !== 'Never') yield notSupported(at, restart, ['OnFailure', 'Never']);
  else if (restart !== 'Never' && isJsonObject(memberAt(spec, ['podFailurePolicy']))) {
    yield invalid(at, restart, 'only "Never" is supported when podFailurePolicy is specified');
  }
};

/**
 * The selector and the pod labels of a job must be as the server has set them, unless the client manages the selector.
 */
const generatedSelector: Check = function* (object, { old }) {
  const spec = objectAt(object, 'spec');
  if (spec.manualSelector === true || !isJsonObject(spec.selector)) return;
  const uid = textOf(memberAt(object, ['metadata', 'uid']));
  const name = textOf(memberAt(object, ['metadata', 'name']));
  const before = templateLabels(memberAt(old, ['spec', 'template']));
  const isPrefixed =
    old === undefined || (before?.[jobLabels.name] !== undefined && before[jobLabels.uid] !== undefined);
  const expected: Record<string, string> = {
    [jobLabels.legacyUid]: uid,
    [jobLabels.legacyName]: name,
    ...(isPrefixed ? { [jobLabels.uid]: uid, [jobLabels.name]: name } : {}),
  };
  const labels = templateLabels(spec.template) ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const path = keyPath('spec.template.metadata.labels', key);
    if (!Object.hasOwn(labels, key)) yield required(path, `must be '${value}'`);
    else if (labels[key] !== value) yield invalid(path, labels, `must be '${value}'`);
  }
  const isValid = labelSelectorErrors(spec.selector, '').length === 0;
  if (isValid && !matchesLabels(spec.selector, expected)) {
    yield invalidStruct('spec.selector', spec.selector, '`selector` not auto-generated');
  }
};

const jobSelector: Check = function* (object) {
  const { selector, template } = objectAt(object, 'spec');
  const path = 'spec.selector';
  const errors = isJsonObject(selector) ? labelSelectorErrors(selector, path) : [required(path)];
  yield* errors;
  const labels = templateLabels(template);
  const isValid = !isJsonObject(selector) || errors.length === 0;
  if (isValid && !matchesLabels(selector, labels)) yield unmatchedTemplate('spec.template', labels);
};

/** The controller adds the index to the name of the job, and the result is the host name of a pod. */
const podHostname: Check = function* (object) {
  const { completionMode: mode, completions } = objectAt(object, 'spec');
  if (mode !== 'Indexed' || numberOf(completions) <= 0) return;
  const name = textOf(memberAt(object, ['metadata', 'name']));
  const longest = `${name}-${numberOf(completions) - 1}`;
  if (labelFaults(longest).length === 0) return;
  yield invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`);
};

/** The completions of an indexed job may be changed only to the value of its parallelism. */
const changedCompletions: Check = function* (object, position) {
  const spec = objectAt(object, 'spec');
  const { completions } = spec;
  if (spec.completionMode !== 'Indexed') {
    yield* immutable('spec', 'completions')(object, position);
    return;
  }
  const isSame = equalJson(completions ?? null, memberAt(position.old, ['spec', 'completions']) ?? null);
  if (isSame || !isPresent(completions) || numberOf(completions) === numberOf(spec.parallelism)) return;
  yield invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism');
};

/**
 * Returns the check that a policy of a job is unchanged. The error shows the policy with the member names of
 * Kubernetes' internal struct.
 */
function immutablePolicy(name: string, internal: (policy: JsonObject) => JsonObject): Check {
  return function* (object, { old }) {
    const value = memberAt(object, ['spec', name]);
    if (equalJson(value ?? null, memberAt(old, ['spec', name]) ?? null)) return;
    const path = `spec.${name}`;
    yield isJsonObject(value)
      ? invalidStruct(path, internal(value), fieldIsImmutable)
      : invalid(path, null, fieldIsImmutable);
  };
}

export const jobRules: Readonly<Record<string, StructRules>> = {
  'batch.Job': { whole: [generatedSelector], after: [jobSelector, podHostname] },
  'batch.JobSpec': {
    members: {
      parallelism: [notNegative],
      completions: [notNegative],
      activeDeadlineSeconds: [notNegative],
      backoffLimit: [notNegative],
      ttlSecondsAfterFinished: [notNegative],
      backoffLimitPerIndex: [notNegative],
      maxFailedIndexes: [maxFailedIndexes],
      managedBy: [managedBy],
      completionMode: [completionMode],
      podFailurePolicy: [podFailurePolicy],
      successPolicy: [successPolicy],
      podReplacementPolicy: [podReplacementPolicy],
      template: [],
    },
    after: [finitePods],
  },
};

export const jobKinds: Readonly<Record<string, KindRules>> = {
  'batch.Job': {
    update: ['structs', 'spec', 'changes'],
    changes: [
      jobSelector,
      changedCompletions,
      immutableStruct('spec', 'selector'),
      immutableTemplate,
      immutable('spec', 'completionMode'),
      immutablePolicy('podFailurePolicy', internalFailurePolicy),
      immutable('spec', 'backoffLimitPerIndex'),
      immutable('spec', 'managedBy'),
      immutablePolicy('successPolicy', internalSuccessPolicy),
    ],
    status: [jobStatus],
  },
};
