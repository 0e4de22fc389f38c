import { apiRoot } from '../api-caller.ts';
import type { Json } from '../corpus/bad-request.ts';
import { type Attack, numbered, repeat } from './attack.ts';
import { managementApi, type Tenant } from './tenant.ts';

const createKey = (scope: Json) =>
  repeat({ times: 8, atOnce: 4 }, ({ name }, number) => ({
    method: 'POST',
    path: `${apiRoot}${managementApi}/ownedaccesskeys`,
    body: { metadata: { name: `scope-${number}` }, spec: { user: name, scope } },
  }));

const createInstance = (prefix: string, spec: Json) =>
  repeat({ times: 8, atOnce: 4 }, ({ instances }, number) => ({
    method: 'POST',
    path: instances,
    body: { metadata: { name: `${prefix}-${number}` }, spec },
  }));

const review = ({ inside }: Tenant, kind: string, spec: Json) => ({
  method: 'POST' as const,
  path: `${inside}/apis/authorization.k8s.io/v1/${kind}`,
  body: { spec },
});

const subresources = numbered(990, (number) => `r${number}/*`);

const resourceAttributes = { verb: 'get', resource: 'configmaps', namespace: 'default' };

export const permissionAttacks: readonly Attack[] = [
  {
    name: 'access keys whose scope has a rule with 9,000 resources',
    run: createKey({
      rules: [{ resources: numbered(9_000, (number) => ({ group: '', resources: [`r${number}`] })) }],
    }),
    expected: [{ status: 422, text: /at most \d+ entries/ }],
  },
  {
    name: 'access keys whose scope has 50,000 resource patterns',
    run: createKey({
      rules: [{ resources: [{ group: '', resources: numbered(50_000, (number) => `r${number}/*`) }] }],
    }),
    expected: [{ status: 422, text: /at most \d+ entries/ }],
  },
  {
    name: 'access keys whose scope has 990 resource patterns',
    run: repeat({ times: 16, atOnce: 4 }, ({ name }, number) => ({
      method: 'POST',
      path: `${apiRoot}${managementApi}/ownedaccesskeys`,
      body: {
        metadata: { name: `patterns-${number}` },
        spec: { user: name, scope: { rules: [{ resources: [{ group: '', resources: subresources }] }] } },
      },
    })),
    expected: [{ status: 201 }],
  },
  {
    name: 'instances with 10,000 access rules',
    run: createInstance('rules', {
      extraAccessRules: numbered(10_000, (number) => ({ clusterRole: `role-${number}`, users: ['*'] })),
    }),
    expected: [{ status: 422, text: /at most \d+ entries/ }],
  },
  {
    name: 'access reviews for a user with 55,000 groups',
    run: repeat({ times: 8, atOnce: 8 }, (tenant) =>
      review(tenant, 'subjectaccessreviews', {
        user: 'x',
        groups: numbered(55_000, (number) => `group-${number}`),
        resourceAttributes,
      }),
    ),
    expected: [{ status: 201 }],
  },
];
