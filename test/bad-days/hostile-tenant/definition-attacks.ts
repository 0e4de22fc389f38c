import type { Json } from '../corpus/bad-request.ts';
import { type Attack, configMaps, numbered, repeat } from './attack.ts';
import { createDefinition, customObject, customObjects, definition } from './definition.ts';
import type { Tenant } from './tenant.ts';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const nested = (levels: number): Json => {
  let value: Json = 'x';
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
};

/** Creates one policy per expression. Each policy checks every ConfigMap whose name starts with `prefix`. */
export async function createPolicies(tenant: Tenant, prefix: string, expressions: readonly string[]): Promise<void> {
  const group = `${tenant.inside}/apis/admissionregistration.k8s.io/v1`;
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const matchConditions = [{ name: 'name', expression: `object.metadata.name.startsWith('${prefix}')` }];
  for (const [number, expression] of expressions.entries()) {
    const name = `${prefix}-${number}`;
    await tenant.make(`${group}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules },
        matchConditions,
        validations: [{ expression }],
      },
    });
    await tenant.make(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    });
  }
}

const createMatching = (prefix: string, data: Json) =>
  repeat({ times: 8, atOnce: 4 }, ({ inside }, number) => ({
    method: 'POST',
    path: `${inside}${configMaps}`,
    body: { metadata: { name: `${prefix}-${number}` }, data },
  }));

/** An expression that evaluates 10 to the power of 10 comparisons. */
const nestedLoops = numbered(10, (level) => level).reduceRight<string>(
  (inner, level) => `[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x${level}, ${inner})`,
  'x0 < 10',
);

const twoThousandKeys = Object.fromEntries(numbered(2_000, (number) => [`key-${number}`, 'value']));

export const definitionAttacks: readonly Attack[] = [
  {
    name: 'printer columns ..a..a..a..a of objects nested 900 deep',
    prepare: async (tenant) => {
      await createDefinition(tenant, 'columns', { spec: anything, columns: Array(100).fill('.spec..a..a..a..a') });
      for (const name of ['one', 'two', 'three']) {
        await tenant.make(customObjects(tenant, 'columns'), customObject('columns', name, nested(900)));
      }
    },
    run: repeat({ times: 32, atOnce: 32 }, (tenant) => ({
      method: 'GET',
      path: customObjects(tenant, 'columns'),
      headers: asTable,
    })),
    expected: [{ status: 200, text: /unknown/ }],
    needsMeter: true,
  },
  {
    name: 'a schema pattern of 1,000 optional characters for a text of 1 MB',
    prepare: (tenant) =>
      createDefinition(tenant, 'patterns', {
        spec: { type: 'object', properties: { text: { type: 'string', pattern: '^(a?){1000}b$' } } },
      }),
    run: repeat({ times: 4, atOnce: 4 }, (tenant) => ({
      method: 'POST',
      path: customObjects(tenant, 'patterns'),
      body: customObject('patterns', 'text', { text: 'a'.repeat(1_000_000) }),
    })),
    expected: [{ status: 422 }],
  },
  {
    name: 'definitions whose pattern has nested repetitions',
    run: repeat({ times: 32, atOnce: 32 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`,
      body: definition(`bombs${number}`, {
        spec: { type: 'object', properties: { text: { type: 'string', pattern: '((a{1,100}){1,100}){1,100}' } } },
      }),
    })),
    expected: [{ status: 422 }],
  },
  {
    name: 'a policy that compares all pairs of 2,000 keys',
    prepare: (tenant) =>
      createPolicies(tenant, 'pairs', ['object.data.all(a, object.data.all(b, a != "" && b != ""))']),
    run: createMatching('pairs', twoThousandKeys),
    expected: [{ status: 422, text: /cost|budget/ }],
  },
  {
    name: 'a policy with ten nested loops',
    prepare: (tenant) => createPolicies(tenant, 'loops', [nestedLoops]),
    run: createMatching('loops', {}),
    expected: [{ status: 422, text: /cost|budget/ }],
    needsMeter: true,
  },
  {
    name: 'three policies that stay just below the cost limit',
    prepare: (tenant) =>
      createPolicies(tenant, 'three', Array(3).fill('object.data.all(a, object.data.all(b, a != "" && b != ""))')),
    run: createMatching('three', Object.fromEntries(numbered(250, (number) => [`key-${number}`, 'value']))),
    expected: [{ status: 201 }, { status: 422, text: /cost|budget/ }],
  },
  {
    name: 'policies that search and trim long texts',
    prepare: (tenant) =>
      createPolicies(tenant, 'search', [
        'object.data.spaces.trim() != ""',
        'object.data.text.indexOf(object.data.part) < 0',
        'object.data.text.lastIndexOf(object.data.part) < 0',
        'object.data.text.split(object.data.part).size() == 1',
      ]),
    run: createMatching('search', {
      spaces: `x${' '.repeat(300_000)}x`,
      text: 'a'.repeat(300_000),
      part: `${'a'.repeat(100_000)}b`,
    }),
    expected: [{ status: 201 }, { status: 422, text: /cost|budget/ }],
  },
  {
    name: 'a rule of a schema at the cost limit',
    prepare: (tenant) =>
      createDefinition(tenant, 'rules', {
        spec: {
          type: 'object',
          properties: {
            items: {
              type: 'array',
              maxItems: 1_000,
              items: { type: 'string', maxLength: 10 },
              'x-kubernetes-validations': [{ rule: 'self.all(a, self.exists_one(b, a == b))' }],
            },
          },
        },
      }),
    run: repeat({ times: 12, atOnce: 12 }, (tenant, number) => ({
      method: 'POST',
      path: customObjects(tenant, 'rules'),
      body: customObject('rules', `rule-${number}`, { items: numbered(1_000, (item) => `i${item}`) }),
    })),
    expected: [{ status: 201 }, { status: 422, text: /cost|budget/ }],
  },
  {
    name: 'a schema whose defaults make an object of 1 GB',
    prepare: (tenant) =>
      createDefinition(tenant, 'defaults', {
        spec: {
          type: 'object',
          properties: {
            items: {
              type: 'array',
              items: { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } },
            },
          },
        },
      }),
    run: repeat({ times: 2, atOnce: 2 }, (tenant, number) => ({
      method: 'POST',
      path: customObjects(tenant, 'defaults'),
      body: customObject('defaults', `large-${number}`, { items: Array(10_000).fill({}) }),
    })),
    expected: [{ status: 413 }, { status: 422 }],
  },
  {
    name: 'definitions with 4,000 versions',
    run: repeat({ times: 8, atOnce: 8 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`,
      body: definition(`versions${number}`, { spec: { type: 'object' }, versions: 4_000 }),
    })),
    expected: [{ status: 422, text: /must have at most 100 items/ }],
  },
];
