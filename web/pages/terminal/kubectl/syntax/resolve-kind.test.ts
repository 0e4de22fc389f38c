import { describe, expect, it } from 'vitest';
import type { ServedKind } from '../../../../data/discovery.ts';
import { namedObjects, objectName, resolveKind, resolveKinds } from './resolve-kind.ts';

const kind = (name: string, plural: string, more: Partial<ServedKind> = {}): ServedKind => ({
  group: '',
  version: 'v1',
  kind: name,
  plural,
  namespaced: true,
  verbs: ['get', 'list'],
  shortNames: [],
  ...more,
});
const served = [
  kind('Pod', 'pods', { shortNames: ['po'], categories: ['all'] }),
  kind('Service', 'services', { shortNames: ['svc'], categories: ['all'] }),
  kind('Event', 'events'),
  kind('Deployment', 'deployments', { group: 'apps', shortNames: ['deploy'], categories: ['all'] }),
  kind('Event', 'events', { group: 'events.k8s.io' }),
];
const named = (line: string) =>
  namedObjects(line.split(' ').filter(Boolean), served).map(({ kind: { plural }, names }) => [plural, ...names]);

describe('the kinds of a command', () => {
  it('are found by plural, singular and short name, with or without group', () => {
    for (const text of ['pods', 'pod', 'po', 'Pod', 'PODS']) expect(resolveKind(served, text).plural).toBe('pods');
    for (const text of ['deploy', 'deployments.apps', 'deployment.v1.apps'])
      expect(resolveKind(served, text).plural).toBe('deployments');
    expect(resolveKind(served, 'events').group).toBe('');
    expect(resolveKind(served, 'events.events.k8s.io').group).toBe('events.k8s.io');
    expect(resolveKinds(served, 'all').map(({ plural }) => plural)).toEqual(['pods', 'services', 'deployments']);
  });

  it('that do not exist are errors with a suggestion', () => {
    expect(() => resolveKind(served, 'podz')).toThrow('did you mean "pods"?');
    expect(() => resolveKind(served, 'xyz')).toThrow('api-resources lists all');
    expect(() => resolveKind(served, 'pods.apps')).toThrow('resource type "pods.apps"');
  });
});

describe('the objects of a command', () => {
  it('are all objects of a kind, or have names', () => {
    expect(named('pods')).toEqual([['pods']]);
    expect(named('po,svc')).toEqual([['pods'], ['services']]);
    expect(named('pod a b')).toEqual([['pods', 'a', 'b']]);
    expect(named('pod/a deploy/b')).toEqual([
      ['pods', 'a'],
      ['deployments', 'b'],
    ]);
  });

  it('must have one form', () => {
    expect(() => named('')).toThrow('you must specify the type');
    expect(() => named('pod/a b')).toThrow('TYPE/NAME');
    expect(() => named('pod/')).toThrow('TYPE/NAME');
    expect(() => named('all a')).toThrow('several types');
  });

  it('are printed with their group', () => {
    expect(objectName({ kind: 'Pod', group: '' }, 'a')).toBe('pod/a');
    expect(objectName({ kind: 'Deployment', group: 'apps' }, 'a')).toBe('deployment.apps/a');
  });
});
