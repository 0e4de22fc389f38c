import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from '../../api/resource.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { IncomingRequest } from '../exchange.ts';
import { parseAccept } from '../negotiate/media-type.ts';
import type { ServedGroup } from './served-groups.ts';
import { discoveryVerbsOf, subresourceVerbsOf } from './verbs.ts';

/** The content type of aggregated discovery. Clients check its parameters to detect the format (rule DISC-12). */
export const aggregatedDiscoveryContentType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * True if the client prefers aggregated discovery: among the supported media types in the Accept header, the most
 * preferred one requests it (rule DISC-11).
 */
export function wantsAggregatedDiscovery(request: IncomingRequest): boolean {
  for (const { type, subtype, parameters } of parseAccept(request.headers.accept ?? '')) {
    const json = type === '*' || (type === 'application' && (subtype === '*' || subtype === 'json'));
    if (!json) continue;
    const requested = ['g', 'v', 'as'].map((name) => parameters.get(name) ?? '');
    if (requested.every((value) => value === '')) return false;
    if (requested.join() === 'apidiscovery.k8s.io,v2,APIGroupDiscoveryList') return true;
  }
  return false;
}

/** Returns the aggregated discovery document of the groups (rules DISC-13, DISC-14). */
export function groupDiscoveryList(groups: readonly ServedGroup[]): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.name === '' ? {} : { name: group.name },
      versions: group.versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(describeResource),
        freshness: 'Current',
      })),
    })),
  };
}

function describeResource({ kind, verbs, unlisted, subresources }: MountedResource): JsonObject {
  const below = Object.entries(subresources);
  return {
    resource: kind.plural,
    responseKind: kindOf(kind),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: discoveryVerbsOf({ kind, verbs, ...(unlisted === undefined ? {} : { unlisted }) }),
    ...(kind.shortNames === undefined ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories === undefined ? {} : { categories: [...kind.categories] }),
    ...(below.length === 0
      ? {}
      : {
          subresources: below.map(([name, subresource]) => ({
            subresource: name,
            responseKind: kindOf(subresource.kind),
            ...(subresource.verbs.createNamed === undefined ? {} : { acceptedTypes: [kindOf(subresource.kind)] }),
            verbs: subresourceVerbsOf(subresource),
          })),
        }),
  };
}

function kindOf({ group, version, kind }: ResourceKind): JsonObject {
  return { group, version, kind };
}
