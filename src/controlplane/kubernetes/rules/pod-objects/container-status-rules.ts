import { isJsonObject, type JsonObject } from '@flotilla/json';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../../api/field-error.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, numberOf, objectAt, textOf } from '../checks.ts';
import type { Check } from '../object-rules.ts';
import { isSet, structAt } from '../pods/pod-context.ts';

const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
type StatusList = (typeof lists)[number];

const containersOf: Readonly<Record<StatusList, string>> = {
  containerStatuses: 'containers',
  initContainerStatuses: 'initContainers',
  ephemeralContainerStatuses: 'ephemeralContainers',
};

function byName(items: readonly (readonly [JsonObject, string])[]): ReadonlyMap<string, JsonObject> {
  // If several items have the same name, the first one counts.
  return new Map(items.toReversed().map(([item]) => [textOf(item.name), item]));
}

const terminated = (status: JsonObject) => structAt(objectAt(status, 'state'), 'terminated');

/** Refuses a status in which a container runs again although its restart policies do not allow it. */
export const transitionErrors: Check = function* (pod, { old }) {
  const spec = objectAt(old, 'spec');
  const restartsAll = ['initContainers', 'containers'].some((list) =>
    itemsAt(spec, list, '').some(([container]) =>
      rulesOf(container).some(({ action }) => action === 'RestartAllContainers'),
    ),
  );
  for (const list of lists) {
    const isEphemeral = list === 'ephemeralContainerStatuses';
    if (restartsAll && !isEphemeral) continue;
    const statuses = byName(itemsAt(objectAt(pod, 'status'), list, ''));
    const containers = byName(itemsAt(spec, containersOf[list], ''));
    for (const [status, path] of itemsAt(objectAt(old, 'status'), list, 'status')) {
      const name = textOf(status.name);
      const [end, next] = [terminated(status), statuses.get(name)];
      if (end === undefined || next === undefined || terminated(next) !== undefined) continue;
      const container = isEphemeral ? undefined : containers.get(name);
      if (container !== undefined && mayRestart(container, spec, numberOf(end.exitCode))) continue;
      yield forbiddenField(`${path}.state`, 'may not be transitioned to non-terminated state');
    }
  }
};

function rulesOf(container: JsonObject): JsonObject[] {
  return listOf(container.restartPolicyRules).filter(isJsonObject);
}

/** True if a container may be started again after it has ended with this exit code. */
function mayRestart(container: JsonObject, spec: JsonObject, exitCode: number): boolean {
  const isAllowed = (policy: string) => (policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never');
  if (!isSet(container.restartPolicy)) return isAllowed(textOf(spec.restartPolicy));
  const isMatched = rulesOf(container).some((rule) => {
    const codes = objectAt(rule, 'exitCodes');
    const isListed = listOf(codes.values).some((code) => numberOf(code) === exitCode);
    return isListed ? codes.operator === 'In' : codes.operator === 'NotIn';
  });
  return isMatched || isAllowed(textOf(container.restartPolicy));
}

/** Validates the users and the allocated devices in the statuses of containers. */
export const containerStatusErrors: Check = function* (pod) {
  const [spec, status] = [objectAt(pod, 'spec'), objectAt(pod, 'status')];
  const os = textOf(objectAt(spec, 'os').name) || 'linux';
  for (const list of lists) {
    for (const [item, path] of itemsAt(status, list, 'status')) {
      const linux = structAt(objectAt(item, 'user'), 'linux');
      if (linux === undefined) continue;
      if (os === 'linux') yield* userErrors(linux, `${path}.user.linux`);
      else if (os === 'windows') yield forbiddenField(`${path}.user.linux`, 'cannot be set for a windows pod');
    }
  }
  for (const list of lists) {
    const containers = byName(itemsAt(spec, containersOf[list], ''));
    for (const [item, path] of itemsAt(status, list, 'status')) {
      const allocated = itemsAt(item, 'allocatedResourcesStatus', path);
      if (list === 'ephemeralContainerStatuses' && allocated.length > 0) {
        yield forbiddenField(`${path}.allocatedResourcesStatus`, 'must not be specified in container status');
        continue;
      }
      const container = containers.get(textOf(item.name));
      for (const [resource, at] of allocated) yield* allocatedErrors(resource, at, container);
    }
  }
};

const maxId = 2 ** 31 - 1;

function* userErrors(linux: JsonObject, path: string): Generator<FieldError> {
  const isValid = (id: number) => id >= 0 && id <= maxId;
  const detail = `must be between 0 and ${maxId}, inclusive`;
  for (const member of ['uid', 'gid']) {
    const id = numberOf(linux[member] ?? undefined);
    if (!isValid(id)) yield invalid(`${path}.${member}`, id, detail);
  }
  for (const [index, group] of listOf(linux.supplementalGroups).entries()) {
    if (!isValid(numberOf(group))) yield invalid(indexPath(`${path}.supplementalGroups`, index), group, detail);
  }
}

const healths = ['Healthy', 'Unhealthy', 'Unknown'];
const maxMessageLength = 1024;

function* allocatedErrors(
  allocated: JsonObject,
  path: string,
  container: JsonObject | undefined,
): Generator<FieldError> {
  const name = textOf(allocated.name);
  if (container !== undefined) {
    const fault = allocatedNameFault(name, objectAt(container, 'resources'));
    if (fault !== undefined) yield invalid(`${path}.name`, name, fault);
  }
  const known = new Set<string>();
  for (const [resource, at] of itemsAt(allocated, 'resources', path)) {
    const health = textOf(resource.health);
    if (!healths.includes(health)) yield notSupported(`${at}.health`, health, healths);
    if (isSet(resource.message)) {
      const message = textOf(resource.message);
      if (message === '') yield required(`${at}.message`, 'must be non-empty if specified');
      else if (Buffer.byteLength(message) > maxMessageLength) yield tooLong(`${at}.message`, maxMessageLength);
    }
    const id = textOf(resource.resourceID);
    if (known.has(id)) yield duplicate(`${at}.resourceID`, id);
    known.add(id);
  }
}

function allocatedNameFault(name: string, resources: JsonObject): string | undefined {
  if (!name.startsWith('claim:')) {
    const isRequested = objectAt(resources, 'requests')[name] !== undefined;
    return isRequested ? undefined : "must match one of the container's resource requests";
  }
  const claims = itemsAt(resources, 'claims', '').map(([claim]) => {
    const request = textOf(claim.request);
    return `claim:${textOf(claim.name)}${request === '' ? '' : `/${request}`}`;
  });
  if (claims.includes(name)) return undefined;
  return "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
}
