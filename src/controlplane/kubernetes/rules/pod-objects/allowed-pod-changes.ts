import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../../../api/field-error.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { listOf, objectAt } from '../checks.ts';
import { structAt } from '../pods/pod-context.ts';

/**
 * Returns the spec of an updated pod with the old values of all members that clients may change. A pod with scheduling
 * gates allows more changes; their errors are added to `errors`.
 */
export function withoutAllowedChanges(spec: JsonObject, old: JsonObject, errors: FieldError[]): JsonObject {
  const next: JsonObject = { ...spec };
  for (const list of ['containers', 'initContainers']) keepImages(next, old, list);
  for (const member of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) keep(next, old, member);
  if (Number(old.terminationGracePeriodSeconds ?? 0) < 0 && next.terminationGracePeriodSeconds === 1) {
    keep(next, old, 'terminationGracePeriodSeconds');
  }
  if (listOf(old.schedulingGates).length > 0) keepPlacement(next, old, errors);
  return next;
}

function keep(next: JsonObject, old: JsonObject, member: string): void {
  const value = old[member];
  if (value === undefined) delete next[member];
  else next[member] = value;
}

function keepImages(next: JsonObject, old: JsonObject, list: string): void {
  const before = listOf(old[list]);
  if (!Array.isArray(next[list])) return;
  next[list] = listOf(next[list]).map((container, index) => {
    const image = objectAt({ stored: before[index] ?? null }, 'stored').image;
    return isJsonObject(container) && image !== undefined ? { ...container, image } : container;
  });
}

/**
 * Restores the old placement and reports invalid changes. A pod with scheduling gates may get further restrictions on
 * its node.
 */
function keepPlacement(next: JsonObject, old: JsonObject, errors: FieldError[]): void {
  const selector = objectAt(next, 'nodeSelector');
  const isKept = Object.entries(objectAt(old, 'nodeSelector')).every(([key, value]) => selector[key] === value);
  if (!isKept) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalid('spec.nodeSelector', selector, detail));
  }
  keep(next, old, 'nodeSelector');
  const [affinity, before] = [structAt(next, 'affinity'), structAt(old, 'affinity')];
  const [nodes, oldNodes] = [affinity?.nodeAffinity ?? null, before?.nodeAffinity ?? null];
  if (equalJson(nodes, oldNodes)) return;
  errors.push(...affinityErrors(nodes, oldNodes));
  const { nodeAffinity: _, ...others } = affinity ?? {};
  const kept = oldNodes === null ? others : { ...others, nodeAffinity: oldNodes };
  if (Object.keys(kept).length === 0 && before === undefined) delete next.affinity;
  else next.affinity = kept;
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';

function affinityErrors(next: JsonValue, old: JsonValue): FieldError[] {
  const termsOf = (affinity: JsonValue) => listOf(objectAt(affinity, requiredTerms).nodeSelectorTerms);
  const [terms, before] = [termsOf(next), termsOf(old)];
  const path = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`;
  if (before.length === 0) return [];
  if (before.length !== terms.length) {
    return [invalid(path, [...terms], 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return before.flatMap((term, index) => {
    if (hasOnlyAdditions(terms[index] ?? null, term)) return [];
    return [invalid(indexPath(path, index), terms[index], 'only additions are allowed (no mutations or deletions)')];
  });
}

function hasOnlyAdditions(next: JsonValue, old: JsonValue): boolean {
  const members = ['matchExpressions', 'matchFields'];
  const lists = members.map((name) => [
    listOf(objectAt({ next }, 'next')[name]),
    listOf(objectAt({ old }, 'old')[name]),
  ]);
  if (lists.every(([, before]) => before?.length === 0)) return lists.every(([after]) => after?.length === 0);
  return lists.every(([after = [], before = []]) => equalJson([...after.slice(0, before.length)], [...before]));
}
