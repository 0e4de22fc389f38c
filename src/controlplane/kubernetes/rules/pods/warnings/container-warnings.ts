import { goQuote } from '@flotilla/go-text';
import { equalJson, type JsonObject } from '@flotilla/json';
import { childPath, keyPath } from '../../../../../api/schema/field-path.ts';
import { itemsAt, objectAt, textOf } from '../../checks.ts';
import { allContainers, isSet, structAt } from '../pod-context.ts';
import { annotatedAppArmorProfile } from '../profile-rules.ts';
import { annotationsOf, appArmorOfContainer, seccompOfContainer, seccompOfPod } from '../template-rules.ts';
import { fractionWarnings } from './fraction-warnings.ts';

const bytes = ['memory', 'ephemeral-storage'];
const unusedSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/**
 * Warns about deprecated annotations that fields have replaced, about amounts with fractions of bytes, and about
 * variables that hide other variables.
 */
export function* containerWarnings(template: JsonObject, path: string): Generator<string> {
  const annotations = annotationsOf(template);
  const spec = objectAt(template, 'spec');
  const annotationPath = (key: string) => keyPath(childPath(path, 'metadata.annotations'), key);
  const security = objectAt(spec, 'securityContext');
  if (!isSet(security.seccompProfile) && annotations[seccompOfPod] !== undefined) {
    yield `${annotationPath(seccompOfPod)}: ${unusedSeccomp}`;
  }
  for (const [container, at] of allContainers(spec, childPath(path, 'spec'))) {
    const own = objectAt(container, 'securityContext');
    const name = textOf(container.name);
    const [seccompKey, appArmorKey] = [`${seccompOfContainer}${name}`, `${appArmorOfContainer}${name}`];
    if (!isSet(own.seccompProfile) && annotations[seccompKey] !== undefined) {
      yield `${annotationPath(seccompKey)}: ${unusedSeccomp}`;
    }
    const profile = annotations[appArmorKey];
    if (!isSet(own.appArmorProfile) && profile !== undefined && !isProfileOf(security, profile)) {
      yield `${annotationPath(appArmorKey)}: deprecated since v1.30; use the "appArmorProfile" field instead`;
    }
    yield* resourceWarnings(container, at);
    yield* hiddenVariables(container, at);
  }
}

function* resourceWarnings(container: JsonObject, path: string): Generator<string> {
  const resources = objectAt(container, 'resources');
  for (const name of bytes) {
    for (const list of ['limits', 'requests']) {
      yield* fractionWarnings(objectAt(resources, list), `${path}.resources.${list}`, [name]);
    }
  }
}

/** True if the AppArmor profile in an annotation equals the profile in the security context. */
function isProfileOf(security: JsonObject, annotation: string): boolean {
  const ofPod = structAt(security, 'appArmorProfile');
  const annotated = annotatedAppArmorProfile(annotation);
  return ofPod !== undefined && annotated !== undefined && equalJson(ofPod, annotated);
}

/**
 * Warns about variables that hide earlier variables with the same name. A variable does not hide the earlier variable
 * if its value refers to the earlier variable.
 */
function* hiddenVariables(container: JsonObject, path: string): Generator<string> {
  const known = new Set<string>();
  for (const [variable, at] of itemsAt(container, 'env', path)) {
    const [name, value] = [textOf(variable.name), textOf(variable.value)];
    if (known.has(name) && (isSet(variable.valueFrom) || !refersTo(value, name))) {
      yield `${at}: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`;
    }
    known.add(name);
  }
}

/**
 * The maximum length of a variable name to search for. The time of a search can grow with the length of the name
 * multiplied by the length of the text.
 */
const maxSearchedName = 256;

/** True if a value contains a reference to a variable and also other text. */
function refersTo(value: string, name: string): boolean {
  const reference = `$(${name})`;
  return name.length <= maxSearchedName && value !== reference && value.includes(reference);
}
