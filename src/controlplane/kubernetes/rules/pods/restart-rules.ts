import type { JsonObject } from '@flotilla/json';
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, textOf } from '../checks.ts';
import { requiredChoiceErrors } from '../field-rules.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const maxRules = 20;
const maxExitCodes = 255;

/** Returns the errors of the restart policy and the restart rules of a container. */
export function* restartErrors(container: JsonObject, path: string): Generator<FieldError> {
  const rules = itemsAt(container, 'restartPolicyRules', path);
  const at = childPath(path, 'restartPolicy');
  const policy = textOf(container.restartPolicy);
  if (!isSet(container.restartPolicy)) {
    if (rules.length > 0) yield required(at, 'must specify restartPolicy when restart rules are used');
  } else if (!policies.includes(policy)) yield notSupported(at, policy, policies);
  if (rules.length > maxRules) yield tooMany(childPath(path, 'restartPolicyRules'), rules.length, maxRules);
  for (const [rule, rulePath] of rules) yield* ruleErrors(rule, rulePath);
}

/**
 * Returns the errors of the restart policy of an init container. The restart rules are validated only if the container
 * has a restart policy.
 */
export function initRestartErrors(container: JsonObject, path: string): Iterable<FieldError> {
  if (isSet(container.restartPolicy)) return restartErrors(container, path);
  const hasRules = listOf(container.restartPolicyRules).length > 0;
  const detail = 'must specify restartPolicy when restart rules are used';
  return hasRules ? [required(childPath(path, 'restartPolicy'), detail)] : [];
}

function* ruleErrors(rule: JsonObject, path: string): Generator<FieldError> {
  const action = textOf(rule.action);
  if (!actions.includes(action)) yield notSupported(childPath(path, 'action'), action, actions);
  const codes = structAt(rule, 'exitCodes');
  const at = childPath(path, 'exitCodes');
  if (codes === undefined) {
    yield required(at, 'must be specified');
    return;
  }
  const operator = textOf(codes.operator);
  if (!operators.includes(operator)) yield notSupported(childPath(at, 'operator'), operator, operators);
  const count = listOf(codes.values).length;
  if (count > maxExitCodes) yield tooMany(childPath(at, 'values'), count, maxExitCodes);
}

const resizedResources = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

/** Validates the resize policies of a container. Kubernetes reports most errors at the list, without the index. */
export function* resizeErrors(container: JsonObject, path: string, pod: PodContext): Generator<FieldError> {
  const list = childPath(path, 'resizePolicy');
  const known = new Set<string>();
  for (const [policy, at] of itemsAt(container, 'resizePolicy', path)) {
    const [resource, restart] = [textOf(policy.resourceName), textOf(policy.restartPolicy)];
    if (known.has(resource)) yield duplicate(at, resource);
    known.add(resource);
    yield* requiredChoiceErrors(list, resource, resizedResources);
    yield* requiredChoiceErrors(list, restart, resizePolicies);
    if (pod.restartPolicy === 'Never' && restart !== 'NotRequired') {
      yield invalid(list, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

/** Forbids resize policies that restart an init container. Sidecars may have such policies. */
export function* initResizeErrors(container: JsonObject, path: string): Generator<FieldError> {
  for (const [policy, at] of itemsAt(container, 'resizePolicy', path)) {
    if (policy.restartPolicy !== 'RestartContainer') continue;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    yield invalid(childPath(at, 'restartPolicy'), 'RestartContainer', detail);
  }
}
