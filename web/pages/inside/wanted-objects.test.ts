import { expect, it } from 'vitest';
import type { ServedKind } from '../../data/discovery.ts';
import { readWanted, splitDocuments } from './wanted-objects.ts';

const kind = (group: string, version: string, name: string, namespaced = true): ServedKind => ({
  group,
  version,
  kind: name,
  plural: `${name.toLowerCase()}s`,
  namespaced,
  verbs: ['create'],
  shortNames: [],
});

const served = [kind('', 'v1', 'ConfigMap'), kind('', 'v1', 'Namespace', false), kind('art.example', 'v2', 'Painting')];
const read = (text: string) => readWanted(text, { served, namespace: 'default' });

it('takes a text apart into its documents, and leaves out those without anything in them', () => {
  const text = '# a comment\n---\nkind: A\n--- # next\nkind: B\ndata: |\n  ---\n---\n# the end\n';
  expect(splitDocuments(text).map((document) => document.trim())).toEqual(['kind: A', 'kind: B\ndata: |\n  ---']);
  expect(splitDocuments('')).toEqual([]);
});

it('puts what names no namespace into the one that is looked at, and what has none into none', () => {
  expect(read('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}').place.namespace).toBe('default');
  expect(read('{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: web}}').place.namespace).toBe('web');
  expect(
    read('{apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: web}}').place.namespace,
  ).toBeUndefined();
});

it('sends a kind in the version that was asked for, and says which kinds there are not', () => {
  expect(read('{apiVersion: art.example/v1, kind: Painting, metadata: {name: a}}').kind.version).toBe('v1');
  expect(() => read('{apiVersion: v1, kind: Painting, metadata: {name: a}}')).toThrow('no kind Painting in v1');
});

it('says what is missing', () => {
  expect(() => read('just words')).toThrow('no object');
  expect(() => read('kind: ConfigMap')).toThrow('needs an apiVersion');
  expect(() => read('{apiVersion: v1, kind: ConfigMap, kind: Namespace}')).toThrow();
});
