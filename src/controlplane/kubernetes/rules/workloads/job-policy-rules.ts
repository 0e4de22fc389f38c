import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { byteLength, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { listOf, memberAt, notNegative, numberOf, objectAt, textOf } from '../checks.ts';
import { invalidStruct, invalidWithoutValue } from '../field-rules.ts';
import type { Check } from '../object-rules.ts';
import { countIndexes } from './index-ranges.ts';

const maxRules = 20;
const maxExitCodes = 255;
const maxIndexesBytes = 64 * 1024;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Returns an error if a required text is missing or is not one of the allowed values. */
function choiceErrors(path: string, value: string, allowed: readonly string[]): FieldError[] {
  if (value === '') return [required(path, `valid values: [${allowed.map((one) => `"${one}"`).join(' ')}]`)];
  return allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}

function* exitCodeErrors(codes: JsonObject, path: string, containers: ReadonlySet<string>): Generator<FieldError> {
  yield* choiceErrors(childPath(path, 'operator'), textOf(codes.operator), operators);
  const name = codes.containerName ?? undefined;
  if (name !== undefined && !containers.has(textOf(name))) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    yield invalid(childPath(path, 'containerName'), name, detail);
  }
  const values = listOf(codes.values).map(numberOf);
  const valuesPath = childPath(path, 'values');
  if (values.length === 0) yield invalid(valuesPath, codes.values ?? null, 'at least one value is required');
  if (values.length > maxExitCodes) yield tooMany(valuesPath, values.length, maxExitCodes);
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    const at = indexPath(valuesPath, index);
    if (codes.operator === 'In' && value === 0) yield invalid(at, value, 'must not be 0 for the In operator');
    if (seen.has(value)) yield duplicate(at, value);
    seen.add(value);
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  if (!isOrdered) yield invalid(valuesPath, values, 'must be ordered');
}

function* conditionErrors(patterns: readonly JsonValue[], path: string): Generator<FieldError> {
  if (patterns.length > maxRules) yield tooMany(path, patterns.length, maxRules);
  for (const [index, pattern] of patterns.entries()) {
    const at = indexPath(path, index);
    const type = textOf(memberAt(pattern, ['type']));
    for (const fault of qualifiedNameFaults(type)) yield invalid(childPath(at, 'type'), type, fault);
    yield* choiceErrors(childPath(at, 'status'), textOf(memberAt(pattern, ['status'])), statuses);
  }
}

function* failureRuleErrors(rule: JsonObject, path: string, job: FailureContext): Generator<FieldError> {
  const action = textOf(rule.action);
  if (action === 'FailIndex' && !job.hasIndexLimit) {
    yield invalid(childPath(path, 'action'), action, 'requires the backoffLimitPerIndex to be set');
  } else yield* choiceErrors(childPath(path, 'action'), action, actions);
  const codes = isJsonObject(rule.onExitCodes) ? rule.onExitCodes : undefined;
  const patterns = listOf(rule.onPodConditions);
  if (codes !== undefined) yield* exitCodeErrors(codes, childPath(path, 'onExitCodes'), job.containers);
  yield* conditionErrors(patterns, childPath(path, 'onPodConditions'));
  if (codes !== undefined && patterns.length > 0) {
    yield invalidWithoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported');
  }
  if (codes === undefined && patterns.length === 0) {
    yield invalidWithoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required');
  }
}

/** The parts of a job on which its failure policy depends. */
interface FailureContext {
  readonly hasIndexLimit: boolean;
  readonly containers: ReadonlySet<string>;
}

export const podFailurePolicy: Check = function* (value, { path, parent }) {
  if (!isJsonObject(value)) return;
  const rules = listOf(value.rules);
  const rulesPath = childPath(path, 'rules');
  if (rules.length > maxRules) yield tooMany(rulesPath, rules.length, maxRules);
  const pod = objectAt(parent.template, 'spec');
  const containers = [...listOf(pod.containers), ...listOf(pod.initContainers)];
  const job: FailureContext = {
    hasIndexLimit: (parent.backoffLimitPerIndex ?? undefined) !== undefined,
    containers: new Set(containers.map((container) => textOf(memberAt(container, ['name'])))),
  };
  for (const [index, rule] of rules.entries()) {
    if (isJsonObject(rule)) yield* failureRuleErrors(rule, indexPath(rulesPath, index), job);
  }
};

function* successRuleErrors(rule: JsonObject, path: string, completions: number): Generator<FieldError> {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  const [hasCount, hasIndexes] = [(count ?? undefined) !== undefined, (indexes ?? undefined) !== undefined];
  if (!hasCount && !hasIndexes) {
    yield required(path, 'at least one of succeededCount or succeededIndexes must be specified');
  }
  const indexesPath = childPath(path, 'succeededIndexes');
  const text = textOf(indexes);
  if (byteLength(text) > maxIndexesBytes) yield tooLong(indexesPath, maxIndexesBytes);
  const total = countIndexes(text, completions);
  if ('fault' in total) yield invalid(indexesPath, text, `error parsing succeededIndexes: ${total.fault}`);
  if (!hasCount) return;
  const countPath = childPath(path, 'succeededCount');
  yield* notNegative(count, { path: countPath, parent: rule, root: rule });
  const limit = (most: number, of: string) => `must be less than or equal to ${most} (the number of ${of})`;
  if (numberOf(count) > completions) yield invalid(countPath, count, limit(completions, 'specified completions'));
  const listed = 'fault' in total ? 0 : total.value;
  if (hasIndexes && numberOf(count) > listed) {
    yield invalid(countPath, count, limit(listed, 'indexes in the specified succeededIndexes field'));
  }
}

/** Returns a success policy with the member names of Kubernetes' internal struct. */
export function internalSuccessPolicy(policy: JsonObject): JsonObject {
  const rules = listOf(policy.rules).map((rule) => ({
    SucceededIndexes: memberAt(rule, ['succeededIndexes']) ?? null,
    SucceededCount: memberAt(rule, ['succeededCount']) ?? null,
  }));
  return { Rules: rules };
}

/** Returns a failure policy with the member names of Kubernetes' internal struct. */
export function internalFailurePolicy(policy: JsonObject): JsonObject {
  const rules = listOf(policy.rules).map((rule) => {
    const codes = memberAt(rule, ['onExitCodes']);
    const patterns = listOf(memberAt(rule, ['onPodConditions'])).map((pattern) => ({
      Type: textOf(memberAt(pattern, ['type'])),
      Status: textOf(memberAt(pattern, ['status'])),
    }));
    return {
      Action: textOf(memberAt(rule, ['action'])),
      OnExitCodes: isJsonObject(codes)
        ? {
            ContainerName: codes.containerName ?? null,
            Operator: textOf(codes.operator),
            Values: codes.values ?? null,
          }
        : null,
      OnPodConditions: patterns.length === 0 ? null : patterns,
    };
  });
  return { Rules: rules };
}

export const successPolicy: Check = function* (value, { path, parent }) {
  if (!isJsonObject(value)) return;
  if (parent.completionMode !== 'Indexed') {
    yield invalidStruct(path, internalSuccessPolicy(value), 'requires indexed completion mode');
    return;
  }
  const rules = listOf(value.rules);
  const rulesPath = childPath(path, 'rules');
  if (rules.length === 0) {
    yield required(rulesPath, 'at least one rules must be specified when the successPolicy is specified');
  }
  if (rules.length > maxRules) yield tooMany(rulesPath, rules.length, maxRules);
  // Success rules cannot be checked without completions, which every indexed job must have.
  if ((parent.completions ?? undefined) === undefined) return;
  for (const [index, rule] of rules.entries()) {
    if (isJsonObject(rule)) yield* successRuleErrors(rule, indexPath(rulesPath, index), numberOf(parent.completions));
  }
};

export const podReplacementPolicy: Check = function* (value, { path, parent }) {
  if (value === undefined) return;
  const allowed = isJsonObject(parent.podFailurePolicy) ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (!allowed.includes(textOf(value))) yield notSupported(path, value, allowed);
};
