import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shipKind } from '../http/plane.fixture.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { ServedKinds } from './served-kinds.ts';

const nameParts = fc.constantFrom('', 'a', 'b', '__proto__');
const kindNames = fc.record({ group: nameParts, version: nameParts, plural: nameParts });
const mounted = kindNames.map(
  (kind): MountedResource => ({ kind: { ...shipKind, ...kind }, verbs: {}, subresources: {} }),
);
const resourceLists = fc.array(mounted, { maxLength: 5 });

/**
 * The plain implementation: later additions take precedence over earlier ones, and the original kinds over all
 * additions.
 */
function findPlain(fixed: MountedResource[], added: Map<string, MountedResource[]>) {
  const inOrder = [...added].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, resources]) => resources);
  const all = [...inOrder, ...fixed].reverse();
  return ({ group, version, plural }: { group: string; version: string; plural: string }) =>
    all.find(({ kind }) => kind.group === group && kind.version === version && kind.plural === plural);
}

it('a kind is found by its path after any sequence of additions, replacements and removals', () => {
  fc.assert(
    fc.property(
      resourceLists,
      fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), resourceLists)),
      kindNames,
      (fixed, changes, wanted) => {
        const served = new ServedKinds(fixed);
        const added = new Map<string, MountedResource[]>();
        for (const [key, resources] of changes) {
          served.replace(new Map([[key, resources]]));
          if (resources.length === 0) added.delete(key);
          else added.set(key, resources);
          const found = served.find(wanted.group, wanted.version, wanted.plural);
          expect(found).toBe(findPlain(fixed, added)(wanted));
        }
      },
    ),
  );
});
