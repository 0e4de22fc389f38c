import type { JsonObject } from '@flotilla/json';
import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, fieldNotFound, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, textOf } from '../checks.ts';
import { faultErrors, invalidStruct } from '../field-rules.ts';
import { isSet, type PodContext } from './pod-context.ts';

/** Validates the resource claims of a pod. */
export function* resourceClaimErrors({ spec, path }: PodContext): Generator<FieldError> {
  const names = new Set<string>();
  for (const [claim, at] of itemsAt(spec, 'resourceClaims', path)) {
    const name = textOf(claim.name);
    const namePath = childPath(at, 'name');
    if (name === '') yield required(namePath);
    else if (names.has(name)) yield duplicate(namePath, name);
    else yield* faultErrors(namePath, name, labelFaults(name));
    names.add(name);
    yield* claimSourceErrors(claim, at);
  }
}

function* claimSourceErrors(claim: JsonObject, path: string): Generator<FieldError> {
  const { resourceClaimName, resourceClaimTemplateName } = claim;
  const printed = {
    Name: textOf(claim.name),
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  if (isSet(resourceClaimName) && isSet(resourceClaimTemplateName)) {
    const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    yield invalidStruct(path, printed, detail);
  }
  if (!isSet(resourceClaimName) && !isSet(resourceClaimTemplateName)) {
    yield invalidStruct(path, printed, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
  }
  for (const member of ['resourceClaimName', 'resourceClaimTemplateName']) {
    const name = textOf(claim[member]);
    if (isSet(claim[member])) yield* faultErrors(childPath(path, member), name, subdomainFaults(name));
  }
}

/** Checks that the resource claims that a container uses are claims of the pod. */
export function* claimReferenceErrors(
  resources: JsonObject,
  path: string,
  { claimNames }: PodContext,
): Generator<FieldError> {
  /** The number of requests that the container uses, by the name of the request's claim. */
  const requests = new Map<string, number>();
  const known = new Set<string>();
  for (const [claim, at] of itemsAt(resources, 'claims', path)) {
    const [name, request] = [textOf(claim.name), textOf(claim.request)];
    if (name === '') {
      yield required(at);
      continue;
    }
    if (known.has(name)) yield duplicate(at, name);
    else {
      const key = request === '' ? name : `${name}/${request}`;
      if (request !== '') yield* faultErrors(childPath(at, 'request'), request, labelFaults(request));
      if (known.has(key)) yield duplicate(at, key);
      else if (request === '') for (let left = requests.get(name) ?? 0; left > 0; left--) yield duplicate(at, name);
      else requests.set(name, (requests.get(name) ?? 0) + 1);
      known.add(key);
    }
    if (!claimNames.has(name)) yield fieldNotFound(at, name, unknownClaim(claimNames));
  }
}

function unknownClaim(names: ReadonlySet<string>): string {
  const listed = names.size === 0 ? ' which is empty' : `: ${[...names].toSorted().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${listed}`;
}
