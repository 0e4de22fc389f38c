import type { JsonObject } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, objectAt, textOf } from '../checks.ts';
import { idErrors } from './container-security-rules.ts';
import { allContainers, isSet, type PodContext, structAt } from './pod-context.ts';
import { appArmorErrors, seccompErrors } from './profile-rules.ts';
import { windowsOptionErrors } from './windows-rules.ts';

/** Validates the security context of a pod. */
export function* podSecurityErrors({ spec, path: specPath, old }: PodContext): Generator<FieldError> {
  const context = structAt(spec, 'securityContext') ?? {};
  const path = childPath(specPath, 'securityContext');
  for (const member of ['fsGroup', 'runAsUser', 'runAsGroup']) {
    yield* idErrors(childPath(path, member), context[member]);
  }
  for (const [index, group] of listOf(context.supplementalGroups).entries()) {
    yield* idErrors(indexPath(childPath(path, 'supplementalGroups'), index), group);
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    yield invalid(childPath(path, 'shareProcessNamespace'), true, detail);
  }
  yield* sysctlErrors(context, path, spec);
  yield* policyErrors(context, childPath(path, 'fsGroupChangePolicy'), ['Always', 'OnRootMismatch']);
  yield* seccompErrors(context, path);
  yield* windowsOptionErrors(context, path);
  yield* appArmorErrors(context, path);
  yield* policyErrors(context, childPath(path, 'supplementalGroupsPolicy'), ['Merge', 'Strict']);
  // Kubernetes accepts `MountOption` only if the stored pod already has a `seLinuxChangePolicy`.
  const hadPolicy = isSet(objectAt(old, 'securityContext').seLinuxChangePolicy);
  const policies = hadPolicy ? ['MountOption', 'Recursive'] : ['Recursive'];
  yield* policyErrors(context, childPath(path, 'seLinuxChangePolicy'), policies);
}

function* policyErrors(context: JsonObject, path: string, allowed: readonly string[]): Generator<FieldError> {
  const value = context[path.slice(path.lastIndexOf('.') + 1)];
  if (isSet(value) && !allowed.includes(textOf(value))) yield notSupported(path, textOf(value), allowed);
}

const segment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctlFormat = `^(${segment}[\\./])*${segment}$`;
const sysctlName = new RegExp(sysctlFormat);
const maxSysctlBytes = 253;
const ipcSysctls = new Set(
  ['sem', 'shmall', 'shmmax', 'shmmni', 'shm_rmid_forced', 'shm', 'msgmax', 'msgmnb', 'msgmni', 'msg'].map(
    (name) => `kernel.${name}`,
  ),
);

/**
 * Returns the namespace that a kernel parameter belongs to. Dots or slashes separate the parts of the parameter's name.
 */
function sysctlNamespace(sysctl: string): 'network' | 'IPC' | undefined {
  const usesSlashes = /^[^./]*\//.test(sysctl);
  const dotted = usesSlashes ? sysctl.replace(/[./]/g, (mark) => (mark === '.' ? '/' : '.')) : sysctl;
  const name = dotted.split('*')[0] ?? '';
  if (name.startsWith('net.')) return 'network';
  return ipcSysctls.has(name) || name.startsWith('fs.mqueue.') ? 'IPC' : undefined;
}

function* sysctlErrors(context: JsonObject, path: string, spec: JsonObject): Generator<FieldError> {
  const names = new Set<string>();
  for (const [sysctl, at] of itemsAt(context, 'sysctls', path)) {
    const name = textOf(sysctl.name);
    const namePath = childPath(at, 'name');
    if (name === '') yield required(namePath);
    else if (byteLength(name) > maxSysctlBytes || !sysctlName.test(name)) {
      yield invalid(namePath, name, `must have at most ${maxSysctlBytes} characters and match regex ${sysctlFormat}`);
    } else if (names.has(name)) yield duplicate(namePath, name);
    names.add(name);
    const namespace = sysctlNamespace(name);
    if (spec.hostNetwork === true && namespace === 'network') {
      yield invalid(namePath, name, "may not be specified when 'hostNetwork' is true");
    } else if (spec.hostIPC === true && namespace === 'IPC') {
      yield invalid(namePath, name, "may not be specified when 'hostIPC' is true");
    }
  }
}

/** Checks that a pod with its own user namespace does not share other namespaces with its node. */
export function* hostUserErrors({ spec, path, hostUsers }: PodContext): Generator<FieldError> {
  if (hostUsers) return;
  const detail = 'when `hostUsers` is false';
  if (spec.hostNetwork === true) yield forbiddenField(childPath(path, 'hostNetwork'), detail);
  if (spec.hostPID === true) yield forbiddenField(childPath(path, 'HostPID'), detail);
  if (spec.hostIPC === true) yield forbiddenField(childPath(path, 'HostIPC'), detail);
  for (const [container, at] of allContainers(spec, path)) {
    if (listOf(container.volumeDevices).length > 0) yield forbiddenField(childPath(at, 'volumeDevices'), detail);
  }
}
