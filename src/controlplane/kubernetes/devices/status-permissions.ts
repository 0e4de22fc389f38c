import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { subdomainFaults } from '@flotilla/kubernetes-formats';
import { denialMessage } from '../../../api/denial-message.ts';
import { type FieldError, forbiddenField } from '../../../api/field-error.ts';
import { forbidden } from '../../../api/status.ts';
import type { UserInfo } from '../../../api/user-info.ts';
import type { AccessAttributes, RequestContext } from '../../../registry/context.ts';
import type { Draft } from '../../../registry/resource.ts';
import { itemsAt, listOf, objectAt, textOf } from '../rules/checks.ts';
import { maxResults } from './allocation-rules.ts';
import { statusOf } from './claim-status-rules.ts';
import { keyOf } from './device-identity.ts';

const claims = { group: 'resource.k8s.io', resource: 'resourceclaims' };
const accountPrefix = 'system:serviceaccount:';
const nodeNameKey = 'authentication.kubernetes.io/node-name';

/**
 * The maximum number of drivers whose permissions are checked. A valid status has at most `maxResults` devices before and
 * after the write. Validation refuses a status with more, so there is no need to check all of its drivers.
 */
const maxDrivers = 2 * maxResults;

/**
 * Returns an error for each part of the status that the caller may not write. A scheduler needs the permission to write
 * `resourceclaims/binding`. A driver needs the permission to write `resourceclaims/driver`, with the name of the
 * driver.
 */
export async function statusPermissionErrors({ object, old }: Draft, context: RequestContext): Promise<FieldError[]> {
  const before = old === undefined ? {} : statusOf(old.object);
  const checks = new StatusPermissions(context, object.metadata.namespace ?? '');
  const status = statusOf(object);
  return [
    ...(await checks.bindingErrors(status, before)),
    // A write that removes the allocation also removes the device statuses, so they need no check.
    ...(isJsonObject(status.allocation) ? await checks.driverErrors(status, before) : []),
  ];
}

class StatusPermissions {
  readonly #context: RequestContext;
  readonly #namespace: string;
  readonly #verb: string;

  constructor(context: RequestContext, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
    this.#verb = context.verb ?? 'update';
  }

  async bindingErrors(status: JsonObject, before: JsonObject): Promise<FieldError[]> {
    const isSame = (member: string, absent: JsonValue) => equalJson(status[member] ?? absent, before[member] ?? absent);
    if (isSame('allocation', null) && isSame('reservedFor', [])) return [];
    const denial = await this.#denial({ ...claims, verb: this.#verb, subresource: 'binding' });
    if (denial === undefined) return [];
    const detail = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${this.#verb}" permission: ${denial}`;
    return [forbiddenField('status.allocation', detail)];
  }

  async driverErrors(status: JsonObject, before: JsonObject): Promise<FieldError[]> {
    const isOnNode = isBoundToNode(this.#context.user, nodeNameOf(objectAt(status, 'allocation')));
    const verbs = [...(isOnNode ? ['associated-node'] : []), 'arbitrary-node'].map((who) => `${who}:${this.#verb}`);
    const errors: FieldError[] = [];
    for (const driver of changedDrivers(status, before)) {
      const denial = await this.#driverDenial(driver, verbs);
      if (denial === undefined) continue;
      const detail = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${denial}`;
      errors.push(forbiddenField('status.devices', detail));
    }
    return errors;
  }

  /** Returns the message of the first denial; `undefined` if the caller has the permission for one of the verbs. */
  async #driverDenial(driver: string, verbs: readonly string[]): Promise<string | undefined> {
    let first: string | undefined;
    for (const verb of verbs) {
      const attributes = { ...claims, verb, subresource: 'driver', namespace: this.#namespace, name: driver };
      const denial = await this.#denial(attributes);
      if (denial === undefined) return undefined;
      first ??= denial;
    }
    return first;
  }

  async #denial({
    name = '',
    namespace = '',
    subresource = '',
    ...rest
  }: AccessAttributes): Promise<string | undefined> {
    const attributes = { ...rest, subresource, namespace };
    if (await this.#context.may({ ...attributes, name })) return undefined;
    const message = denialMessage(this.#context.user.name, { resourceRequest: true, ...attributes });
    return forbidden(claims, name, message).message;
  }
}

/** Returns the sorted names of the drivers of the devices whose status differs. */
function changedDrivers(status: JsonObject, before: JsonObject): string[] {
  const old = new Map(itemsAt(before, 'devices', '').map(([device]) => [keyOf(device), device]));
  const drivers = new Set<string>();
  for (const [device] of itemsAt(status, 'devices', '')) {
    const key = keyOf(device);
    const known = old.get(key);
    old.delete(key);
    if (known === undefined || !equalJson(known, device)) drivers.add(textOf(device.driver));
  }
  for (const device of old.values()) drivers.add(textOf(device.driver));
  return [...drivers].toSorted().slice(0, maxDrivers);
}

/** Returns the name of the node if the devices are available on only one node; otherwise ''. */
function nodeNameOf(allocation: JsonObject): string {
  const [term, ...otherTerms] = itemsAt(objectAt(allocation, 'nodeSelector'), 'nodeSelectorTerms', '');
  if (term === undefined || otherTerms.length > 0 || listOf(term[0].matchExpressions).length > 0) return '';
  const [field, ...otherFields] = itemsAt(term[0], 'matchFields', '');
  if (field === undefined || otherFields.length > 0) return '';
  const { key, operator, values } = field[0];
  const [name, ...otherNames] = listOf(values);
  return key === 'metadata.name' && operator === 'In' && otherNames.length === 0 ? textOf(name) : '';
}

/** True if the user is a service account whose token belongs to a pod on the node. */
function isBoundToNode({ name, extra }: UserInfo, node: string): boolean {
  if (node === '' || !isAccount(name)) return false;
  const [bound = '', ...others] = extra?.[nodeNameKey] ?? [];
  return others.length === 0 && bound === node && subdomainFaults(bound).length === 0;
}

function isAccount(user: string): boolean {
  if (!user.startsWith(accountPrefix)) return false;
  const [namespace, name, ...more] = user.slice(accountPrefix.length).split(':');
  return namespace !== '' && name !== undefined && name !== '' && more.length === 0;
}
