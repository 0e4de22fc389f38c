import { eventually } from '../eventually.ts';
import { WatchCrowd } from '../watch-crowd.ts';
import { type Attack, numbered, repeat } from './attack.ts';
import { createDefinition, customObject, customObjects, definition } from './definition.ts';
import type { Response, Tenant } from './tenant.ts';

/* Thousands of objects, watches, kinds and field managers in one virtual cluster. */

const crowded = '/api/v1/namespaces/crowded/configmaps';

async function fillNamespace(tenant: Tenant, name: string, count: number): Promise<void> {
  await tenant.make(`${tenant.inside}/api/v1/namespaces`, { metadata: { name } });
  let next = 0;
  const createRest = async () => {
    while (next < count) {
      const body = { metadata: { name: `map-${next++}` } };
      await tenant.make(`${tenant.inside}/api/v1/namespaces/${name}/configmaps`, body);
    }
  };
  await Promise.all(Array.from({ length: 16 }, createRest));
}

/** Opens watches, each with a different selector, then writes objects that every watch compares with its selector. */
async function writeForSelectors(tenant: Tenant): Promise<readonly Response[]> {
  const crowd = new WatchCrowd();
  try {
    for (let number = 0; number < 20; number++) {
      const open = (each: number) => `${crowded}?watch=1&labelSelector=a${number}-${each},b!=${each}`;
      await crowd.openEach(tenant, numbered(50, open), { root: tenant.inside });
    }
    return await writeCrowded(tenant);
  } finally {
    crowd.close();
  }
}

const writeCrowded = repeat({ times: 200, atOnce: 8 }, ({ inside }, number) => ({
  method: 'POST',
  path: `${inside}${crowded}`,
  body: { metadata: { name: `map-${number}`, labels: { [`a${number % 20}-${number % 50}`]: 'x' } } },
}));

/** Deletes a namespace and waits until it is empty. */
async function deleteNamespace(tenant: Tenant, name: string): Promise<readonly Response[]> {
  const path = `${tenant.inside}/api/v1/namespaces/${name}`;
  const deleted = await tenant.send({ method: 'DELETE', path });
  await eventually(
    120,
    () => tenant.send({ method: 'GET', path }),
    ({ status }) => status === 404,
  );
  return [deleted];
}

/** Creates kinds with large schemas while the documents of all kinds are read. */
const createKinds = repeat({ times: 60, atOnce: 4 }, ({ inside }, number) => {
  if (number % 2 === 0) {
    const properties = Object.fromEntries(numbered(300, (at) => [`field${at}`, { type: 'string' }]));
    return {
      method: 'POST',
      path: `${inside}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`,
      body: definition(`crowd${number}`, { spec: { type: 'object', properties }, versions: 10 }),
    };
  }
  const path = ['/openapi/v2', '/openapi/v3', '/openapi/v3/apis/attack.example.com/v1', '/apis'][
    ((number - 1) / 2) % 4
  ];
  return { method: 'GET', path: `${inside}${path}` };
});

const applyAsManager = repeat({ times: 100, atOnce: 4 }, (tenant, number) => ({
  method: 'PATCH',
  path: `${customObjects(tenant, 'managed')}/one?fieldManager=manager-${number}`,
  contentType: 'application/apply-patch+yaml',
  body: customObject('managed', 'one', { [`field-${number}`]: 'x' }),
}));

export const crowdAttacks: readonly Attack[] = [
  {
    name: '1,000 watches with different selectors and a burst of writes',
    prepare: (tenant) => tenant.make(`${tenant.inside}/api/v1/namespaces`, { metadata: { name: 'crowded' } }),
    run: writeForSelectors,
    expected: [{ status: 201 }],
    isLong: true,
  },
  {
    name: 'definitions of kinds with large schemas, while their documents are read',
    // The group has an OpenAPI document only if it has a kind.
    prepare: (tenant) => createDefinition(tenant, 'crowd', { spec: { type: 'object' } }),
    run: createKinds,
    expected: [{ status: 201 }, { status: 200 }],
    isLong: true,
  },
  {
    name: 'applies of one object by a hundred field managers',
    prepare: (tenant) =>
      createDefinition(tenant, 'managed', {
        spec: { type: 'object', additionalProperties: { type: 'string' } },
      }),
    run: applyAsManager,
    expected: [{ status: 201 }, { status: 200 }],
    isLong: true,
  },
  {
    name: 'the deletion of a namespace with 20,000 objects',
    prepare: (tenant) => fillNamespace(tenant, 'doomed', 20_000),
    run: (tenant) => deleteNamespace(tenant, 'doomed'),
    expected: [{ status: 200 }, { status: 409 }, { status: 404 }],
    isLong: true,
  },
];
