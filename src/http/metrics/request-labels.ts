import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { Exchange } from '../exchange.ts';
import type { Plane } from '../plane.ts';

/** The labels that Kubernetes dashboards know (rule METRIC-02). */
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

const knownPaths = new Set(['/api', '/apis', '/healthz', '/livez', '/readyz', '/metrics', '/openapi', '/version']);

/**
 * The number of resources with their own series. Custom kinds in thousands of virtual clusters would create too many;
 * beyond the limit, requests are counted without a resource name. The server's own kinds, with their subresources, are
 * well under a hundred.
 */
const maxResources = 500;

/** Derives labels from requests. Clients cannot invent label values: only existing kinds and verbs are used. */
export class RequestLabeller {
  readonly #seen = new Set<string>();
  readonly #made = new Map<string, RequestLabels>();
  /** The labels of served kinds, without subresources and options: a handful of verbs for each. */
  readonly #cached = new WeakMap<MountedResource, RequestLabels[]>();

  /** Equal labels are the same object, so that callers can use them as a map key. */
  label(exchange: Exchange, plane: Plane | undefined): RequestLabels {
    const { info, query } = exchange;
    const { isResource, subresource } = info;
    const mounted =
      isResource && info.extraSegments.length === 0 ? plane?.find(info.group, info.version, info.resource) : undefined;
    // The fast path for most requests: no string is built to find the labels.
    if (mounted === undefined || subresource !== '' || (query.size > 0 && query.has('dryRun')))
      return this.#lookUp(exchange, mounted);
    const verb = resourceVerb(exchange);
    const scope = scopeOf(exchange);
    const cached = this.#cached.get(mounted) ?? [];
    for (const labels of cached) if (labels.verb === verb && labels.scope === scope) return labels;
    const labels = this.#lookUp(exchange, mounted);
    if (labels.resource !== '') this.#cached.set(mounted, [...cached, labels]);
    return labels;
  }

  #lookUp(exchange: Exchange, mounted: MountedResource | undefined): RequestLabels {
    const { info, request, query } = exchange;
    const { isResource } = info;
    const isNamed = mounted !== undefined && this.#isKnown(exchange, mounted);
    const verb = isResource ? resourceVerb(exchange) : methods.has(request.method) ? request.method : 'other';
    const dryRun = query.get('dryRun') === 'All' ? 'All' : '';
    const path = isResource ? '' : knownPath(info.path);
    const scope = isNamed ? scopeOf(exchange) : '';
    const name = isNamed ? nameOf(exchange) : path;
    const key = `${verb} ${dryRun} ${scope} ${name}`;
    const known = this.#made.get(key);
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
    this.#made.set(key, labels);
    return labels;
  }

  #isKnown(exchange: Exchange, mounted: MountedResource): boolean {
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

/** The first segment represents everything below it. */
function knownPath(path: string): string {
  const first = `/${path.split('/', 2)[1] ?? ''}`;
  return knownPaths.has(first) ? first : '';
}
