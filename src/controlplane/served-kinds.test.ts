import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shipKind } from '../http/plane.fixture.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import { ServedKinds } from './served-kinds.ts';

const words = fc.constantFrom('', 'a', 'b', '__proto__');
const place = fc.record({ group: words, version: words, plural: words });
const mounted = place.map((kind): MountedResource => ({ kind: { ...shipKind, ...kind }, verbs: {}, subresources: {} }));
const several = fc.array(mounted, { maxLength: 5 });

/** The plain way: later ones cover earlier ones, and what was there from the beginning covers all. */
function plainly(fixed: MountedResource[], added: Map<string, MountedResource[]>) {
  const inOrder = [...added].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, resources]) => resources);
  const all = [...inOrder, ...fixed].reverse();
  return ({ group, version, plural }: { group: string; version: string; plural: string }) =>
    all.find(({ kind }) => kind.group === group && kind.version === version && kind.plural === plural);
}

it('finds a kind by its path, whatever was added, replaced and taken away before', () => {
  fc.assert(
    fc.property(
      several,
      fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), several)),
      place,
      (fixed, changes, asked) => {
        const served = new ServedKinds(fixed);
        const added = new Map<string, MountedResource[]>();
        for (const [key, resources] of changes) {
          served.replace(new Map([[key, resources]]));
          if (resources.length === 0) added.delete(key);
          else added.set(key, resources);
          const found = served.find(asked.group, asked.version, asked.plural);
          expect(found).toBe(plainly(fixed, added)(asked));
        }
      },
    ),
  );
});
