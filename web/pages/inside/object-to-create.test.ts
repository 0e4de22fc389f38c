import { expect, it } from 'vitest';
import type { ServedKind } from '../../data/discovery.ts';
import { parseObjectToCreate, splitDocuments } from './object-to-create.ts';

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
const read = (text: string) => parseObjectToCreate(text, { served, namespace: 'default' });

it('a text is split into documents, without the empty ones', () => {
  const text = '# a comment\n---\nkind: A\n--- # next\nkind: B\ndata: |\n  ---\n---\n# the end\n';
  expect(splitDocuments(text).map((document) => document.trim())).toEqual(['kind: A', 'kind: B\ndata: |\n  ---']);
  expect(splitDocuments('')).toEqual([]);
});

it('an object without a namespace gets the default one, unless its kind is cluster-scoped', () => {
  expect(read('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}').place.namespace).toBe('default');
  expect(read('{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: web}}').place.namespace).toBe('web');
  expect(
    read('{apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: web}}').place.namespace,
  ).toBeUndefined();
});

it('an object keeps its version, and an unknown kind is an error', () => {
  expect(read('{apiVersion: art.example/v1, kind: Painting, metadata: {name: a}}').kind.version).toBe('v1');
  expect(() => read('{apiVersion: v1, kind: Painting, metadata: {name: a}}')).toThrow('no kind Painting in v1');
});

it('the error names what is missing', () => {
  expect(() => read('just words')).toThrow('must be an object');
  expect(() => read('kind: ConfigMap')).toThrow('needs an apiVersion');
  expect(() => read('{apiVersion: v1, kind: ConfigMap, kind: Namespace}')).toThrow();
});
