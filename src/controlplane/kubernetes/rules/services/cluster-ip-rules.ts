import { type JsonObject, textAt, valueAt } from '@flotilla/json';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { ipErrors, isIpv4 } from '../ip-rules.ts';
import { addressesOf, familiesOf, isExternalName, isHeadless, noAddress, printedList } from './service-spec.ts';

const path = 'spec.clusterIPs';
const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const maxAddresses = 2;
const mayNotChange = 'may not change once set';

/** Returns the errors of the cluster IPs of a service, their families and the policy for families. */
export function clusterIpErrors(spec: JsonObject, old: JsonObject | undefined): FieldError[] {
  if (isExternalName(spec)) return [];
  const inAddresses = addressErrors(spec, old === undefined ? [] : addressesOf(old));
  const addresses = addressesOf(spec);
  const policy = valueAt(spec, 'ipFamilyPolicy');
  const errors = [
    ...firstAddressErrors(spec),
    ...familyErrors(spec),
    ...(typeof policy === 'string' && !policies.includes(policy)
      ? [notSupported('spec.ipFamilyPolicy', policy, policies)]
      : []),
    ...inAddresses,
    ...(addresses.length > maxAddresses ? [invalid(path, printedList(addresses), 'may only hold up to 2 values')] : []),
  ];
  // Further errors would only repeat that an address is invalid.
  return inAddresses.length > 0 ? errors : [...errors, ...dualStackErrors(spec)];
}

/** `clusterIP` must equal the first item of `clusterIPs`. */
function firstAddressErrors(spec: JsonObject): FieldError[] {
  const first = textAt(spec, 'clusterIP');
  const addresses = addressesOf(spec);
  if (first === '') {
    if (addresses.length === 0) return [];
    return [invalid(path, printedList(addresses), 'must be empty when `clusterIP` is not specified')];
  }
  if (addresses.length === 0) return [required(path)];
  return addresses[0] === first ? [] : [invalid(path, printedList(addresses), 'first value must match `clusterIP`')];
}

function familyErrors(spec: JsonObject): FieldError[] {
  const given = familiesOf(spec);
  const seen = new Set<string>();
  return given.flatMap((family, index) => {
    const at = indexPath('spec.ipFamilies', index);
    const isRepeated = seen.has(family);
    seen.add(family);
    return [
      ...(families.includes(family) ? [] : [notSupported(at, family, families)]),
      ...(isRepeated ? [duplicate(at, family)] : []),
    ];
  });
}

function addressErrors(spec: JsonObject, stored: readonly string[]): FieldError[] {
  const addresses = addressesOf(spec);
  return addresses.flatMap((address, index) => {
    if (index > 0 || address !== noAddress) {
      return stored.includes(address) ? [] : ipErrors(indexPath(path, index), address);
    }
    return addresses.length === 1
      ? []
      : [invalid(path, printedList(addresses), "'None' must be the first and only value")];
  });
}

function dualStackErrors(spec: JsonObject): FieldError[] {
  const addresses = addressesOf(spec);
  const given = familiesOf(spec);
  const hasBoth = addresses.some(isIpv4) && addresses.some((address) => !isIpv4(address));
  const isDual = addresses.length < maxAddresses || hasBoth;
  const matched = isHeadless(spec) ? [] : addresses.slice(0, given.length);
  return [
    ...(isDual ? [] : [invalid(path, printedList(addresses), 'may specify no more than one IP for each IP family')]),
    ...matched.flatMap((address, index) => {
      const family = given[index] ?? '';
      if (!families.includes(family) || (family === 'IPv4') === isIpv4(address)) return [];
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
      return [invalid(indexPath(path, index), address, detail)];
    }),
  ];
}

/** Returns the errors of changed cluster IPs and families. Only a second address may be added or removed. */
export function clusterIpUpdateErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  if (isExternalName(spec) || isExternalName(old)) return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const isChanged = isHeadless(spec) !== isHeadless(old);
  return [...changedAddressErrors(spec, old), ...(isChanged ? [] : changedFamilyErrors(spec, old))];
}

function changedAddressErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const [next, before] = [addressesOf(spec), addressesOf(old)];
  const changed = (index: number) =>
    before[index] === next[index] ? [] : [invalid(indexPath(path, index), printedList(next), mayNotChange)];
  if (next.length === before.length) return before.flatMap((_, index) => changed(index));
  if (next.length > before.length) return before.length === 0 ? [] : changed(0);
  if (next.length === 0) return [invalid(indexPath(path, 0), null, 'primary clusterIP can not be unset')];
  return [
    ...changed(0),
    ...releaseErrors(spec, next, "must be set to 'SingleStack' when releasing the secondary clusterIP"),
  ];
}

function releaseErrors(spec: JsonObject, rest: readonly string[], detail: string): FieldError[] {
  const policy = valueAt(spec, 'ipFamilyPolicy');
  if (rest.length !== 1 || policy === 'SingleStack') return [];
  return [invalid('spec.ipFamilyPolicy', policy, detail)];
}

function changedFamilyErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const at = indexPath('spec.ipFamilies', 0);
  const [next, before] = [familiesOf(spec), familiesOf(old)];
  if (next.length === before.length) {
    const changed = before.filter((family, index) => family !== next[index]);
    return changed.map(() => invalid(at, printedList(next), mayNotChange));
  }
  const isFirstChanged = before.length > 0 && next.length > 0 && next[0] !== before[0];
  // In this error, Kubernetes prints the addresses, although the families are invalid.
  const first = isFirstChanged ? [invalid(at, printedList(addressesOf(spec)), mayNotChange)] : [];
  if (next.length > before.length) return first;
  const isUnset = addressesOf(spec).length === 0;
  return [
    ...(isUnset ? [invalid(at, printedList(next), 'primary ipFamily can not be unset')] : []),
    ...first,
    ...releaseErrors(spec, next, "must be set to 'SingleStack' when releasing the secondary ipFamily"),
  ];
}
