import type { JsonObject } from '@flotilla/json';
import { labelFaults } from '@flotilla/kubernetes-formats';
import {
  duplicate,
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  required,
} from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { isUnset, itemsAt, textOf } from '../checks.ts';
import { faultErrors, requiredChoiceErrors } from '../field-rules.ts';
import { containerResourceErrors } from '../resource-checks.ts';
import { hostPortErrors, portErrors } from './container-port-rules.ts';
import { containerSecurityErrors } from './container-security-rules.ts';
import { envErrors, envFromErrors } from './env-rules.ts';
import { deviceErrors, mountErrors } from './mount-rules.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';
import { forbiddenLifecycleErrors, lifecycleErrors } from './probe-rules.ts';
import { claimReferenceErrors } from './resource-claim-rules.ts';
import { initResizeErrors, initRestartErrors, resizeErrors, restartErrors } from './restart-rules.ts';

/** Validates the members that containers of all types have. */
function* commonErrors(container: JsonObject, path: string, pod: PodContext): Generator<FieldError> {
  const name = textOf(container.name);
  const namePath = childPath(path, 'name');
  if (name === '') yield required(namePath);
  else yield* faultErrors(namePath, name, labelFaults(name));
  if (textOf(container.image) === '') yield required(childPath(path, 'image'));
  const messagePolicy = textOf(container.terminationMessagePolicy);
  const messagePolicies = ['File', 'FallbackToLogsOnError'];
  yield* requiredChoiceErrors(childPath(path, 'terminationMessagePolicy'), messagePolicy, messagePolicies);
  yield* portErrors(container, path);
  yield* envErrors(container, path);
  yield* envFromErrors(container, path);
  yield* mountErrors(container, path, pod);
  yield* deviceErrors(container, path, pod);
  const pullPolicy = textOf(container.imagePullPolicy);
  yield* requiredChoiceErrors(childPath(path, 'imagePullPolicy'), pullPolicy, ['Always', 'IfNotPresent', 'Never']);
  const resources = structAt(container, 'resources') ?? {};
  yield* containerResourceErrors(resources, childPath(path, 'resources'));
  yield* claimReferenceErrors(resources, childPath(path, 'resources'), pod);
  yield* resizeErrors(container, path, pod);
  const security = structAt(container, 'securityContext');
  if (security !== undefined) yield* containerSecurityErrors(security, childPath(path, 'securityContext'), pod);
}

export function* containerErrors(pod: PodContext): Generator<FieldError> {
  const containers = itemsAt(pod.spec, 'containers', pod.path);
  if (containers.length === 0) {
    yield required(childPath(pod.path, 'containers'));
    return;
  }
  const names = new Set<string>();
  for (const [container, path] of containers) {
    yield* commonErrors(container, path, pod);
    const name = textOf(container.name);
    if (names.has(name)) yield duplicate(childPath(path, 'name'), name);
    names.add(name);
    yield* lifecycleErrors(container, path, pod);
    yield* restartErrors(container, path);
  }
  yield* hostPortErrors(containers);
}

function namesIn(pod: PodContext, ...lists: readonly string[]): Set<string> {
  return new Set(lists.flatMap((list) => itemsAt(pod.spec, list, '').map(([{ name }]) => textOf(name))));
}

export function* initContainerErrors(pod: PodContext): Generator<FieldError> {
  const names = namesIn(pod, 'containers');
  for (const [container, path] of itemsAt(pod.spec, 'initContainers', pod.path)) {
    yield* commonErrors(container, path, pod);
    yield* initRestartErrors(container, path);
    const name = textOf(container.name);
    if (names.has(name)) yield duplicate(childPath(path, 'name'), name);
    if (name !== '') names.add(name);
    // Kubernetes reports the ports of all init containers with the path of the first init container.
    yield* hostPortErrors([[container, `${childPath(pod.path, 'initContainers')}[0]`]]);
    const isSidecar = container.restartPolicy === 'Always';
    yield* isSidecar ? lifecycleErrors(container, path, pod) : forbiddenLifecycleErrors(container, path);
    if (!isSidecar) yield* initResizeErrors(container, path);
  }
}

/** The members that ephemeral containers cannot have. */
const refusedMembers = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const refusal = 'cannot be set for an Ephemeral Container';

export function* ephemeralContainerErrors(pod: PodContext): Generator<FieldError> {
  const others = namesIn(pod, 'containers', 'initContainers');
  const names = new Set(others);
  for (const [container, path] of itemsAt(pod.spec, 'ephemeralContainers', pod.path)) {
    yield* commonErrors(container, path, pod);
    const [name, image] = [textOf(container.name), textOf(container.image)];
    if (image !== image.trim()) {
      yield invalid(childPath(path, 'image'), image, 'must not have leading or trailing whitespace');
    }
    if (names.has(name)) yield duplicate(childPath(path, 'name'), name);
    names.add(name);
    const target = textOf(container.targetContainerName);
    if (target !== '' && !others.has(target)) yield fieldNotFound(childPath(path, 'targetContainerName'), target);
    yield* refusedMemberErrors(container, path);
  }
}

function* refusedMemberErrors(container: JsonObject, path: string): Generator<FieldError> {
  for (const member of refusedMembers) {
    const isEmpty = member === 'resources' && Object.keys(structAt(container, member) ?? {}).length === 0;
    if (isSet(container[member]) && !isEmpty) yield forbiddenField(childPath(path, member), refusal);
  }
  for (const [mount, at] of itemsAt(container, 'volumeMounts', path)) {
    for (const member of ['subPath', 'subPathExpr']) {
      if (!isUnset(mount[member] ?? undefined)) yield forbiddenField(childPath(at, member), refusal);
    }
  }
}
