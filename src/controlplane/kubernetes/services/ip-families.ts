import { type JsonObject, textAt, valueAt } from '@flotilla/json';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { isIpv4 } from '../rules/ip-rules.ts';
import { clusterIpErrors } from '../rules/services/cluster-ip-rules.ts';
import {
  addressesOf,
  familiesOf,
  hasSelector,
  isExternalName,
  noAddress,
  printedList,
  typeOf,
} from '../rules/services/service-spec.ts';

const policyPath = 'spec.ipFamilyPolicy';

/**
 * Sets the families of the cluster IPs of a service and the policy for families. Planes have IPv4 addresses only.
 * Returns the errors of the families in the request, which are reported before all other errors of the service.
 */
export function setIpFamilies(spec: JsonObject, old: JsonObject | undefined): FieldError[] {
  if (isExternalName(spec) || isUnchanged(spec, old)) return [];
  spec.ipFamilyPolicy = valueAt(spec, 'ipFamilyPolicy') ?? defaultPolicy(spec, old);
  const invalidFields = clusterIpErrors(spec, old);
  if (invalidFields.length > 0) return invalidFields;
  const reduced = old === undefined ? [] : reduceToOneFamily(spec, old);
  const errors = [...reduced, ...singleStackErrors(spec), ...inferFamilies(spec)];
  if (errors.length > 0) return errors;
  if (isHeadlessWithoutSelector(spec)) {
    setBothFamilies(spec);
    return [];
  }
  const unavailable = unavailableErrors(spec);
  if (unavailable.length === 0 && familiesOf(spec).length === 0) spec.ipFamilies = ['IPv4'];
  return unavailable;
}

/** True if the update changes neither the policy PreferDualStack nor the fields that depend on it. */
function isUnchanged(spec: JsonObject, old: JsonObject | undefined): boolean {
  const prefers = (each: JsonObject) => textAt(each, 'ipFamilyPolicy') === 'PreferDualStack';
  if (old === undefined || typeOf(old) !== typeOf(spec) || !prefers(spec) || !prefers(old)) return false;
  return isSame(addressesOf(spec), addressesOf(old)) && isSame(familiesOf(spec), familiesOf(old));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function isHeadlessWithoutSelector(spec: JsonObject): boolean {
  return textAt(spec, 'clusterIP') === noAddress && !hasSelector(spec);
}

function defaultPolicy(spec: JsonObject, old: JsonObject | undefined): string {
  const before = old === undefined ? '' : textAt(old, 'ipFamilyPolicy');
  if (before !== '') return before;
  return isHeadlessWithoutSelector(spec) ? 'RequireDualStack' : 'SingleStack';
}

/**
 * Removes the second family of a service if its policy is now SingleStack. With another policy, returns an error if the
 * client removed the second family.
 */
function reduceToOneFamily(spec: JsonObject, old: JsonObject): FieldError[] {
  const [addresses, families] = [addressesOf(spec), familiesOf(spec)];
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy === 'SingleStack') {
    if (isSame(addresses, addressesOf(old)) && addresses.length > 1) spec.clusterIPs = addresses.slice(0, 1);
    if (isSame(families, familiesOf(old)) && families.length > 1) spec.ipFamilies = families.slice(0, 1);
    return [];
  }
  const isReduced = (next: readonly string[], before: readonly string[]) =>
    next.length > 0 && next.length < before.length;
  const error = (released: string) =>
    invalid(policyPath, policy, `must be 'SingleStack' to release the secondary ${released}`);
  return [
    ...(isReduced(addresses, addressesOf(old)) ? [error('cluster IP')] : []),
    ...(isReduced(families, familiesOf(old)) ? [error('IP family')] : []),
  ];
}

function singleStackErrors(spec: JsonObject): FieldError[] {
  const policy = textAt(spec, 'ipFamilyPolicy');
  if (policy !== 'SingleStack') return [];
  const error = (several: string) =>
    invalid(
      policyPath,
      policy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${several} are specified`,
    );
  return [
    ...(addressesOf(spec).length === 2 ? [error('cluster IPs')] : []),
    ...(familiesOf(spec).length === 2 ? [error('IP families')] : []),
  ];
}

/** Sets missing families from the addresses in the request. */
function inferFamilies(spec: JsonObject): FieldError[] {
  const addresses = addressesOf(spec);
  const errors: FieldError[] = [];
  for (const [index, address] of addresses.entries()) {
    if (address === noAddress) break;
    const families = familiesOf(spec);
    if (index < families.length) continue;
    if (isIpv4(address)) spec.ipFamilies = [...families, 'IPv4'];
    else {
      const path = indexPath('spec.clusterIPs', index);
      errors.push(invalid(path, printedList(addresses), 'IPv6 is not configured on this cluster'));
    }
  }
  return errors;
}

/** Sets the families of a headless service without a selector, whose endpoints can be of any family. */
function setBothFamilies(spec: JsonObject): void {
  const [first = 'IPv4', second] = familiesOf(spec);
  const isSingle = second !== undefined || textAt(spec, 'ipFamilyPolicy') === 'SingleStack';
  const other = first === 'IPv4' ? 'IPv6' : 'IPv4';
  spec.ipFamilies = [first, ...(second === undefined ? [] : [second]), ...(isSingle ? [] : [other])];
}

function unavailableErrors(spec: JsonObject): FieldError[] {
  const policy = textAt(spec, 'ipFamilyPolicy');
  const isDual = policy === 'RequireDualStack';
  return [
    ...(isDual ? [invalid(policyPath, policy, 'this cluster is not configured for dual-stack services')] : []),
    ...familiesOf(spec).flatMap((family, index) =>
      family === 'IPv4' ? [] : [invalid(indexPath('spec.ipFamilies', index), family, 'not configured on this cluster')],
    ),
  ];
}
