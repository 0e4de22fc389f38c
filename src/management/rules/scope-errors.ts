import { canonicalJson, flagAt, type JsonValue, listAt, objectAt, textAt, textsAt, writeJson } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../api/field-error.ts';
import { requestTargets } from '../../api/management/v1/scope.ts';
import { scopeCliFlag } from '../../api/naming.ts';
import { entryLimitErrors } from './entry-limit.ts';
import { isResourcePattern, PatternOverlaps } from './pattern-overlaps.ts';

const lists = ['projects', 'spaces', 'virtualClusters', 'clusters', 'rules'] as const;

/** Validates a scope. A scope that is absent or null is valid and does not restrict anything. */
export function scopeErrors(scope: JsonValue | undefined, field: string): FieldError[] {
  const given = objectAt(scope);
  if (given === undefined) return [];
  if (!flagAt(given, scopeCliFlag) && lists.every((list) => listAt(given, list).length === 0)) {
    return [required(field, 'a scope must not be empty; omit it for no restriction')];
  }
  const limitErrors = entryLimitErrors(given, field);
  if (limitErrors.length > 0) return limitErrors;
  return [
    ...nameErrors(given, 'projects', ['project'], field),
    ...nameErrors(given, 'spaces', ['project', 'space'], field),
    ...nameErrors(given, 'virtualClusters', ['project', 'virtualCluster'], field),
    ...nameErrors(given, 'clusters', ['cluster'], field),
    ...listAt(given, 'rules').flatMap((rule, index) => ruleErrors(rule, `${field}.rules[${index}]`)),
  ];
}

/** Rejects entries with empty names, which would match nothing. */
function nameErrors(scope: JsonValue, list: string, members: readonly string[], field: string): FieldError[] {
  return listAt(scope, list).flatMap((entry, index) =>
    members
      .filter((member) => textAt(entry, member) === '')
      .map((member) => required(`${field}.${list}[${index}].${member}`, 'a name, or * for all')),
  );
}

function ruleErrors(rule: JsonValue, field: string): FieldError[] {
  const resources = listAt(rule, 'resources');
  const urls = textsAt(rule, 'nonResourceURLs');
  const errors: FieldError[] = [];
  if (textsAt(rule, 'resourceNames').length > 0 && resources.length === 0) {
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
  for (const [index, target] of textsAt(rule, 'requestTargets').entries()) {
    if (!(requestTargets as readonly string[]).includes(target)) {
      errors.push(notSupported(`${field}.requestTargets[${index}]`, target, requestTargets));
    }
  }
  return errors;
}

function resourceErrors(entry: JsonValue, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const resources = textsAt(entry, 'resources');
  if (textsAt(entry, 'resourceNames').length > 0 && resources.length === 0) {
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
