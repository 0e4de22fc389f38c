import { authenticationGroup, authorizationGroup } from '../../api/core/reviews.ts';
import type { Attributes, ResourceAttributes } from '../../auth/authz/attributes.ts';
import { attributesOf } from '../../http/filters/authorize.ts';
import type { RequestInfo } from '../../http/request/request-info.ts';

/**
 * The part of the host cluster's API that a space gives access to (completions §12): all namespaced resources in its
 * namespace, reads of the namespace object, discovery, OpenAPI documents, the version and reviews of the caller's own
 * permissions. `requestIsInSpace` and `isInSpace` are allowlists. The host cluster also authorizes each request, with
 * the caller's own identity.
 */

/**
 * True if the request is within the space. The path must be the canonical path of the resource. So the host cluster
 * cannot interpret another spelling, such as a deprecated `/watch/` path, in a different way.
 */
export function requestIsInSpace(info: RequestInfo, namespace: string): boolean {
  if (info.isResource && !isCanonical(info)) return false;
  return isInSpace(attributesOf(info), namespace);
}

/** True if an action is within the space. Unlike a request, an action in a review can have any verb and wildcards. */
export function isInSpace(attributes: Attributes, namespace: string): boolean {
  if (namespace === '') return false;
  if (!attributes.resourceRequest) return pathVerbs.has(attributes.verb) && documentPath.test(attributes.path);
  const { verb, group, resource, subresource, name } = attributes;
  if (isOwnReview(attributes)) return true;
  if (verb === 'impersonate') {
    return group === '' && resource === 'serviceaccounts' && attributes.namespace === namespace;
  }
  // The namespace object is read-only, because its labels set the Pod Security level.
  if (resource === 'namespaces') {
    const isItself = name === namespace && (attributes.namespace === namespace || attributes.namespace === '');
    return group === '' && verb === 'get' && subresource === '' && isItself;
  }
  return verb !== '' && attributes.namespace === namespace;
}

const pathVerbs: ReadonlySet<string> = new Set(['get', 'head']);

/** The paths of discovery documents, OpenAPI documents and the version. */
const documentPath = /^\/(?:api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2}|openapi\/v2|openapi\/v3(?:\/[^/]+)*|version)?$/;

const ownReviews: ReadonlySet<string> = new Set([
  `selfsubjectaccessreviews.${authorizationGroup}`,
  `selfsubjectrulesreviews.${authorizationGroup}`,
  `selfsubjectreviews.${authenticationGroup}`,
]);

/**
 * True for a review of the caller's own permissions or identity. A permission review returns only the permissions in
 * the space.
 */
function isOwnReview({ verb, group, resource, subresource, namespace, name }: ResourceAttributes): boolean {
  const isObject = subresource !== '' || namespace !== '' || name !== '';
  return verb === 'create' && !isObject && ownReviews.has(`${resource}.${group}`);
}

const requestVerbs: ReadonlySet<string> = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);

function isCanonical({ verb, path, group, version, namespace, ...info }: RequestInfo): boolean {
  const { resource, pathName, subresource, extraSegments } = info;
  const root = group === '' ? ['', 'api', version] : ['', 'apis', group, version];
  const place = namespace === '' || resource === 'namespaces' ? [] : ['namespaces', namespace];
  const own = [resource, pathName, subresource].filter((segment) => segment !== '');
  // A path below a `proxy` subresource belongs to an application. Other servers on the way may resolve `..` in such a
  // path.
  const extraParts = extraSegments.flatMap((segment) => segment.split(/[/\\]/));
  return (
    requestVerbs.has(verb) &&
    path === [...root, ...place, ...own, ...extraSegments].join('/') &&
    [...root.slice(1), ...place, ...own].every((segment) => plainSegment.test(segment)) &&
    ![...root, ...place, ...own, ...extraParts].some((segment) => segment === '.' || segment === '..')
  );
}

/**
 * Matches a segment without slashes, escapes and control characters. Every server interprets such a segment in the same
 * way.
 */
const plainSegment = /^[^/\\%\p{Cc}]+$/u;
