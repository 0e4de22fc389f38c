import { goQuote } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelValueFaults } from '@flotilla/kubernetes-formats';
import { childPath, indexPath, keyPath } from '../../../../../api/schema/field-path.ts';
import { itemsAt, listOf, objectAt, textOf } from '../../checks.ts';
import { ipWarnings } from '../../ip-rules.ts';
import { deprecatedNodeLabels } from '../../node-labels.ts';
import { isSet, structAt } from '../pod-context.ts';
import { annotationsOf } from '../template-rules.ts';
import { containerWarnings } from './container-warnings.ts';
import { fractionWarnings } from './fraction-warnings.ts';
import { portWarnings } from './port-warnings.ts';
import { volumeWarnings } from './volume-warnings.ts';

/**
 * The maximum number of warnings for one template. It limits the work for a template with many faults. Clients show
 * fewer and shorter warnings.
 */
const maxWarnings = 1_000;
const maxCharacters = 100_000;

/** Returns the warnings about a valid pod template, worded as in Kubernetes. */
export function podTemplateWarnings(template: JsonValue | undefined, path: string): string[] {
  const found: string[] = [];
  let characters = 0;
  for (const warning of warningsOf(isJsonObject(template) ? template : {}, path)) {
    found.push(warning);
    characters += warning.length;
    if (found.length >= maxWarnings || characters >= maxCharacters) break;
  }
  return found;
}

function* warningsOf(template: JsonObject, path: string): Generator<string> {
  const spec = objectAt(template, 'spec');
  const at = childPath(path, 'spec');
  yield* nodeWarnings(spec, at);
  yield* spreadWarnings(spec, at);
  yield* annotationWarnings(template, path);
  yield* volumeWarnings(spec, at);
  yield* repeatedWarnings(spec, at, ['hostAliases', 'ip']);
  yield* repeatedWarnings(spec, at, ['imagePullSecrets', 'name']);
  for (const [secret, secretPath] of itemsAt(spec, 'imagePullSecrets', at)) {
    if (textOf(secret.name) === '') yield `${secretPath}.name: invalid empty name ""`;
  }
  yield* fractionWarnings(objectAt(spec, 'overhead'), childPath(at, 'overhead'), ['memory', 'ephemeral-storage']);
  yield* containerWarnings(template, path);
  yield* portWarnings(spec, at);
  if (Number(spec.terminationGracePeriodSeconds ?? 0) < 0) {
    yield `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`;
  }
  yield* affinityWarnings(spec, at);
  for (const [index, server] of listOf(objectAt(spec, 'dnsConfig').nameservers).entries()) {
    yield* ipWarnings(indexPath(`${at}.dnsConfig.nameservers`, index), textOf(server));
  }
  for (const [alias, aliasPath] of itemsAt(spec, 'hostAliases', at)) {
    yield* ipWarnings(childPath(aliasPath, 'ip'), textOf(alias.ip));
  }
}

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

function* nodeWarnings(spec: JsonObject, path: string): Generator<string> {
  for (const label of Object.keys(objectAt(spec, 'nodeSelector'))) {
    const warning = deprecatedNodeLabels.get(label);
    if (warning !== undefined) yield `${keyPath(childPath(path, 'nodeSelector'), label)}: ${warning}`;
  }
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const at = `${path}.affinity.nodeAffinity`;
  const selector = objectAt(affinity, requiredTerms);
  for (const [term, termPath] of itemsAt(selector, 'nodeSelectorTerms', `${at}.${requiredTerms}`)) {
    yield* termWarnings(term, termPath, () => []);
  }
  for (const [term, termPath] of itemsAt(affinity, preferredTerms, at)) {
    yield* termWarnings(objectAt(term, 'preference'), childPath(termPath, 'preference'), labelValueFaults);
  }
}

function* termWarnings(
  term: JsonObject,
  path: string,
  faultsOf: (value: string) => readonly string[],
): Generator<string> {
  for (const [expression, at] of itemsAt(term, 'matchExpressions', path)) {
    yield* deprecatedKey(textOf(expression.key), childPath(at, 'key'));
    for (const [index, value] of listOf(expression.values).entries()) {
      const text = textOf(value);
      for (const fault of faultsOf(text)) {
        yield `${indexPath(childPath(at, 'values'), index)}: ${text} is invalid, ${fault}`;
      }
    }
  }
}

function deprecatedKey(key: string, path: string): string[] {
  const warning = deprecatedNodeLabels.get(key);
  return warning === undefined ? [] : [`${path}: ${key} is ${warning}`];
}

const noSelector = 'a null labelSelector results in matching no pod';

function* spreadWarnings(spec: JsonObject, path: string): Generator<string> {
  for (const [constraint, at] of itemsAt(spec, 'topologySpreadConstraints', path)) {
    yield* deprecatedKey(textOf(constraint.topologyKey), childPath(at, 'topologyKey'));
    if (!isSet(constraint.labelSelector)) yield `${at}.labelSelector: ${noSelector}`;
  }
}

function* affinityWarnings(spec: JsonObject, path: string): Generator<string> {
  for (const name of ['podAffinity', 'podAntiAffinity']) {
    const affinity = objectAt(objectAt(spec, 'affinity'), name);
    const at = `${path}.affinity.${name}`;
    const preferred = itemsAt(affinity, preferredTerms, at).map(
      ([term, termPath]) => [objectAt(term, 'podAffinityTerm'), childPath(termPath, 'podAffinityTerm')] as const,
    );
    for (const [term, termPath] of [...itemsAt(affinity, requiredTerms, at), ...preferred]) {
      if (structAt(term, 'labelSelector') === undefined) yield `${termPath}.labelSelector: ${noSelector}`;
    }
  }
}

const deprecatedAnnotations: readonly (readonly [key: string, warning: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function* annotationWarnings(template: JsonObject, path: string): Generator<string> {
  const annotations = annotationsOf(template);
  for (const [key, warning] of deprecatedAnnotations) {
    if (annotations[key] !== undefined) yield `${keyPath(childPath(path, 'metadata.annotations'), key)}: ${warning}`;
  }
}

/** Warns about the members of a list that repeat the value of `key`. */
function* repeatedWarnings(spec: JsonObject, path: string, [list, key]: readonly [string, string]): Generator<string> {
  const known = new Set<string>();
  for (const [item, at] of itemsAt(spec, list, path)) {
    const value = textOf(item[key]);
    if (known.has(value)) yield `${childPath(at, key)}: duplicate ${key} ${goQuote(value)}`;
    known.add(value);
  }
}
