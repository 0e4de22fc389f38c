import type { JsonObject } from '@flotilla/json';
import { byteLength, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { isUnset, objectAt, textOf } from '../checks.ts';
import { invalidStruct } from '../field-rules.ts';
import { allContainers, isSet, type PodContext, structAt } from './pod-context.ts';

const maxCredentialKiB = 64;
const maxDomainBytes = 256;
const maxUserBytes = 104;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);

/** Returns the errors of the Windows options in a security context. */
export function* windowsOptionErrors(context: JsonObject, contextPath: string): Generator<FieldError> {
  const options = structAt(context, 'windowsOptions');
  if (options === undefined) return;
  const path = childPath(contextPath, 'windowsOptions');
  if (isSet(options.gmsaCredentialSpecName)) {
    const name = textOf(options.gmsaCredentialSpecName);
    for (const fault of subdomainFaults(name))
      yield invalidStruct(childPath(path, 'gmsaCredentialSpecName'), name, fault);
  }
  if (isSet(options.gmsaCredentialSpec)) {
    const text = textOf(options.gmsaCredentialSpec);
    const at = childPath(path, 'gmsaCredentialSpec');
    if (text === '') yield invalidStruct(at, text, 'gmsaCredentialSpec cannot be an empty string');
    else if (byteLength(text) > maxCredentialKiB * 1024) {
      yield invalidStruct(at, text, `gmsaCredentialSpec size must be under ${maxCredentialKiB} KiB`);
    }
  }
  if (isSet(options.runAsUserName)) {
    const name = textOf(options.runAsUserName);
    const at = childPath(path, 'runAsUserName');
    for (const fault of userNameFaults(name)) yield invalidStruct(at, name, `runAsUserName${fault}`);
  }
}

/** Returns the faults of a user name, such as `DOMAIN\user`. */
function userNameFaults(name: string): string[] {
  const parts = name.split('\\');
  if (name === '') return [' cannot be an empty string'];
  if ([...name].some((character) => character < ' ' || character === '\x7f'))
    return [' cannot contain control characters'];
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 1 ? undefined : (parts[0] ?? '');
  const faults: string[] = [];
  if (domain !== undefined) {
    if (byteLength(domain) >= maxDomainBytes)
      faults.push(`'s Domain length must be under ${maxDomainBytes} characters`);
    if (!netBiosName.test(domain) && !dnsName.test(domain)) {
      faults.push("'s Domain doesn't match the NetBios nor the DNS format");
    }
  }
  if (user === '') faults.push("'s User cannot be empty");
  else if (byteLength(user) > maxUserBytes) {
    faults.push(`'s User length must not be longer than ${maxUserBytes} characters`);
  }
  if (/^[. ]+$/.test(user)) faults.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return faults;
}

const hostProcessOf = (container: JsonObject) =>
  objectAt(objectAt(container, 'securityContext'), 'windowsOptions').hostProcess ?? undefined;

/**
 * Checks that the containers of a pod and the pod itself agree whether they run as host processes of a Windows node.
 */
export function* hostProcessErrors({ spec, path }: PodContext): Generator<FieldError> {
  const ofPod = hostProcessOf(spec);
  const containers = allContainers(spec, path);
  for (const [container, at] of containers) {
    const own = hostProcessOf(container);
    if (ofPod === undefined || own === undefined || own === ofPod) continue;
    const detail = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
    yield invalid(`${at}.securityContext.windowsOptions.hostProcess`, own, detail);
  }
  const count = containers.filter(([container]) => (hostProcessOf(container) ?? ofPod) === true).length;
  if (count === 0) return;
  if (count !== containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    yield invalid(path, '', detail);
  }
  if (spec.hostNetwork !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    yield invalid(childPath(path, 'hostNetwork'), false, detail);
  }
}

/** The members of a pod that are valid only on Linux, in the order of Kubernetes' checks. */
const linuxPodMembers = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];
const linuxContainerMembers = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** Validates the members of a pod that depend on its operating system. */
export function* osErrors(pod: PodContext): Generator<FieldError> {
  const os = structAt(pod.spec, 'os');
  if (os === undefined) return;
  const name = textOf(os.name);
  const path = childPath(pod.path, 'os');
  if (name === '') yield required(childPath(path, 'name'));
  else if (name === 'linux') yield* linuxErrors(pod);
  else if (name === 'windows') yield* windowsErrors(pod);
  else yield notSupported(path, name, ['linux', 'windows']);
}

function* linuxErrors({ spec, path }: PodContext): Generator<FieldError> {
  for (const [owner, at] of [[spec, path] as const, ...allContainers(spec, path)]) {
    if (!isSet(objectAt(owner, 'securityContext').windowsOptions)) continue;
    yield forbiddenField(`${at}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod');
  }
}

function* windowsErrors({ spec, path }: PodContext): Generator<FieldError> {
  const detail = 'cannot be set for a windows pod';
  const context = objectAt(spec, 'securityContext');
  for (const member of linuxPodMembers) {
    const name = member.replace('securityContext.', '');
    const value = (name === member ? spec : context)[name];
    const isFlag = name === 'hostPID' || name === 'hostIPC';
    const isPresent = isFlag ? value === true : isSet(value) && !(name === 'sysctls' && isUnset(value));
    if (isPresent) yield forbiddenField(childPath(path, member), detail);
  }
  for (const [container, at] of allContainers(spec, path)) {
    const own = objectAt(container, 'securityContext');
    for (const member of linuxContainerMembers) {
      if (isSet(own[member])) yield forbiddenField(`${at}.securityContext.${member}`, detail);
    }
  }
}
