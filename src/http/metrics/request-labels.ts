import type { Exchange } from '../exchange.ts';
import type { ServedResource, ServedResources } from '../plane.ts';

/** The metric labels of a request, with the names that dashboards for kube-apiserver expect (rule METRIC-02). */
export type RequestLabels = {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: string;
};

const verbs = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
]);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export const knownPaths = new Set([
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/openapi',
  '/version',
]);

/**
 * The number of resources that get their own metric series. Requests for further resources are counted with an empty
 * resource label, because custom resources in thousands of virtual clusters would create too many series. The server
 * itself has less than a hundred resources and subresources.
 */
const maxResources = 500;

/**
 * Derives metric labels from requests. Labels contain only kinds and verbs that exist, so clients cannot create new
 * label values.
 */
export class RequestLabeler {
  readonly #seen = new Set<string>();
  readonly #labelsByKey = new Map<string, RequestLabels>();
  /**
   * The labels per kind, for requests without subresource and `dryRun`. A kind has few combinations of verb and scope.
   */
  readonly #labelsByResource = new WeakMap<ServedResource, RequestLabels[]>();

  /**
   * Returns the labels of a request. Equal labels are always the same object, so callers can use the object as a map
   * key.
   */
  label(exchange: Exchange, plane: ServedResources | undefined): RequestLabels {
    const { info, query } = exchange;
    const { isResource, subresource } = info;
    const mounted =
      isResource && info.extraSegments.length === 0 ? plane?.find(info.group, info.version, info.resource) : undefined;
    // Most requests have neither a subresource nor `dryRun`. For them, the code after this condition finds the labels
    // without building a string key.
    if (mounted === undefined || subresource !== '' || (query.size > 0 && query.has('dryRun')))
      return this.#lookUp(exchange, mounted);
    const verb = resourceVerb(exchange);
    const scope = scopeOf(exchange);
    const cached = this.#labelsByResource.get(mounted) ?? [];
    for (const labels of cached) if (labels.verb === verb && labels.scope === scope) return labels;
    const labels = this.#lookUp(exchange, mounted);
    if (labels.resource !== '') this.#labelsByResource.set(mounted, [...cached, labels]);
    return labels;
  }

  #lookUp(exchange: Exchange, mounted: ServedResource | undefined): RequestLabels {
    const { info, request, query } = exchange;
    const { isResource } = info;
    const isNamed = mounted !== undefined && this.#isKnown(exchange, mounted);
    const verb = isResource ? resourceVerb(exchange) : methods.has(request.method) ? request.method : 'other';
    const dryRun = query.get('dryRun') === 'All' ? 'All' : '';
    const path = isResource ? '' : knownPath(info.path);
    const scope = isNamed ? scopeOf(exchange) : '';
    const name = isNamed ? nameOf(exchange) : path;
    const key = `${verb} ${dryRun} ${scope} ${name}`;
    const known = this.#labelsByKey.get(key);
    if (known !== undefined) return known;
    const { group, version, resource, subresource } = info;
    const labels: RequestLabels = {
      verb,
      dry_run: dryRun,
      ...(isNamed
        ? { group, version, resource, subresource }
        : { group: '', version: '', resource: '', subresource: path }),
      scope,
      component: 'apiserver',
    };
    this.#labelsByKey.set(key, labels);
    return labels;
  }

  #isKnown(exchange: Exchange, mounted: ServedResource): boolean {
    const { subresource } = exchange.info;
    if (subresource !== '' && !Object.hasOwn(mounted.subresources, subresource)) return false;
    const key = nameOf(exchange);
    if (this.#seen.has(key)) return true;
    if (this.#seen.size >= maxResources) return false;
    this.#seen.add(key);
    return true;
  }
}

function nameOf({ info }: Exchange): string {
  return `${info.group}/${info.version}/${info.resource}/${info.subresource}`;
}

function resourceVerb({ info, request }: Exchange): string {
  if (info.verb === 'patch' && (request.headers['content-type'] ?? '').startsWith('application/apply-patch')) {
    return 'APPLY';
  }
  return verbs.get(info.verb) ?? 'other';
}

function scopeOf({ info }: Exchange): string {
  if (info.pathName !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/** Returns the first segment of a known non-resource path as its label, or an empty string for unknown paths. */
function knownPath(path: string): string {
  const first = `/${path.split('/', 2)[1] ?? ''}`;
  return knownPaths.has(first) ? first : '';
}
