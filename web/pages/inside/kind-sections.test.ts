import { expect, it } from 'vitest';
import { readDiscovery, type ServedKind } from '../../data/discovery.ts';
import { type OwnRules, rulesAllow } from '../../data/rules-review.ts';
import { findKind, kindId, objectId, parseObjectId } from './explorer-ids.ts';
import { firstKind, kindSections } from './kind-sections.ts';

function resource(plural: string, kind: string, scope = 'Namespaced', verbs = ['get', 'list', 'watch', 'create']) {
  return { resource: plural, responseKind: { group: '', version: 'v1', kind }, scope, verbs };
}

const served = readDiscovery({
  items: [
    {
      versions: [
        {
          version: 'v1',
          resources: [
            resource('secrets', 'Secret'),
            resource('configmaps', 'ConfigMap'),
            resource('namespaces', 'Namespace', 'Cluster'),
            resource('bindings', 'Binding', 'Namespaced', ['create']),
          ],
        },
      ],
    },
    { metadata: { name: 'events.k8s.io' }, versions: [{ version: 'v1', resources: [resource('events', 'Event')] }] },
    {
      metadata: { name: 'art.example' },
      versions: [
        { version: 'v2', resources: [resource('paintings', 'Painting')] },
        { version: 'v1', resources: [resource('paintings', 'Painting'), resource('frames', 'Frame', 'Cluster')] },
      ],
    },
  ],
});

it('discovery returns every kind once, in the preferred version of its group', () => {
  expect(served.filter(({ group }) => group === 'art.example').map(kindId)).toEqual([
    'art.example/v2/paintings',
    'art.example/v1/frames',
  ]);
  expect(served.find(({ plural }) => plural === 'namespaces')?.namespaced).toBe(false);
});

it('kinds are grouped by purpose, custom ones by API group, and kinds without watch are omitted', () => {
  expect(kindSections(served).map(({ title, kinds }) => [title, ...kinds.map(({ kind }) => kind)])).toEqual([
    ['Configuration', 'ConfigMap', 'Secret'],
    ['Cluster', 'Namespace'],
    ['art.example', 'Frame', 'Painting'],
  ]);
});

it('the first kind is namespaces, or the first in the list', () => {
  expect(firstKind(kindSections(served))?.plural).toBe('namespaces');
  expect(firstKind(kindSections(served.filter(({ group }) => group !== '')))?.plural).toBe('frames');
  expect(firstKind([])).toBeUndefined();
});

it('a kind is found by its id, even with another version', () => {
  expect(findKind(served, '/v1/secrets')?.kind).toBe('Secret');
  expect(findKind(served, 'art.example/v1/paintings')?.version).toBe('v2');
  expect(findKind(served, 'art.example/v1/secrets')).toBeUndefined();
  expect(findKind(served, undefined)).toBeUndefined();
});

it('object ids round-trip', () => {
  for (const metadata of [{ name: 'web' }, { namespace: 'web', name: 'dawn' }]) {
    expect(parseObjectId(objectId({ metadata }))).toEqual(metadata);
  }
});

it('rules determine the permitted kinds', () => {
  const [secrets, configMaps] = served as [ServedKind, ServedKind];
  const rule = { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: [] };
  const rules = (...all: OwnRules['rules']): OwnRules => ({ incomplete: false, rules: all });
  expect(rulesAllow(rules(rule), 'list', secrets)).toBe(true);
  expect(rulesAllow(rules(rule), 'list', configMaps)).toBe(false);
  expect(rulesAllow(rules(rule), 'create', secrets)).toBe(false);
  expect(rulesAllow(rules({ ...rule, resourceNames: ['one'] }), 'list', secrets)).toBe(false);
  expect(rulesAllow(rules({ ...rule, verbs: ['*'], apiGroups: ['*'], resources: ['*'] }), 'delete', configMaps)).toBe(
    true,
  );
  expect(rulesAllow({ incomplete: true, rules: [] }, 'list', configMaps)).toBe(true);
});
