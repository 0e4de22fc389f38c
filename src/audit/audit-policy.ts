import { type AuditEvent, auditPath } from '../api/audit/audit-event.ts';
import { managementGroup } from '../api/naming.ts';

export type AuditLevel = AuditEvent['level'];

/** What is known of a request when its level is decided; the code is known only once it was answered. */
export interface AuditFacts {
  /** As in RequestInfo: create … deletecollection, or the method in lower case. */
  readonly verb: string;
  readonly user?: { readonly username: string; readonly groups: readonly string[] } | undefined;
  /** Absent for a non-resource request. */
  readonly resource?: { readonly group: string; readonly resource: string; readonly subresource: string } | undefined;
  readonly namespace?: string | undefined;
  readonly path: string;
  readonly code?: number | undefined;
}

/** A member that is absent matches everything; a rule matches when all its members do. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly verbs?: readonly string[];
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly namespaces?: readonly string[];
  /** `resources` entries are `plural`, `plural/subresource`, `plural/*` or `*`; absent: the whole group. */
  readonly resources?: readonly { readonly group: string; readonly resources?: readonly string[] }[];
  /** Paths; a `*` at the end matches what follows. */
  readonly nonResourceURLs?: readonly string[];
  /** `refused`: 401, 403 and 429; never matches before the request was answered. */
  readonly outcome?: 'refused';
}

/** The verbs that change something, resources and bare paths alike. */
const writeVerbs: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection', 'post', 'put'];
/** Questions in the form of a POST: they change nothing and come in great numbers. */
const reviews: readonly { group: string; resources: readonly string[] }[] = [
  { group: 'authorization.k8s.io', resources: ['*'] },
  { group: 'authentication.k8s.io', resources: ['*'] },
  {
    group: managementGroup,
    resources: ['selves', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
  },
];

/** Whoever opens one of these does more than read, also by the GET that a WebSocket begins with. */
const openings: readonly string[] = ['exec', 'attach', 'portforward'];

/**
 * Writes, refusals, kubeconfigs and tokens issued (completions §11). Issuing either is a create. Of what is read, only what
 * holds everything of everybody: the whole store, and this log itself.
 */
export const defaultAuditRules: readonly AuditRule[] = [
  { level: 'Metadata', outcome: 'refused' },
  { level: 'None', verbs: ['create'], resources: reviews },
  { level: 'Metadata', verbs: writeVerbs },
  { level: 'Metadata', resources: [{ group: '', resources: openings.map((name) => `pods/${name}`) }] },
  { level: 'Metadata', nonResourceURLs: ['/backup', auditPath] },
];

/** The first rule that matches gives the level; none: nothing is written. */
export function auditLevel(rules: readonly AuditRule[], facts: AuditFacts): AuditLevel {
  for (const rule of rules) if (matches(rule, facts)) return rule.level;
  return 'None';
}

/** Whether a request is audited before it is carried out (stage RequestReceived). */
export function isWrite({ verb, subresource }: { readonly verb: string; readonly subresource: string }): boolean {
  return writeVerbs.includes(verb) || openings.includes(subresource);
}

/** Of all codes these alone can make the level another than it was before the request was answered. */
export function isRefusal(code: number | undefined): boolean {
  return code === 401 || code === 403 || code === 429;
}

function matches(rule: AuditRule, facts: AuditFacts): boolean {
  if (rule.outcome === 'refused' && !isRefusal(facts.code)) return false;
  if (rule.verbs !== undefined && !rule.verbs.includes(facts.verb)) return false;
  if (rule.users !== undefined && !(facts.user !== undefined && rule.users.includes(facts.user.username))) return false;
  if (rule.userGroups !== undefined && !facts.user?.groups.some((group) => rule.userGroups?.includes(group)))
    return false;
  if (rule.namespaces !== undefined && !rule.namespaces.includes(facts.namespace ?? '')) return false;
  if (rule.resources === undefined && rule.nonResourceURLs === undefined) return true;
  return matchesTarget(rule, facts);
}

function matchesTarget(rule: AuditRule, facts: AuditFacts): boolean {
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
