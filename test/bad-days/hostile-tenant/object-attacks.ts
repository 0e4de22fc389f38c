import { type Attack, configMaps, numbered, repeat } from './attack.ts';
import { createDefinition, customObject, customObjects } from './definition.ts';
import type { Tenant } from './tenant.ts';

const ownerReferences = (count: number) =>
  numbered(count, (number) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${number}`, uid: `uid-${number}` }));

const rules = (first: number, count: number) =>
  numbered(count, (number) => ({
    apiGroups: [`group-${first + number}`],
    resources: ['things'],
    verbs: ['get', 'list'],
  }));

const rbac = '/apis/rbac.authorization.k8s.io/v1';
let serviceAccountToken = '';

async function createRuleOwner(tenant: Tenant): Promise<void> {
  const accounts = `${tenant.inside}/api/v1/namespaces/default/serviceaccounts`;
  await tenant.make(accounts, { metadata: { name: 'ruler' } });
  const subjects = [{ kind: 'ServiceAccount', name: 'ruler', namespace: 'default' }];
  const grant = async (name: string, granted: ReturnType<typeof rules>) => {
    await tenant.make(`${tenant.inside}${rbac}/clusterroles`, { metadata: { name }, rules: granted });
    await tenant.make(`${tenant.inside}${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects,
    });
  };
  for (const part of [0, 1, 2, 3]) await grant(`part-${part}`, rules(part * 7_000, 7_000));
  await grant('writer', [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }]);
  const { text } = await tenant.send({ method: 'POST', path: `${accounts}/ruler/token`, body: { spec: {} } });
  serviceAccountToken = (JSON.parse(text) as { status: { token: string } }).status.token;
}

const apply = (tenant: Tenant, plural: string, name: string, spec: Parameters<typeof customObject>[2]) => ({
  method: 'PATCH' as const,
  path: `${customObjects(tenant, plural)}/${name}?fieldManager=attacker&force=true`,
  contentType: 'application/apply-patch+yaml',
  body: customObject(plural, name, spec),
});

const applyMapList = (tenant: Tenant, number: number, count: number) =>
  apply(tenant, 'maps', `map-${number % 4}`, {
    items: numbered(count, (item) => ({ name: `item-${item}`, n: number })),
  });

const applySet = (tenant: Tenant, number: number, count: number) =>
  apply(tenant, 'sets', `set-${number % 4}`, { items: numbered(count, (item) => `${item + number * 100}`) });

const mapListSchema = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, n: { type: 'integer' } } },
    },
  },
};
const setSchema = {
  type: 'object',
  properties: { items: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } },
};

export const objectAttacks: readonly Attack[] = [
  {
    name: 'a ConfigMap with 11,000 ownerReferences',
    run: repeat({ times: 8, atOnce: 4 }, ({ inside }) => ({
      method: 'POST',
      path: `${inside}${configMaps}`,
      body: { metadata: { name: 'owned', ownerReferences: ownerReferences(11_000) } },
    })),
    expected: [{ status: 422, text: /ownerReferences/ }],
  },
  {
    name: 'ConfigMaps with 200 ownerReferences',
    run: repeat({ times: 64, atOnce: 8 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}/api/v1/namespaces/kube-public/configmaps`,
      body: { metadata: { name: `owned-${number}`, ownerReferences: ownerReferences(200) } },
    })),
    expected: [{ status: 201 }],
  },
  {
    name: 'Roles of 7,000 rules, written by a service account with 28,000 rules',
    prepare: createRuleOwner,
    run: repeat({ times: 4, atOnce: 4 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}${rbac}/namespaces/default/roles`,
      headers: { authorization: `Bearer ${serviceAccountToken}` },
      body: { metadata: { name: `role-${number}` }, rules: rules((number % 8) * 3_000, 7_000) },
    })),
    expected: [{ status: 201 }],
  },
  {
    name: 'apply of a list map with 14,000 items',
    prepare: (tenant) => createDefinition(tenant, 'maps', { spec: mapListSchema }),
    run: repeat({ times: 8, atOnce: 4 }, (tenant, number) => applyMapList(tenant, number, 14_000)),
    expected: [{ status: 413, text: /fields/ }],
  },
  {
    name: 'apply of a list map with 2,400 items',
    run: repeat({ times: 8, atOnce: 4 }, (tenant, number) => applyMapList(tenant, number, 2_400)),
    expected: [{ status: 201 }, { status: 200 }],
  },
  {
    name: 'apply of a set with 55,000 items',
    prepare: (tenant) => createDefinition(tenant, 'sets', { spec: setSchema }),
    run: repeat({ times: 8, atOnce: 4 }, (tenant, number) => applySet(tenant, number, 55_000)),
    expected: [{ status: 413, text: /fields/ }],
  },
  {
    name: 'apply of a set with 9,900 items',
    run: repeat({ times: 8, atOnce: 4 }, (tenant, number) => applySet(tenant, number, 9_900)),
    expected: [{ status: 201 }, { status: 200 }],
  },
  {
    name: 'JSON patches that copy a text 10,000 times',
    prepare: (tenant) =>
      tenant.make(`${tenant.inside}${configMaps}`, { metadata: { name: 'copied' }, data: { a: 'x'.repeat(100_000) } }),
    run: repeat({ times: 8, atOnce: 8 }, ({ inside }) => ({
      method: 'PATCH',
      path: `${inside}${configMaps}/copied`,
      contentType: 'application/json-patch+json',
      body: numbered(10_000, (number) => ({ op: 'copy', from: '/data/a', path: `/data/copy-${number}` })),
    })),
    expected: [{ status: 413 }, { status: 422 }],
  },
  {
    name: 'JSON patches that copy an object into itself',
    run: repeat({ times: 8, atOnce: 8 }, ({ inside }) => ({
      method: 'PATCH',
      path: `${inside}${configMaps}/copied`,
      contentType: 'application/json-patch+json',
      body: numbered(60, (number) => ({ op: 'copy', from: '/metadata', path: `/metadata/copy-${number}` })),
    })),
    expected: [{ status: 413 }, { status: 422 }],
  },
  {
    name: 'JSON patches that insert 10,000 items at the start of a list of 50,000',
    prepare: async (tenant) => {
      await createDefinition(tenant, 'lists', {
        spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      });
      await tenant.make(
        customObjects(tenant, 'lists'),
        customObject('lists', 'list', { items: Array(50_000).fill(1) }),
      );
    },
    run: repeat({ times: 4, atOnce: 4 }, (tenant) => ({
      method: 'PATCH',
      path: `${customObjects(tenant, 'lists')}/list?dryRun=All`,
      contentType: 'application/json-patch+json',
      body: Array(10_000).fill({ op: 'add', path: '/spec/items/0', value: 2 }),
    })),
    expected: [{ status: 413, text: /shifts more than \d+ list items/ }],
  },
];
