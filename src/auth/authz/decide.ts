import { adminsGroup } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { Attributes, Decision } from './attributes.ts';
import { adminRules, everyoneRules, type NonResourceRule, type ResourceRule, type Rules } from './rules-table.ts';

/** Who asks, as far as a decision looks. `system` comes from inside the process, never from a name or a group. */
export interface Subject {
  readonly user: UserInfo;
  /** A scope only narrows, and what scopes list is not part of this table: a key with one opens nothing of it. */
  readonly scoped?: boolean;
  readonly system: boolean;
}

/**
 * Who may do what on the management API; list, watch, get, reviews and admission all ask here. Pure: the same
 * question has the same answer. What no rule allows is refused.
 */
export function decide(subject: Subject, attributes: Attributes): Decision {
  if (subject.system) return { allowed: true, reason: "the server's own code" };
  if (subject.scoped === true)
    return { allowed: false, reason: 'the access key has a scope, and this version opens nothing to such keys' };
  if (writesStatus(attributes)) {
    return { allowed: false, reason: "status is written by the server's own controllers only" };
  }
  if (allows(everyoneRules, attributes)) return { allowed: true, reason: 'allowed to everybody with a valid key' };
  if (isAdmin(subject.user)) return { allowed: true, reason: `member of the group ${adminsGroup}` };
  return { allowed: false, reason: 'no rule allows it' };
}

/** What a caller may do in a namespace, for SelfSubjectRulesReview. The same rows that `decide` reads. */
export function rulesFor(user: UserInfo, _namespace: string): Rules & { readonly incomplete: false } {
  const rules = isAdmin(user) ? [everyoneRules, adminRules] : [everyoneRules];
  return {
    resourceRules: rules.flatMap((each) => each.resourceRules),
    nonResourceRules: rules.flatMap((each) => each.nonResourceRules),
    incomplete: false,
  };
}

function isAdmin(user: UserInfo): boolean {
  return user.groups.includes(adminsGroup);
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);

function writesStatus(attributes: Attributes): boolean {
  return attributes.resourceRequest && attributes.subresource === 'status' && !readVerbs.has(attributes.verb);
}

function allows(rules: Rules, attributes: Attributes): boolean {
  return attributes.resourceRequest
    ? rules.resourceRules.some((rule) => matchesResource(rule, attributes))
    : rules.nonResourceRules.some((rule) => matchesPath(rule, attributes.verb, attributes.path));
}

function matchesResource(rule: ResourceRule, asked: Extract<Attributes, { resourceRequest: true }>): boolean {
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  return (
    includes(rule.verbs, asked.verb) && includes(rule.apiGroups, asked.group) && includes(rule.resources, resource)
  );
}

function matchesPath(rule: NonResourceRule, verb: string, path: string): boolean {
  return (
    includes(rule.verbs, verb) &&
    rule.nonResourceURLs.some((url) => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url))
  );
}

/** A row's `*` matches everything; a `*` that is asked for is matched by a row's `*` alone. */
function includes(row: readonly string[], asked: string): boolean {
  return row.includes('*') || row.includes(asked);
}
