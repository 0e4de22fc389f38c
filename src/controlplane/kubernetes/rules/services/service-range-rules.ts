import { equalJson, type JsonObject, type JsonValue, objectAt, textAt, textsAt } from '@flotilla/json';
import { pathSegmentFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { fieldIsImmutable } from '../checks.ts';
import { immutableErrors, invalidStruct } from '../field-rules.ts';
import { canonicalIpErrors } from '../ip-rules.ts';
import { canonicalRangeErrors, parseIpRange } from '../range-rules.ts';

const maxRanges = 2;

/** Returns the errors of a new IPAddress. The name of the object is the address. */
export function ipAddressErrors(object: KubeObject): FieldError[] {
  return [...canonicalIpErrors('metadata.name', object.metadata.name ?? ''), ...parentErrors(object)];
}

/** Returns the errors of an updated IPAddress. */
export function ipAddressUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return [...ipAddressErrors(object), ...changedParentErrors(parentOf(object), parentOf(old))];
}

function changedParentErrors(parent: JsonValue | undefined, old: JsonValue | undefined): FieldError[] {
  const path = 'spec.parentRef';
  if (parent === undefined || equalJson(parent, old)) return immutableErrors(path, parent, old);
  const member = (name: string) => textAt(parent, name);
  // Kubernetes prints its internal struct.
  const printed: JsonObject = {
    Group: member('group'),
    Resource: member('resource'),
    Namespace: member('namespace'),
    Name: member('name'),
  };
  return [invalidStruct(path, printed, fieldIsImmutable)];
}

function parentOf(object: KubeObject): JsonValue | undefined {
  return objectAt(object as JsonValue, 'spec', 'parentRef');
}

function parentErrors(object: KubeObject): FieldError[] {
  const path = 'spec.parentRef';
  const parent = parentOf(object);
  if (parent === undefined) return [required(path)];
  const memberErrors = (member: string, faultsOf: (text: string) => readonly string[], isRequired: boolean) => {
    const value = textAt(parent, member);
    if (value === '') return isRequired ? [required(`${path}.${member}`)] : [];
    return faultsOf(value).map((fault) => invalid(`${path}.${member}`, value, fault));
  };
  return [
    ...memberErrors('group', subdomainFaults, false),
    ...memberErrors('resource', pathSegmentFaults, true),
    ...memberErrors('name', pathSegmentFaults, true),
    ...memberErrors('namespace', pathSegmentFaults, false),
  ];
}

function rangesOf(object: KubeObject): readonly string[] {
  return textsAt(object as JsonValue, 'spec', 'cidrs');
}

/** Returns the errors of a new ServiceCIDR. */
export function serviceRangeErrors(object: KubeObject): FieldError[] {
  const path = 'spec.cidrs';
  const ranges = rangesOf(object);
  if (ranges.length === 0) return [required(path, 'at least one CIDR required')];
  if (ranges.length > maxRanges) return [invalidStruct(path, { CIDRs: [...ranges] }, 'may only hold up to 2 values')];
  const [first, second] = ranges.map((range) => parseIpRange(range)?.address.bits);
  const isSameFamily = ranges.length === maxRanges && first !== undefined && first === second;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [
    ...ranges.flatMap((range, index) => canonicalRangeErrors(indexPath(path, index), range)),
    ...(isSameFamily ? [invalid(path, [...ranges], detail)] : []),
  ];
}

/** Returns the errors of an updated ServiceCIDR. Only a second range may be added. */
export function serviceRangeUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const path = 'spec.cidrs';
  const [ranges, before] = [rangesOf(object), rangesOf(old)];
  const changed = (count: number) =>
    ranges
      .slice(0, count)
      .flatMap((range, index) =>
        range === before[index] ? [] : [invalid(indexPath(path, index), range, fieldIsImmutable)],
      );
  if (ranges.length === before.length) return changed(ranges.length);
  if (before.length === 1 && ranges.length === maxRanges) return [...changed(1), ...serviceRangeErrors(object)];
  return [invalid(path, ranges.length === 0 ? null : [...ranges], fieldIsImmutable)];
}
