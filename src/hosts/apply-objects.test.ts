import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { notFound, serviceUnavailable } from '../api/status.ts';
import { ApplyError, applyObjects } from './apply-objects.ts';
import { readObjects } from './read-objects.ts';
import type { VirtualClusterClient } from './virtual-cluster-client.ts';

const applyText = async (text: string, virtual: VirtualClusterClient) => applyObjects(readObjects(text), virtual);

const served: Readonly<Record<string, JsonObject>> = {
  '/api/v1': {
    resources: [
      { name: 'namespaces', kind: 'Namespace', namespaced: false },
      { name: 'namespaces/status', kind: 'Namespace', namespaced: false },
      { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    ],
  },
  '/apis/apiextensions.k8s.io/v1': {
    resources: [{ name: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false }],
  },
};

/** A virtual cluster that records the objects that are applied in it. */
function recording(refuse: (path: string) => Error | undefined = () => undefined) {
  const applied: string[] = [];
  const virtual: VirtualClusterClient = {
    async get(path) {
      const found = served[path];
      if (found === undefined) throw notFound({ group: '', resource: '' }, path);
      return found;
    },
    create: () => Promise.reject(new Error('objects are applied')),
    async apply(path) {
      const refused = refuse(path);
      if (refused !== undefined) throw refused;
      applied.push(path);
    },
    async delete() {},
  };
  return { applied, virtual };
}

const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

describe('the objects of a template', () => {
  it('are applied at the paths from discovery: namespaces first, then definitions, then the others in order', async () => {
    const { applied, virtual } = recording();
    const definition = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\n';
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: apps}\n';
    await applyText(`${map('one')}---\n${definition}--- # more\n${map('two')}---\n${namespace}`, virtual);
    expect(applied).toEqual([
      '/api/v1/namespaces/apps',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.b',
      '/api/v1/namespaces/default/configmaps/one',
      '/api/v1/namespaces/default/configmaps/two',
    ]);
  });

  it('are extracted from lists, and empty documents are skipped', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- {kind: A}\n- {kind: B}\n`;
    expect(readObjects(`---\n\n---\n${list}---\n# nothing\n`)).toEqual([{ kind: 'A' }, { kind: 'B' }]);
  });

  it('are all applied except invalid ones, which the error lists', async () => {
    const { applied, virtual } = recording((path) =>
      path.endsWith('/bad') ? notFound({ group: '', resource: 'x' }, 'y') : undefined,
    );
    const unknown = 'apiVersion: nowhere.io/v1\nkind: Thing\nmetadata: {name: a}\n';
    const failed = applyText([unknown, map('bad'), map('good')].join('---\n'), virtual);
    await expect(failed).rejects.toThrow(
      'Thing "a": no matches for kind "Thing" in version "nowhere.io/v1"; ConfigMap "bad": x "y" not found',
    );
    expect(applied).toEqual(['/api/v1/namespaces/default/configmaps/good']);
  });

  it('cause no ApplyError if the virtual cluster does not respond', async () => {
    const { virtual } = recording(() => serviceUnavailable('asleep'));
    await expect(applyText(map('one'), virtual)).rejects.toMatchObject({ code: 503 });
  });

  it('are rejected if they are not YAML or not objects', async () => {
    const { virtual } = recording();
    await expect(applyText('a: [', virtual)).rejects.toBeInstanceOf(ApplyError);
    await expect(applyText('just words', virtual)).rejects.toBeInstanceOf(ApplyError);
    await expect(applyText('kind: ConfigMap', virtual)).rejects.toThrow(
      'apiVersion, kind and metadata.name are required',
    );
  });

  it('are limited in their number of values, which aliases multiply', async () => {
    const { virtual } = recording();
    const levels = ['a', 'b', 'c', 'd'].map((name, at, names) => {
      const item = at === 0 ? 'x' : `*${names[at - 1]}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(', ')}]\n`;
    });
    const document = `kind: List\n${levels.join('')}`;
    await expect(applyText(Array.from({ length: 2000 }, () => document).join('---\n'), virtual)).rejects.toThrow(
      'reading the objects takes more than 200000 units of work; use fewer objects or aliases',
    );
    expect(readObjects('---\n'.repeat(500_000))).toEqual([]);
    const members = Array.from({ length: 20_000 }, (_, at) => `k${at}: v`).join('\n');
    expect(() => readObjects(members)).toThrow('an object in it has 20000 members, and at most 10000 are allowed');
  });
});
