import { area } from '../../area.ts';
import { asTable } from '../../gadgets.ts';
import { byName } from '../../normalized-response.ts';
import type { Pair } from '../../pair.ts';
import type { Received } from '../../side.ts';
import { group } from '../../workshop-kinds.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const older = aggregated.replace('v=v2', 'v=v2beta1');

const accepts = [
  'application/json',
  aggregated,
  `${aggregated},application/json`,
  `${older},application/json`,
  older,
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf,application/json',
  'application/yaml',
  'text/plain',
  aggregated.replace('/json', '/yaml'),
  `${aggregated};profile=nopeer`,
];

/**
 * Returns only the test group's part of a document about all API groups, because the two servers have different groups.
 */
function ownGroup({ text }: Received): unknown {
  try {
    const { items, groups, ...rest } = JSON.parse(text);
    const all: readonly {
      name?: string;
      metadata?: { name: string };
      versions?: readonly { resources?: unknown }[];
    }[] = items ?? groups ?? [];
    const { kind, apiVersion } = rest;
    const own = all.find((one) => (one.metadata?.name ?? one.name) === group);
    const versions = own?.versions?.map((version) => ({ ...version, resources: byName(version.resources) }));
    return { kind, apiVersion, group: own && { ...own, versions } };
  } catch {
    return undefined;
  }
}

/** Compares the server's documents about itself: groups, versions, kinds, health. */
export function discovery(pair: Pair): void {
  area(pair, 'Discovery', (compared, gadgets) => {
    compared('one group and one version, with and without a final slash (DISC-03 to DISC-08, DISC-10)', async () => {
      for (const path of [`/apis/${group}`, `/apis/${group}/`, `/apis/${group}/v1`, `/apis/${group}/v1/`]) {
        for (const accept of [...accepts, `${asTable},application/json`])
          await gadgets.send({ path, headers: { accept } });
      }
    });

    compared('all groups, in every form (DISC-01, DISC-02, DISC-11 to DISC-15)', async () => {
      for (const path of ['/api', '/apis', '/api/', '/apis/']) {
        for (const accept of accepts) {
          const [theirs, ours] = await gadgets.send({ path, headers: { accept } }, { ignoredFields: /^body/ });
          const isSame = theirs.headers['content-type'] === ours.headers['content-type'];
          if (path.startsWith('/apis') && isSame) {
            pair.compareValues(`the group in ${path} as ${accept}`, ownGroup(theirs), ownGroup(ours));
          }
        }
      }
    });

    compared('an unchanged document is not sent again (DISC-15)', async () => {
      const tags = await Promise.all(
        pair.sides.map(
          async (side) => (await side.send({ path: '/apis', headers: { accept: aggregated } })).headers.etag,
        ),
      );
      for (const weak of ['', 'W/']) {
        await gadgets.send(
          (side) => ({
            path: '/apis',
            headers: { accept: aggregated, 'if-none-match': `${weak}${tags[pair.sides.indexOf(side)]}` },
          }),
          { ignoredFields: /^body/ },
        );
      }
    });

    compared('methods other than GET (REQ-10)', async () => {
      const paths = ['/apis', `/apis/${group}`, `/apis/${group}/v1`, '/version', '/healthz', '/'];
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
        for (const path of paths)
          await gadgets.send({ method, path }, { ignoredFields: /^headers.(content-type|etag)$/ });
      }
    });

    compared('version and health (VER-01, HEALTH-01 to HEALTH-05, HEALTH-07)', async () => {
      for (const path of ['/version', '/version/']) await gadgets.send({ path }, { ignoredFields: /^body/ });
      for (const check of ['healthz', 'livez', 'readyz']) {
        await gadgets.send({ path: `/${check}` });
        await gadgets.send({ path: `/${check}/` });
        await gadgets.send({ path: `/${check}/ping` });
        await gadgets.send({ path: `/${check}/ping?verbose` });
        await gadgets.send({ path: `/${check}/nope` });
        // Each server has its own health checks, so the lines of the body differ.
        for (const query of ['verbose', 'verbose&exclude=zip']) {
          await gadgets.send({ path: `/${check}?${query}` }, { ignoredFields: /^body/ });
        }
      }
      for (const path of ['/', '/index.html']) await gadgets.send({ path }, { ignoredFields: /^body\.paths/ });
    });
  });
}
