import { WatchCrowd } from '../watch-crowd.ts';
import { type Attack, numbered, repeat } from './attack.ts';
import type { Response, Tenant } from './tenant.ts';

const labelled = '/api/v1/namespaces/labelled/configmaps';
export const large = '/api/v1/namespaces/large/configmaps';
const watched = '/api/v1/namespaces/watched/configmaps';

const createNamespace = (tenant: Tenant, name: string) =>
  tenant.make(`${tenant.inside}/api/v1/namespaces`, { metadata: { name } });

async function createLabelled(tenant: Tenant): Promise<void> {
  await createNamespace(tenant, 'labelled');
  const labels = Object.fromEntries(numbered(50, (number) => [`label-${number}`, `value-${number}`]));
  await repeat({ times: 1_000, atOnce: 8 }, ({ inside }, number) => ({
    method: 'POST',
    path: `${inside}${labelled}`,
    body: { metadata: { name: `map-${number}`, labels } },
  }))(tenant);
}

async function createLarge(tenant: Tenant): Promise<void> {
  await createNamespace(tenant, 'large');
  await repeat({ times: 10, atOnce: 4 }, ({ inside }, number) => ({
    method: 'POST',
    path: `${inside}${large}`,
    body: { metadata: { name: `map-${number}` }, data: { text: 'x'.repeat(900_000) } },
  }))(tenant);
}

/** Opens the watches, then writes objects. Every watch receives each change. */
async function writeWatched(tenant: Tenant): Promise<readonly Response[]> {
  const crowd = new WatchCrowd();
  try {
    await crowd.open(tenant, `${watched}?watch=1`, { sessions: 2, each: 500, root: tenant.inside });
    return await repeat({ times: 100, atOnce: 8 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}${watched}`,
      body: { metadata: { name: `map-${number}` }, data: { text: 'x'.repeat(1_000) } },
    }))(tenant);
  } finally {
    crowd.close();
  }
}

const selector = (requirement: (number: number) => string) => {
  let text = requirement(0);
  for (let number = 1; text.length < 60_000; number++) text += `,${requirement(number)}`;
  return text.slice(0, text.lastIndexOf(',', 60_000));
};

const listLabelled = (labelSelector: string) =>
  repeat({ times: 32, atOnce: 32 }, ({ inside }) => ({
    method: 'GET',
    path: `${inside}${labelled}?labelSelector=${labelSelector}`,
  }));

/** Opens watches that end after a second, each with another selector. */
const watchWithSelectors = repeat({ times: 128, atOnce: 40 }, ({ inside }, number) => ({
  method: 'GET',
  path: `${inside}${labelled}?watch=1&timeoutSeconds=1&labelSelector=${selector((key) => `key-${key}-${number}!=v`)},none`,
}));

export const loadAttacks: readonly Attack[] = [
  {
    name: 'label selectors of 60 kB with thousands of requirements',
    prepare: createLabelled,
    run: listLabelled(`${selector((number) => `label-${number % 50}!=v${number}`)},none`),
    expected: [{ status: 200 }],
  },
  {
    name: 'label selectors of 60 kB with thousands of values',
    run: listLabelled(`none,label-1 notin (${selector((number) => `v${number}`)})`.replaceAll(' ', '%20')),
    expected: [{ status: 200 }],
  },
  {
    name: 'watches with label selectors of 60 kB',
    run: watchWithSelectors,
    expected: [{ status: 200 }, { status: 429, text: /selectors of open watches/ }],
  },
  {
    name: '32 lists of 9 MB at once',
    prepare: createLarge,
    run: repeat({ times: 32, atOnce: 32 }, ({ inside }) => ({ method: 'GET', path: `${inside}${large}` })),
    expected: [{ status: 200 }, { status: 429 }],
  },
  {
    name: '1,000 watches and a burst of writes',
    prepare: (tenant) => createNamespace(tenant, 'watched'),
    run: writeWatched,
    expected: [{ status: 201 }],
  },
];
