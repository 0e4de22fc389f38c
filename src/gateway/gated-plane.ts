import type { Plane } from '../http/plane.ts';

const known = new WeakMap<Plane, Plane>();

/**
 * The same plane for callers who have to pass a gate first (`Identity.gate`); it says no before the plane is asked. Always
 * the same one for a plane, as what answers for it is made once.
 */
export function gatedPlane(plane: Plane): Plane {
  const found = known.get(plane);
  if (found !== undefined) return found;
  const gated: Plane = {
    id: plane.id,
    get generation() {
      return plane.generation;
    },
    resources: () => plane.resources(),
    find: (group, version, plural) => plane.find(group, version, plural),
    mayRead: (identity, kind, verb) => plane.mayRead(identity, kind, verb),
    async authorize(identity, attributes) {
      const passed = await identity.gate?.(attributes);
      if (passed?.allowed === false) return passed;
      const decision = await plane.authorize(identity, attributes);
      return passed?.scopes === undefined ? decision : { ...decision, scopes: passed.scopes };
    },
  };
  known.set(plane, gated);
  known.set(gated, gated);
  return gated;
}
