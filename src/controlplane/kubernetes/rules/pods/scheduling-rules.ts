import { qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, labels, numberOf, textOf } from '../checks.ts';
import { faultErrors, requiredChoiceErrors } from '../field-rules.ts';
import { containerResourceErrors } from '../resource-checks.ts';
import { tolerations } from '../toleration-checks.ts';
import { isSet, type PodCheck, type PodContext, structAt } from './pod-context.ts';

const maxDeadline = 2_147_483_647;

export function* gracePeriodErrors({ path, gracePeriod }: PodContext): Generator<FieldError> {
  if (gracePeriod === undefined) yield required(childPath(path, 'terminationGracePeriodSeconds'));
}

export function restartPolicyErrors({ path, restartPolicy }: PodContext): Iterable<FieldError> {
  return requiredChoiceErrors(childPath(path, 'restartPolicy'), restartPolicy, ['Always', 'OnFailure', 'Never']);
}

export function nodeSelectorErrors({ spec, path, position }: PodContext): Iterable<FieldError> {
  return labels(spec.nodeSelector ?? undefined, { ...position, path: childPath(path, 'nodeSelector') });
}

export function* readinessGateErrors({ spec, path }: PodContext): Generator<FieldError> {
  for (const [gate, at] of itemsAt(spec, 'readinessGates', path)) {
    const type = textOf(gate.conditionType);
    yield* faultErrors(childPath(at, 'conditionType'), type, qualifiedNameFaults(type));
  }
}

export function* schedulingGateErrors({ spec, path }: PodContext): Generator<FieldError> {
  const names = new Set<string>();
  for (const [gate, at] of itemsAt(spec, 'schedulingGates', path)) {
    const name = textOf(gate.name);
    yield* faultErrors(at, name, qualifiedNameFaults(name));
    if (names.has(name)) yield duplicate(at, name);
    names.add(name);
  }
}

/** Returns a check of optional members that contain the name of another object. */
export function optionalNameErrors(...members: readonly string[]): PodCheck {
  return function* ({ spec, path }) {
    for (const member of members) {
      const name = textOf(spec[member]);
      if (name !== '') yield* faultErrors(childPath(path, member), name, subdomainFaults(name));
    }
  };
}

export function* deadlineErrors({ spec, path }: PodContext): Generator<FieldError> {
  if (!isSet(spec.activeDeadlineSeconds)) return;
  const seconds = numberOf(spec.activeDeadlineSeconds);
  if (seconds >= 1 && seconds <= maxDeadline) return;
  const detail = `must be between 1 and ${maxDeadline}, inclusive`;
  yield invalid(childPath(path, 'activeDeadlineSeconds'), spec.activeDeadlineSeconds, detail);
}

export function tolerationErrors({ spec, path, position }: PodContext): Iterable<FieldError> {
  return tolerations(spec.tolerations ?? undefined, { ...position, path: childPath(path, 'tolerations') });
}

/** Validates the name of the runtime class. The name may be absent, but not empty. */
export function* runtimeClassErrors({ spec, path }: PodContext): Generator<FieldError> {
  if (!isSet(spec.runtimeClassName)) return;
  const name = textOf(spec.runtimeClassName);
  yield* faultErrors(childPath(path, 'runtimeClassName'), name, subdomainFaults(name));
}

export function* preemptionErrors({ spec, path }: PodContext): Generator<FieldError> {
  if (!isSet(spec.preemptionPolicy)) return;
  const policy = textOf(spec.preemptionPolicy);
  yield* requiredChoiceErrors(childPath(path, 'preemptionPolicy'), policy, ['PreemptLowerPriority', 'Never']);
}

/** Validates the overhead of a pod. Kubernetes validates it as limits. */
export function overheadErrors({ spec, path }: PodContext): Iterable<FieldError> {
  return containerResourceErrors({ limits: structAt(spec, 'overhead') ?? {} }, childPath(path, 'overhead'));
}
