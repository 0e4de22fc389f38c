import type { Json } from '../corpus/bad-request.ts';
import { type Attack, configMaps, numbered, repeat } from './attack.ts';
import { createPolicies } from './definition-attacks.ts';
import type { Tenant } from './tenant.ts';

/* Objects that the server reads for each request: roles, bindings, quotas and admission policies. */

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const admission = '/apis/admissionregistration.k8s.io/v1';
const serviceAccounts = '/api/v1/namespaces/default/serviceaccounts';

const rules = (count: number, group = 'group') =>
  numbered(count, (number) => ({ apiGroups: [`${group}-${number}`], resources: ['things'], verbs: ['get', 'list'] }));

/** Creates objects, several at a time. */
async function createAll(tenant: Tenant, path: string, objects: readonly Json[]): Promise<void> {
  const rest = [...objects];
  const createRest = async () => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop())
      await tenant.make(`${tenant.inside}${path}`, next);
  };
  await Promise.all(Array.from({ length: 8 }, createRest));
}

let boundToken = '';

/** Binds one large role many times to the same service account. */
async function bindOften(tenant: Tenant): Promise<void> {
  await tenant.make(`${tenant.inside}${serviceAccounts}`, { metadata: { name: 'bound' } });
  await tenant.make(`${tenant.inside}${rbac}/clusterroles`, { metadata: { name: 'large' }, rules: rules(7_000) });
  const binding = (number: number): Json => ({
    metadata: { name: `large-${number}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'large' },
    subjects: [{ kind: 'ServiceAccount', name: 'bound', namespace: 'default' }],
  });
  await createAll(tenant, `${rbac}/clusterrolebindings`, numbered(1_000, binding));
  const path = `${tenant.inside}${serviceAccounts}/bound/token`;
  const { text } = await tenant.send({ method: 'POST', path, body: { spec: {} } });
  boundToken = (JSON.parse(text) as { status: { token: string } }).status.token;
}

const aggregating = (number: number): Json => ({
  metadata: { name: `aggregated-${number}`, labels: { aggregated: 'yes' } },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregated: 'yes' } }] },
});

/** Creates roles that select each other and all other roles. */
async function createAggregatedRoles(tenant: Tenant): Promise<void> {
  const selected = (number: number): Json => ({
    metadata: { name: `selected-${number}`, labels: { aggregated: 'yes' } },
    rules: rules(100, `group-${number}`),
  });
  await createAll(tenant, `${rbac}/clusterroles`, numbered(20, selected));
  await createAll(tenant, `${rbac}/clusterroles`, numbered(50, aggregating));
}

async function createQuotas(tenant: Tenant): Promise<void> {
  await tenant.make(`${tenant.inside}/api/v1/namespaces`, { metadata: { name: 'limited' } });
  const hard = Object.fromEntries(numbered(9, (number) => [`count/r${number}.example.com`, '1']));
  const quota = (number: number): Json => ({
    metadata: { name: `quota-${number}` },
    spec: { hard: { ...hard, configmaps: '10000' } },
  });
  await createAll(tenant, '/api/v1/namespaces/limited/resourcequotas', numbered(100, quota));
}

/**
 * Creates bindings for every ConfigMap whose name starts with `params`. Each binding compares thousands of objects with
 * a selector.
 */
async function createParameterBindings(tenant: Tenant): Promise<void> {
  await tenant.make(`${tenant.inside}/api/v1/namespaces`, { metadata: { name: 'parameters' } });
  const parameter = (number: number): Json => ({ metadata: { name: `parameter-${number}` } });
  await createAll(tenant, '/api/v1/namespaces/parameters/configmaps', numbered(2_000, parameter));
  const group = `${tenant.inside}${admission}`;
  await tenant.make(`${group}/validatingadmissionpolicies`, {
    metadata: { name: 'params' },
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      matchConditions: [{ name: 'name', expression: "object.metadata.name.startsWith('params')" }],
      validations: [{ expression: 'true' }],
    },
  });
  const binding = (number: number): Json => ({
    metadata: { name: `params-${number}` },
    spec: {
      policyName: 'params',
      validationActions: ['Deny'],
      paramRef: {
        namespace: 'parameters',
        selector: { matchLabels: { absent: `${number}` } },
        parameterNotFoundAction: 'Allow',
      },
    },
  });
  await createAll(tenant, `${admission}/validatingadmissionpolicybindings`, numbered(150, binding));
}

const createNamed = (prefix: string, namespace = 'default') =>
  repeat({ times: 8, atOnce: 4 }, ({ inside }, number) => ({
    method: 'POST',
    path: `${inside}/api/v1/namespaces/${namespace}/configmaps`,
    body: { metadata: { name: `${prefix}-${number}` } },
  }));

/** An expression with five nested loops, which costs nearly the limit for one expression. */
const expensive = numbered(5, (level) => level).reduceRight<string>(
  (inner, level) => `[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x${level}, ${inner})`,
  'x0 < 10',
);

export const configurationAttacks: readonly Attack[] = [
  {
    name: 'requests of a service account with 1,000 bindings to a role of 7,000 rules',
    prepare: bindOften,
    run: repeat({ times: 60, atOnce: 20 }, ({ inside }, number) =>
      number % 10 === 0
        ? {
            method: 'POST',
            path: `${inside}/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`,
            headers: { authorization: `Bearer ${boundToken}` },
            body: { spec: { namespace: 'default' } },
          }
        : { method: 'GET', path: `${inside}${configMaps}`, headers: { authorization: `Bearer ${boundToken}` } },
    ),
    expected: [{ status: 403 }, { status: 201 }],
  },
  {
    name: 'changes of a role that 50 aggregated roles select',
    prepare: createAggregatedRoles,
    run: repeat({ times: 20, atOnce: 2 }, ({ inside }, number) => ({
      method: 'PATCH',
      path: `${inside}${rbac}/clusterroles/selected-${number % 20}`,
      contentType: 'application/merge-patch+json',
      body: { rules: rules(100, `changed-${number}`) },
    })),
    expected: [{ status: 200 }],
    isLong: true,
  },
  {
    name: 'creates in a namespace with 100 quotas',
    prepare: createQuotas,
    run: createNamed('counted', 'limited'),
    expected: [{ status: 201 }],
    isLong: true,
  },
  {
    name: '100 expensive policies for each ConfigMap',
    prepare: (tenant) => createPolicies(tenant, 'expensive', Array<string>(100).fill(expensive)),
    run: createNamed('expensive'),
    // On a slow machine, the policies take longer than the deadline of the requests.
    expected: [{ status: 201 }, { status: 422, text: /cost|budget/ }, { status: 504 }],
    isLong: true,
  },
  {
    name: '150 bindings of a policy that compare 2,000 parameter objects each',
    prepare: createParameterBindings,
    run: createNamed('params'),
    expected: [{ status: 422, text: /all policies for one request together may cost at most/ }],
    isLong: true,
  },
];
