import { canonicalJson, writeJson } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../api/field-error.ts';
import { requestTargets, type Scope, type ScopeRule } from '../../api/management/v1/scope.ts';
import { scopeCliFlag } from '../../api/naming.ts';
import { entryLimitErrors } from './entry-limit.ts';
import { isResourcePattern, PatternOverlaps } from './pattern-overlaps.ts';

/** Validates a scope. A scope that is absent or null is valid and does not restrict anything. */
export function scopeErrors(scope: Scope | null | undefined, field: string): FieldError[] {
  if (scope === undefined || scope === null) return [];
  const { projects = [], spaces = [], virtualClusters = [], clusters = [], rules = [] } = scope;
  const isEmpty = [projects, spaces, virtualClusters, clusters, rules].every((list) => list.length === 0);
  if (scope[scopeCliFlag] !== true && isEmpty) {
    return [required(field, 'a scope must not be empty; omit it for no restriction')];
  }
  const limitErrors = entryLimitErrors(scope, field);
  if (limitErrors.length > 0) return limitErrors;
  return [
    ...nameErrors(projects, ['project'], `${field}.projects`),
    ...nameErrors(spaces, ['project', 'space'], `${field}.spaces`),
    ...nameErrors(virtualClusters, ['project', 'virtualCluster'], `${field}.virtualClusters`),
    ...nameErrors(clusters, ['cluster'], `${field}.clusters`),
    ...rules.flatMap((rule, index) => ruleErrors(rule, `${field}.rules[${index}]`)),
  ];
}

/** Rejects entries with empty names, which would match nothing. */
function nameErrors<Member extends string>(
  entries: readonly { readonly [member in Member]?: string }[],
  members: readonly Member[],
  field: string,
): FieldError[] {
  return entries.flatMap((entry, index) =>
    members
      .filter((member) => (entry[member] ?? '') === '')
      .map((member) => required(`${field}[${index}].${member}`, 'a name, or * for all')),
  );
}

function ruleErrors(rule: ScopeRule, field: string): FieldError[] {
  const { resources = [], nonResourceURLs: urls = [], resourceNames = [], requestTargets: targets = [] } = rule;
  const errors: FieldError[] = [];
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push(forbiddenField(`${field}.resourceNames`, 'resourceNames requires resources'));
  }
  const seen = new Set<string>();
  for (const [index, entry] of resources.entries()) {
    errors.push(...resourceErrors(entry, `${field}.resources[${index}]`));
    const text = writeJson(canonicalJson(entry));
    if (seen.has(text)) errors.push(invalid(`${field}.resources[${index}]`, entry, 'overlaps another entry'));
    seen.add(text);
  }
  for (const [index, url] of urls.entries()) {
    const text = urlError(url);
    if (text !== undefined) errors.push(invalid(`${field}.nonResourceURLs[${index}]`, url, text));
  }
  for (const [index, target] of targets.entries()) {
    if (!(requestTargets as readonly string[]).includes(target)) {
      errors.push(notSupported(`${field}.requestTargets[${index}]`, target, requestTargets));
    }
  }
  return errors;
}

function resourceErrors(
  { resources = [], resourceNames = [] }: NonNullable<ScopeRule['resources']>[number],
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push(forbiddenField(`${field}.resourceNames`, 'resourceNames requires resources'));
  }
  const overlaps = new PatternOverlaps(resources);
  for (const [index, resource] of resources.entries()) {
    const path = `${field}.resources[${index}]`;
    if (!isResourcePattern(resource)) {
      errors.push(invalid(path, resource, 'must be <resource> or <resource>/<subresource>; either part may be *'));
      continue;
    }
    const other = overlaps.firstOf(resource, index);
    if (other !== undefined) errors.push(invalid(path, resource, `overlaps with ${resources[other]}`));
  }
  return errors;
}

function urlError(url: string): string | undefined {
  if (url === '*') return undefined;
  if (!url.startsWith('/')) return 'must begin with /';
  const star = url.indexOf('*');
  if (star >= 0 && (star !== url.length - 1 || url[star - 1] !== '/')) {
    return '* is allowed only as the whole last segment of a path';
  }
  return undefined;
}
