import type { Attributes, Decision } from '../auth/authz/attributes.ts';
import type { Identity } from '../auth/identity.ts';
import type { Plane } from '../http/plane.ts';

const gatedPlanes = new WeakMap<Plane, Plane>();

/**
 * Wraps a plane so that it calls `Identity.preauthorize` before it authorizes a request. Always returns the same
 * wrapper for a plane, because handlers are cached by plane object.
 */
export function preauthorizingPlane(plane: Plane): Plane {
  const found = gatedPlanes.get(plane);
  if (found !== undefined) return found;
  const { settled } = plane;
  const gated: Plane = {
    id: plane.id,
    get generation() {
      return plane.generation;
    },
    resources: () => plane.resources(),
    find: (group, version, plural) => plane.find(group, version, plural),
    ...(settled === undefined ? {} : { settled }),
    mayRead: (identity, kind, verb) => plane.mayRead(identity, kind, verb),
    authorize: (identity, attributes) => authorizeWithEntry(plane, identity, attributes),
  };
  gatedPlanes.set(plane, gated);
  gatedPlanes.set(gated, gated);
  return gated;
}

/** Calls `Identity.preauthorize`, and then `authorize` of the plane. The request is allowed only if both allow it. */
export async function authorizeWithEntry(
  plane: Pick<Plane, 'authorize'>,
  identity: Identity,
  attributes: Attributes,
): Promise<Decision> {
  const entryDecision = await identity.preauthorize?.(attributes);
  if (entryDecision?.allowed === false) return entryDecision;
  const decision = await plane.authorize(identity, attributes);
  return entryDecision?.scopes === undefined ? decision : { ...decision, scopes: entryDecision.scopes };
}
