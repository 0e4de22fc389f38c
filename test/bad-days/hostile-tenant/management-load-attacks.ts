import { gzipSync } from 'node:zlib';
import { projectNamespace, projectRoles } from '../../../src/api/naming.ts';
import { apiRoot } from '../api-caller.ts';
import type { Json } from '../corpus/bad-request.ts';
import { type Attack, numbered, repeat } from './attack.ts';
import { managementApi, type Tenant } from './tenant.ts';

/* Patches, applies, reads and unusual bodies for the management API, which the main thread serves. */

const configMaps = ({ name }: Tenant) => `${apiRoot}/api/v1/namespaces/${projectNamespace(name)}/configmaps`;
const project = ({ name }: Tenant) => `${apiRoot}${managementApi}/projects/${name}`;
const json = 'application/json';
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';

const texts = (count: number, prefix: string) =>
  Object.fromEntries(numbered(count, (number) => [`${prefix}-${number}`, 'value']));

/** A body of 2.9 MB that begins like an object and repeats a part in a list. */
const listBody = (part: string) => {
  const head = '{"metadata":{"name":"long"},"spec":{"template":{"access":[';
  return `${head}${part.repeat(Math.floor(2_900_000 / part.length))}${part.replace(/,$/, '')}]}}}`;
};

const bodies: readonly string[] = [
  listBody('0,'),
  listBody('{},'),
  listBody('"",'),
  listBody('"\\u0041",'),
  listBody('-1.5e-7,'),
  listBody('{"a":{"b":[]}},'),
  `{"metadata":{"name":"long"},"spec":{"description":"${'\\u0041'.repeat(480_000)}"}}`,
  `{"metadata":{"name":"long"}}${' '.repeat(2_900_000)}`,
];

const largeMembers = (number: number): Json[] => [
  { kind: 'User', name: 'attacker', clusterRole: projectRoles.admin },
  ...numbered(1_990, (each) => ({
    kind: 'User',
    name: `stranger-${each}`,
    clusterRole: number % 2 === 0 ? projectRoles.user : projectRoles.viewer,
  })),
];

async function createManyConfigMaps(tenant: Tenant): Promise<void> {
  await repeat({ times: 900, atOnce: 8 }, (each, number) => ({
    method: 'POST',
    path: configMaps(each),
    body: { metadata: { name: `small-${number}`, labels: texts(50, 'label') } },
  }))(tenant);
}

const selectorOf = (requirement: (number: number) => string) => {
  let text = requirement(0);
  for (let number = 1; text.length < 19_000; number++) text += `,${requirement(number)}`;
  return encodeURIComponent(text);
};

const readMany = (query: string, accept = json) =>
  repeat({ times: 32, atOnce: 16 }, (tenant) => ({
    method: 'GET',
    path: `${configMaps(tenant)}?${query}`,
    headers: { accept },
  }));

export const managementLoadAttacks: readonly Attack[] = [
  {
    name: 'bodies of 2.9 MB of many small values for the management API',
    run: repeat({ times: 16, atOnce: 4 }, ({ instances }, number) => ({
      method: 'POST',
      path: instances,
      body: bodies[number % bodies.length] ?? '',
    })),
    expected: [{ status: 400 }, { status: 413 }, { status: 422 }, { status: 201 }, { status: 409 }],
  },
  {
    name: 'YAML of 2.9 MB for the management API',
    run: repeat({ times: 8, atOnce: 4 }, ({ instances }, number) => ({
      method: 'POST',
      path: instances,
      contentType: 'application/yaml',
      body: `metadata:\n  name: yaml\nspec:\n  description: |\n${(number % 2 === 0 ? '    x\n' : '    - a: b\n').repeat(280_000)}`,
    })),
    expected: [{ status: 413, text: /limit of YAML/ }],
  },
  {
    name: 'compressed bodies that expand to 100 MB',
    run: repeat({ times: 32, atOnce: 16 }, ({ instances, inside }, number) => ({
      method: 'POST',
      path: number % 2 === 0 ? instances : `${inside}/api/v1/namespaces/default/configmaps`,
      headers: { 'content-encoding': 'gzip' },
      body: bomb,
    })),
    expected: [{ status: 415 }],
  },
  {
    name: 'changes of a project with 1,991 members',
    run: repeat({ times: 20, atOnce: 4 }, (tenant, number) => ({
      method: 'PATCH',
      path: project(tenant),
      contentType: mergePatch,
      body: { spec: { members: largeMembers(number) } },
    })),
    expected: [{ status: 200 }, { status: 409 }],
  },
  {
    name: 'JSON patches of 10,000 operations on a ConfigMap of a project',
    prepare: (tenant) =>
      tenant.make(configMaps(tenant), { metadata: { name: 'patched' }, data: { text: 'x'.repeat(300_000) } }),
    run: repeat({ times: 16, atOnce: 4 }, (tenant, number) => ({
      method: 'PATCH',
      path: `${configMaps(tenant)}/patched`,
      contentType: jsonPatch,
      body: patches[number % patches.length] ?? [],
    })),
    expected: [{ status: 200 }, { status: 413 }, { status: 422 }],
  },
  {
    name: 'applies of a ConfigMap of 1,000 keys by many field managers',
    run: repeat({ times: 30, atOnce: 4 }, (tenant, number) => ({
      method: 'PATCH',
      path: `${configMaps(tenant)}/applied?fieldManager=manager-${number}&force=true`,
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'applied',
          labels: texts(490, `label-${'l'.repeat(40)}`),
          annotations: texts(490, `note-${'l'.repeat(40)}`),
        },
        data: texts(990, 'k'.repeat(240)),
      },
    })),
    expected: [{ status: 201 }, { status: 200 }, { status: 413, text: /managedFields/ }, { status: 409 }],
  },
  {
    name: 'ConfigMaps of 900 kB in a project',
    run: repeat({ times: 16, atOnce: 8 }, (tenant, number) => ({
      method: 'POST',
      path: configMaps(tenant),
      body: { metadata: { name: `large-${number}` }, data: { text: '"\n\u00e9'.repeat(200_000) } },
    })),
    expected: [{ status: 201 }, { status: 403 }],
    isLong: true,
  },
  {
    name: 'lists of all ConfigMaps of a project in YAML, as tables, and indented',
    run: repeat({ times: 6, atOnce: 6 }, (tenant, number) => ({
      method: 'GET',
      path: `${configMaps(tenant)}${number % 3 === 0 ? '?pretty=true' : ''}`,
      headers: {
        accept:
          ['application/json', 'application/yaml', 'application/json;as=Table;g=meta.k8s.io;v=v1'][number % 3] ?? json,
      },
    })),
    expected: [{ status: 200 }],
    isLong: true,
  },
  {
    name: 'label selectors with thousands of requirements for 900 ConfigMaps of a project',
    prepare: createManyConfigMaps,
    run: readMany(`labelSelector=${selectorOf((number) => `label-${number % 50}!=v${number}`)}`),
    expected: [{ status: 200 }],
    isLong: true,
  },
  {
    name: 'field selectors with thousands of requirements for ConfigMaps of a project',
    run: readMany(`fieldSelector=${selectorOf((number) => `metadata.name!=v${number}`)}`),
    expected: [{ status: 200 }],
  },
  {
    name: 'queries with numbers of 50,000 digits',
    run: repeat({ times: 64, atOnce: 16 }, (tenant, number) => ({
      method: 'GET',
      path: `${configMaps(tenant)}?${
        ['resourceVersion', 'limit', 'continue', 'timeoutSeconds', 'watch=1&resourceVersion'][number % 5]
      }=${'9'.repeat(50_000)}`,
    })),
    expected: [{ status: 400 }],
  },
];

const bomb = gzipSync(Buffer.alloc(100_000_000));

const patches: readonly Json[] = [
  numbered(9_999, () => ({ op: 'move', from: '/data/text', path: '/data/text' })),
  numbered(9_999, (number) => ({ op: 'move', from: '/data/text', path: number % 2 === 0 ? '/data/b' : '/data/text' })),
  numbered(9_999, (number) => ({ op: 'add', path: `/data/key-${number}`, value: 'x' })),
  numbered(9_999, () => ({ op: 'copy', from: '/data/text', path: '/data/copy' })),
  numbered(9_999, () => ({ op: 'replace', path: '/data/text', value: 'x'.repeat(100) })),
];
