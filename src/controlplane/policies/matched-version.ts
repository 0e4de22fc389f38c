import type { JsonValue } from '@flotilla/json';
import {
  admissionGroup,
  type MatchResources,
  type NamedRule,
} from '../../api/admissionregistration/match-resources.ts';
import type { KubeObject } from '../../api/meta.ts';
import { compileLabelSelector } from '../../api/selectors/selector-object.ts';

/** The attributes of a write against which policies are matched. */
export interface MatchedRequest {
  readonly group: string;
  /** The API version in the path of the request. */
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly operation: string;
  readonly name: string;
  readonly namespaced: boolean;
  /** All served versions of the object's kind. */
  readonly versions: readonly string[];
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /**
   * The labels of the object's namespace. For a Namespace, the labels of the Namespace itself. `undefined` for other
   * cluster-scoped objects.
   */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
}

const OWN_KINDS = new Set([
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

/** Returns the version in which a policy sees the object, `undefined` if the policy does not match the request. */
export function matchedVersion(match: MatchResources | undefined, request: MatchedRequest): string | undefined {
  // Policies do not apply to policies and bindings. Otherwise a policy could prevent its own correction.
  if (request.group === admissionGroup && OWN_KINDS.has(request.resource)) return undefined;
  if (match === undefined) return request.version;
  const { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  if (!isInNamespace(namespaceSelector, request) || !hasLabels(objectSelector, request)) return undefined;
  const exact = match.matchPolicy === 'Exact';
  if (versionIn(excludeResourceRules, request, exact) !== undefined) return undefined;
  return resourceRules.length === 0 ? request.version : versionIn(resourceRules, request, exact);
}

function isInNamespace(selector: MatchResources['namespaceSelector'], { namespaceLabels }: MatchedRequest): boolean {
  if (selector === undefined || namespaceLabels === undefined) return true;
  return compileLabelSelector(selector as JsonValue).matches(namespaceLabels);
}

/** True if the old or the new object has the labels. So a write cannot evade a policy by changing labels. */
function hasLabels(selector: MatchResources['objectSelector'], { object, oldObject }: MatchedRequest): boolean {
  if (selector === undefined) return true;
  const { isEmpty, matches } = compileLabelSelector(selector as JsonValue);
  if (isEmpty) return true;
  return [object, oldObject].some((one) => one !== undefined && matches(one.metadata.labels ?? {}));
}

function versionIn(rules: readonly NamedRule[], request: MatchedRequest, exact: boolean): string | undefined {
  const matching = rules.filter((rule) => matchesRule(rule, request));
  if (matching.some((rule) => has(rule.apiVersions, request.version))) return request.version;
  if (exact) return undefined;
  for (const rule of matching) {
    const other = request.versions.find((version) => has(rule.apiVersions, version));
    if (other !== undefined) return other;
  }
  return undefined;
}

function has(list: readonly string[] | undefined, wanted: string): boolean {
  return list?.some((one) => one === '*' || one === wanted) === true;
}

function matchesRule(rule: NamedRule, request: MatchedRequest): boolean {
  const { scope = '*', resourceNames = [] } = rule;
  if (scope !== '*' && (scope === 'Namespaced') !== request.namespaced) return false;
  if (!has(rule.operations, request.operation) || !has(rule.apiGroups, request.group)) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  return (rule.resources ?? []).some((text) => {
    const [resource = '', ...part] = text.split('/');
    const isMatch = resource === '*' || resource === request.resource;
    const wanted = part.join('/');
    return isMatch && (wanted === request.subresource || (wanted === '*' && text.includes('/')));
  });
}
