import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from '../../api/resource.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { IncomingRequest } from '../exchange.ts';
import { parseAccept } from '../negotiate/media-type.ts';
import type { ServedGroup } from './served-groups.ts';
import { subresourceVerbsOf, verbsOf } from './verbs.ts';

/** Clients check these parameters of the response to know which form they got (rule DISC-12). */
export const aggregatedContentType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** True if the first supported clause requests the aggregated form; other clauses are skipped (rule DISC-11). */
export function wantsAggregated(request: IncomingRequest): boolean {
  for (const { type, subtype, parameters } of parseAccept(request.headers.accept ?? '')) {
    const json = type === '*' || (type === 'application' && (subtype === '*' || subtype === 'json'));
    if (!json) continue;
    const asked = ['g', 'v', 'as'].map((name) => parameters.get(name) ?? '');
    if (asked.every((value) => value === '')) return false;
    if (asked.join() === 'apidiscovery.k8s.io,v2,APIGroupDiscoveryList') return true;
  }
  return false;
}

/** Describes these groups in one document (rules DISC-13, DISC-14). */
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
    verbs: verbsOf({ kind, verbs, ...(unlisted === undefined ? {} : { unlisted }) }),
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
