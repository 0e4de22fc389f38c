import { type AuditEvent, auditPath } from '../api/audit/audit-event.ts';
import { managementGroup } from '../api/naming.ts';

export type AuditLevel = AuditEvent['level'];

/** The attributes of a request that determine its audit level. The code is known only after the response. */
export interface AuditAttributes {
  /** As in RequestInfo: create … deletecollection, or the HTTP method in lower case. */
  readonly verb: string;
  readonly user?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  /** Absent for a non-resource request. */
  readonly resource?: { readonly group: string; readonly resource: string; readonly subresource: string } | undefined;
  readonly namespace?: string | undefined;
  readonly path: string;
  readonly code?: number | undefined;
}

/** An absent member matches everything. A rule matches if all its members match. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly verbs?: readonly string[];
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly namespaces?: readonly string[];
  /** Entries of `resources` are `plural`, `plural/subresource`, `plural/*` or `*`. Absent: the whole group. */
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[];
  /** Paths. A `*` at the end matches any suffix. */
  readonly nonResourceURLs?: readonly string[];
  /** `refused`: 401, 403 and 429. Never matches before the response. */
  readonly outcome?: 'refused';
}

/** Verbs that change state, for resources and non-resource paths. */
const writeVerbs: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection', 'post', 'put'];
/** Reviews are queries sent by POST: they change nothing and are frequent. */
const reviews: readonly { group: string; resources: readonly string[] }[] = [
  { group: 'authorization.k8s.io', resources: ['*'] },
  { group: 'authentication.k8s.io', resources: ['*'] },
  {
    group: managementGroup,
    resources: ['selves', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
  },
];

/** Subresources that do more than read, even by the GET that starts a WebSocket. */
const interactiveSubresources: readonly string[] = ['exec', 'attach', 'portforward'];

/**
 * Logs writes, refused requests, and issued kubeconfigs and tokens, which are creates (completions §11). The only
 * logged reads are those that return data of all users: backups of the store, and the audit log itself.
 */
export const defaultAuditRules: readonly AuditRule[] = [
  { level: 'Metadata', outcome: 'refused' },
  { level: 'None', verbs: ['create'], resources: reviews },
  { level: 'Metadata', verbs: writeVerbs },
  { level: 'Metadata', resources: [{ group: '', resources: interactiveSubresources.map((name) => `pods/${name}`) }] },
  { level: 'Metadata', nonResourceURLs: ['/backup', auditPath] },
];

/** Returns the level of the first matching rule. Without a match, nothing is logged. */
export function auditLevel(rules: readonly AuditRule[], facts: AuditAttributes): AuditLevel {
  for (const rule of rules) if (matches(rule, facts)) return rule.level;
  return 'None';
}

/** True if a request is logged before it is executed (stage RequestReceived). */
export function isWrite({ verb, subresource }: { readonly verb: string; readonly subresource: string }): boolean {
  return writeVerbs.includes(verb) || interactiveSubresources.includes(subresource);
}

/** True for the only status codes that can change the level after the response. */
export function isRefusal(code: number | undefined): boolean {
  return code === 401 || code === 403 || code === 429;
}

function matches(rule: AuditRule, facts: AuditAttributes): boolean {
  if (rule.outcome === 'refused' && !isRefusal(facts.code)) return false;
  if (rule.verbs !== undefined && !rule.verbs.includes(facts.verb)) return false;
  if (rule.users !== undefined && !(facts.user !== undefined && rule.users.includes(facts.user.username))) return false;
  if (rule.userGroups !== undefined && !facts.user?.groups.some((group) => rule.userGroups?.includes(group)))
    return false;
  if (rule.namespaces !== undefined && !rule.namespaces.includes(facts.namespace ?? '')) return false;
  if (rule.resources === undefined && rule.nonResourceURLs === undefined) return true;
  return matchesTarget(rule, facts);
}

function matchesTarget(rule: AuditRule, facts: AuditAttributes): boolean {
  const { resource } = facts;
  if (resource === undefined) {
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*') ? facts.path.startsWith(url.slice(0, -1)) : facts.path === url,
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
