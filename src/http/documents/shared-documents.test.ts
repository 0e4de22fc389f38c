import { describe, expect, it } from 'vitest';
import { examplePlane, exampleResources, shipKind } from '../plane.fixture.ts';
import type { Plane } from '../plane.ts';
import { SharedDocuments } from './shared-documents.ts';

describe('documents of several planes', () => {
  const make = () => ({ made: true });
  const first = () => exampleResources;

  function plane(resources: Plane['resources'] = first): Plane {
    return { ...examplePlane(), resources };
  }

  it('are created once for planes with the same kinds, whatever functions serve them', () => {
    const shared = new SharedDocuments();
    const other = exampleResources.map((resource) => ({
      ...resource,
      kind: { ...resource.kind, schema: structuredClone(resource.kind.schema), validate: () => [] },
    }));
    expect(shared.getOrCreate(plane(), 'x', make)).toBe(
      shared.getOrCreate(
        plane(() => other),
        'x',
        make,
      ),
    );
    expect(shared.getOrCreate(plane(), 'x', make)).not.toBe(shared.getOrCreate(plane(), 'y', make));
  });

  it.each([
    ['another field', { schema: { type: 'object', properties: { more: { type: 'string' } } } }],
    ['another short name', { shortNames: ['x'] }],
    ['an integer beyond the safe integers', { schema: { type: 'object', default: { x: 2n ** 60n } } }],
  ] as const)('are separate if a kind has %s', (_what, change) => {
    const shared = new SharedDocuments();
    const changed = exampleResources.map((resource) =>
      resource.kind === shipKind ? { ...resource, kind: { ...shipKind, ...change } as typeof shipKind } : resource,
    );
    expect(shared.getOrCreate(plane(), 'x', make)).not.toBe(
      shared.getOrCreate(
        plane(() => changed),
        'x',
        make,
      ),
    );
  });

  it('are separate if a verb or a subresource is missing', () => {
    const shared = new SharedDocuments();
    const [namespaces, ...rest] = exampleResources;
    if (namespaces === undefined) throw new Error('no kinds');
    const { watch: _, ...fewer } = namespaces.verbs;
    const with_ = (changed: typeof namespaces) =>
      shared.getOrCreate(
        plane(() => [changed, ...rest]),
        'x',
        make,
      );
    const whole = with_(namespaces);
    expect(with_({ ...namespaces, verbs: fewer })).not.toBe(whole);
    expect(with_({ ...namespaces, subresources: { status: namespaces } })).not.toBe(whole);
    expect(with_({ ...namespaces })).toBe(whole);
  });

  it('are recreated when the kinds of the plane have changed', () => {
    const shared = new SharedDocuments();
    let resources = exampleResources;
    let generation = 1;
    const changing: Plane = {
      ...plane(() => resources),
      get generation() {
        return generation;
      },
    };
    const before = shared.getOrCreate(changing, 'x', make);
    resources = exampleResources.slice(1);
    expect(shared.getOrCreate(changing, 'x', make)).toBe(before);
    generation = 2;
    expect(shared.getOrCreate(changing, 'x', make)).not.toBe(before);
  });
});
