import { type AuditEvent, auditPath } from '../api/audit/audit-event.ts';
import { managementGroup } from '../api/naming.ts';

export type AuditLevel = AuditEvent['level'];

/** The attributes of a request that determine its audit level. */
export interface AuditAttributes {
  /**
   * The verb as in the RequestInfo of Kubernetes: a Kubernetes verb for resources, the HTTP method in lower case for
   * other paths.
   */
  readonly verb: string;
  readonly user?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  /** The requested resource; `undefined` for a non-resource request. */
  readonly resource?: { readonly group: string; readonly resource: string; readonly subresource: string } | undefined;
  readonly namespace?: string | undefined;
  readonly path: string;
  readonly code?: number | undefined;
}

/**
 * A rule of the audit policy. It applies to a request if all of its members match. An absent member matches every
 * request.
 */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly verbs?: readonly string[];
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly namespaces?: readonly string[];
  /**
   * Resources that the rule matches. Each entry of the inner `resources` is `plural`, `plural/subresource`, `plural/*`
   * or `*`. Without the inner `resources`, the rule matches every resource of the group.
   */
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[];
  /** Non-resource paths that the rule matches. A path that ends with `*` matches every path with that prefix. */
  readonly nonResourceURLs?: readonly string[];
  /** `refused` matches the response codes 401, 403 and 429. It never matches before the response code is known. */
  readonly outcome?: 'refused';
}

/** Verbs that change state: verbs of resource requests, and HTTP methods of non-resource requests. */
const writeVerbs: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection', 'post', 'put'];
/** Review resources, such as SubjectAccessReview. A POST to a review is a frequent query that changes nothing. */
const reviews: readonly { group: string; resources: readonly string[] }[] = [
  { group: 'authorization.k8s.io', resources: ['*'] },
  { group: 'authentication.k8s.io', resources: ['*'] },
  {
    group: managementGroup,
    resources: [
      'notificationreviews',
      'selves',
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
    ],
  },
];

/** Subresources that change state even though the request that opens their WebSocket is a GET. */
const interactiveSubresources: readonly string[] = ['exec', 'attach', 'portforward'];

/**
 * The default audit policy (completions §11). It logs writes, refused requests, and sessions such as exec. Issuing a
 * kubeconfig or a token is a create, which is a write. Reads are logged only if they return data of all users (backups
 * of the store, and the audit log itself) or complete a login.
 */
export const defaultAuditRules: readonly AuditRule[] = [
  { level: 'Metadata', outcome: 'refused' },
  { level: 'None', verbs: ['create'], resources: reviews },
  { level: 'Metadata', verbs: writeVerbs },
  { level: 'Metadata', resources: [{ group: '', resources: interactiveSubresources.map((name) => `pods/${name}`) }] },
  { level: 'Metadata', nonResourceURLs: ['/backup', auditPath, `${auditPath}/*`] },
  // Log these GET requests, because an identity provider completes a login with a GET.
  { level: 'Metadata', nonResourceURLs: ['/auth/oidc/*'] },
];

/** Returns the level of the first rule that matches the request, or `None` if no rule matches. */
export function auditLevel(rules: readonly AuditRule[], attributes: AuditAttributes): AuditLevel {
  for (const rule of rules) if (matches(rule, attributes)) return rule.level;
  return 'None';
}

/** The levels in ascending order. Each level includes all lower levels. */
const levels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

export function includesRequestBody(level: AuditLevel | undefined): boolean {
  return level === 'Request' || level === 'RequestResponse';
}

/**
 * Returns the highest audit level that a request can still get: `level`, or the level that applies if the request is
 * refused.
 */
export function highestAuditLevel(
  rules: readonly AuditRule[],
  attributes: AuditAttributes,
  level: AuditLevel,
): AuditLevel {
  // Use any code of a refusal, because rules do not distinguish between these codes.
  const refused = auditLevel(rules, { ...attributes, code: 403 });
  return levels.indexOf(refused) > levels.indexOf(level) ? refused : level;
}

/** True if a request can change state. Such a request is logged before it is executed. */
export function isStateChangingRequest({
  verb,
  subresource,
  path,
}: {
  readonly verb: string;
  readonly subresource: string;
  readonly path: string;
}): boolean {
  return writeVerbs.includes(verb) || interactiveSubresources.includes(subresource) || loginPath.test(path);
}

/** Matches the paths at which an identity provider completes a login with a GET request. */
const loginPath = /^\/auth\/oidc\/[^/]+\/callback$/;

/** True if the response code means that the request was refused. No other code can change the audit level. */
export function isRefusedCode(code: number | undefined): boolean {
  return code === 401 || code === 403 || code === 429;
}

function matches(rule: AuditRule, attributes: AuditAttributes): boolean {
  if (rule.outcome === 'refused' && !isRefusedCode(attributes.code)) return false;
  if (rule.verbs !== undefined && !rule.verbs.includes(attributes.verb)) return false;
  if (rule.users !== undefined && !(attributes.user !== undefined && rule.users.includes(attributes.user.username)))
    return false;
  if (rule.userGroups !== undefined && !attributes.user?.groups.some((group) => rule.userGroups?.includes(group)))
    return false;
  if (rule.namespaces !== undefined && !rule.namespaces.includes(attributes.namespace ?? '')) return false;
  if (rule.resources === undefined && rule.nonResourceURLs === undefined) return true;
  return matchesTarget(rule, attributes);
}

function matchesTarget(rule: AuditRule, attributes: AuditAttributes): boolean {
  const { resource } = attributes;
  if (resource === undefined) {
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*') ? attributes.path.startsWith(url.slice(0, -1)) : attributes.path === url,
    );
  }
  const whole = resource.subresource === '' ? resource.resource : `${resource.resource}/${resource.subresource}`;
  for (const { group, resources } of rule.resources ?? []) {
    if (group !== resource.group) continue;
    if (resources === undefined) return true;
    if (resources.some((name) => name === '*' || name === whole || name === `${resource.resource}/*`)) return true;
  }
  return false;
}
