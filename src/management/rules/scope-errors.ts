import { equalJson, flagAt, type JsonValue, listAt, objectAt, textAt, textsAt } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../api/field-error.ts';
import { requestTargets } from '../../api/management/v1/scope.ts';
import { scopeCliFlag } from '../../api/naming.ts';

const lists = ['projects', 'spaces', 'virtualClusters', 'clusters', 'rules'] as const;

/** Validates a scope. A scope that is absent or null is valid and does not restrict anything. */
export function scopeErrors(scope: JsonValue | undefined, field: string): FieldError[] {
  const given = objectAt(scope);
  if (given === undefined) return [];
  if (!flagAt(given, scopeCliFlag) && lists.every((list) => listAt(given, list).length === 0)) {
    return [required(field, 'a scope must not be empty; omit it for no restriction')];
  }
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
  for (const [index, entry] of resources.entries()) {
    errors.push(...resourceErrors(entry, `${field}.resources[${index}]`));
    if (resources.slice(0, index).some((other) => equalJson(other, entry))) {
      errors.push(invalid(`${field}.resources[${index}]`, entry, 'overlaps another entry'));
    }
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
  for (const [index, resource] of resources.entries()) {
    const path = `${field}.resources[${index}]`;
    if (!isResourcePattern(resource)) {
      errors.push(invalid(path, resource, 'must be <resource> or <resource>/<subresource>; either part may be *'));
      continue;
    }
    const other = resources.find((candidate, at) => at !== index && overlaps(candidate, resource, at < index));
    if (other !== undefined) errors.push(invalid(path, resource, `overlaps with ${other}`));
  }
  return errors;
}

function isResourcePattern(resource: string): boolean {
  const parts = resource.split('/');
  return parts.length <= 2 && parts.every((part) => part === '*' || /^[^*\s]+$/.test(part));
}

/**
 * True if two resource patterns of a scope overlap and the error is to be reported for `narrow`. `isEarlier` is true if
 * `wide` comes before `narrow`. A pattern with wildcards overlaps every pattern that it covers. If the patterns are
 * equal, or neither covers the other, the error is reported for the later one, so that each overlap is reported once.
 */
function overlaps(wide: string, narrow: string, isEarlier: boolean): boolean {
  if (wide === narrow) return isEarlier;
  if (!wide.includes('*')) return false;
  const [wideResource, wideSub] = wide.split('/');
  const [narrowResource, narrowSub] = narrow.split('/');
  // The pattern `*` matches every resource and every subresource.
  if (wide === '*') return true;
  if (narrow === '*') return false;
  const covers = (a: string | undefined, b: string | undefined) => a === b || a === '*';
  const intersects = (a: string | undefined, b: string | undefined) => covers(a, b) || covers(b, a);
  if (wideSub === undefined || narrowSub === undefined) return false;
  if (covers(wideResource, narrowResource) && covers(wideSub, narrowSub)) return true;
  // `pods/*` and `*/log` overlap in pods/log, although neither covers the other.
  return (
    narrow.includes('*') && isEarlier && intersects(wideResource, narrowResource) && intersects(wideSub, narrowSub)
  );
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
