import { pathNotFound } from '../../api/status.ts';
import { type DocumentSet, jsonDocument } from '../documents/api-document.ts';
import type { SharedDocuments } from '../documents/shared-documents.ts';
import { cachedPerGeneration } from '../documents/shared-documents.ts';
import type { Plane } from '../plane.ts';
import { aggregatedDiscoveryContentType, groupDiscoveryList, wantsAggregatedDiscovery } from './aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './plain.ts';
import { servedGroups } from './served-groups.ts';

/** Returns the discovery documents of a plane: `/api`, `/apis` and the paths below them (rules DISC-01 to DISC-17). */
export function discoveryDocuments(plane: Plane, shared: SharedDocuments): DocumentSet {
  const documents = cachedPerGeneration(plane, shared, 'discovery', (resources) => {
    const groups = servedGroups(resources);
    const core = groups.find(({ name }) => name === '');
    const named = groups.filter(({ name }) => name !== '');
    const plain = new Map([['/apis', jsonDocument(apiGroupList(named))]]);
    for (const group of groups) {
      if (group.name !== '') plain.set(`/apis/${group.name}`, jsonDocument(apiGroup(group)));
      for (const served of group.versions) {
        const path = group.name === '' ? `/api/${served.version}` : `/apis/${group.name}/${served.version}`;
        plain.set(path, jsonDocument(apiResourceList(served)));
      }
    }
    const aggregated = new Map([
      ['/api', jsonDocument(groupDiscoveryList(core === undefined ? [] : [core]))],
      ['/apis', jsonDocument(groupDiscoveryList(named))],
    ]);
    return { core, plain, aggregated };
  });

  return {
    paths: () => [...(documents().core === undefined ? [] : ['/api']), ...documents().plain.keys()].sort(),
    find({ info: { path }, request }) {
      if (path !== '/api' && path !== '/apis' && !path.startsWith('/api/') && !path.startsWith('/apis/')) {
        return undefined;
      }
      const { core, plain, aggregated } = documents();
      if (path === '/api' && core === undefined) throw pathNotFound();
      const whole = wantsAggregatedDiscovery(request) ? aggregated.get(path) : undefined;
      if (whole !== undefined) {
        return {
          document: whole,
          contentType: aggregatedDiscoveryContentType,
          headers: { etag: `"${whole.hash}"`, vary: 'Accept', 'cache-control': 'public' },
        };
      }
      const found =
        path === '/api' && core !== undefined
          ? jsonDocument(apiVersions(core, request.headers.host ?? ''))
          : plain.get(path);
      if (found === undefined) throw pathNotFound();
      return { document: found, headers: { vary: 'Accept' } };
    },
  };
}
