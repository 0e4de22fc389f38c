import { goQuote } from '@flotilla/go-text';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid } from '../../../../api/field-error.ts';
import { childPath, keyPath } from '../../../../api/schema/field-path.ts';
import { validateAnnotations, validateLabels } from '../../../../api/validation/labels.ts';
import { listOf, objectAt, textOf } from '../checks.ts';
import type { Check, FieldPosition } from '../object-rules.ts';
import { tolerations } from '../toleration-checks.ts';
import { localPathErrors } from './mount-rules.ts';
import { allContainers, structAt } from './pod-context.ts';

export const mirrorPod = 'kubernetes.io/config.mirror';
const tolerationList = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
export const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompOfContainer = 'container.seccomp.security.alpha.kubernetes.io/';
export const appArmorOfContainer = 'container.apparmor.security.beta.kubernetes.io/';
export const localProfile = 'localhost/';

type Texts = Readonly<Record<string, string>>;

export function annotationsOf(template: JsonValue | undefined): Texts {
  return objectAt(objectAt(template, 'metadata'), 'annotations') as Texts;
}

/** Validates the metadata of a pod template. Kubernetes reports its errors without `metadata` in the path. */
export const templateMetadata: Check = function* (template, position) {
  const labels = objectAt(objectAt(template, 'metadata'), 'labels');
  yield* validateLabels(labels as Texts, childPath(position.path, 'labels'));
  const path = childPath(position.path, 'annotations');
  const annotations = annotationsOf(template);
  yield* validateAnnotations(annotations, path);
  yield* podAnnotationErrors(template, { ...position, path });
};

/**
 * Validates the annotations that have a meaning for a pod or a pod template. `position.path` is the field path of the
 * annotations.
 */
export const podAnnotationErrors: Check = function* (template, position) {
  const { path } = position;
  const annotations = annotationsOf(template);
  const spec = objectAt(template, 'spec');
  if (annotations[mirrorPod] !== undefined && textOf(spec.nodeName) === '') {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    yield invalid(keyPath(path, mirrorPod), annotations[mirrorPod], detail);
  }
  yield* annotatedTolerationErrors(annotations[tolerationList] ?? '', position);
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isCost(cost)) yield invalid(keyPath(path, deletionCost), cost, 'must be a 32bit integer');
  yield* annotatedProfileErrors(annotations, path);
  yield* annotatedAppArmorErrors(annotations, path, spec);
};

function* annotatedTolerationErrors(text: string, position: FieldPosition): Generator<FieldError> {
  if (text === '') return;
  const parsed = parsedList(text);
  if (parsed === undefined) yield invalid(position.path, tolerationList, 'the annotation must be a JSON list');
  else yield* tolerations(parsed, { ...position, path: childPath(position.path, tolerationList) });
}

function parsedList(text: string): JsonValue[] | undefined {
  try {
    const { value } = parseJson(text);
    return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCost(text: string): boolean {
  const isNumber = /^(-\d+|0|[1-9]\d*)$/.test(text);
  return isNumber && Number(text) >= -2_147_483_648 && Number(text) <= 2_147_483_647;
}

function* annotatedProfileErrors(annotations: Texts, path: string): Generator<FieldError> {
  const keys = Object.keys(annotations).filter((key) => key.startsWith(seccompOfContainer));
  for (const key of [...(annotations[seccompOfPod] === undefined ? [] : [seccompOfPod]), ...keys]) {
    const profile = annotations[key] ?? '';
    const at = childPath(path, key);
    if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) continue;
    if (profile.startsWith(localProfile)) yield* localPathErrors(at, profile.slice(localProfile.length));
    else yield invalid(at, profile, 'must be a valid seccomp profile');
  }
}

function* annotatedAppArmorErrors(annotations: Texts, path: string, spec: JsonObject): Generator<FieldError> {
  const keys = Object.keys(annotations).filter((key) => key.startsWith(appArmorOfContainer));
  if (keys.length === 0) return;
  const names = new Set(allContainers(spec, '').map(([{ name }]) => textOf(name)));
  for (const key of keys) {
    const name = key.slice(appArmorOfContainer.length);
    const profile = annotations[key] ?? '';
    const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(localProfile);
    if (!names.has(name)) yield invalid(keyPath(path, key), name, 'container not found');
    if (!isKnown) yield invalid(keyPath(path, key), profile, `invalid AppArmor profile name: ${goQuote(profile)}`);
  }
}

/** Checks that the profile in an annotation equals the profile in the field. */
function* mismatchErrors(
  annotation: string | undefined,
  profile: JsonObject | undefined,
  { path, what, defaults }: { path: string; what: 'seccomp' | 'apparmor'; defaults: readonly string[] },
): Generator<FieldError> {
  if (annotation === undefined || profile === undefined) return;
  const types = new Map<string, readonly string[]>([
    ['Unconfined', ['unconfined']],
    ['RuntimeDefault', defaults],
  ]);
  const allowed = types.get(textOf(profile.type));
  const isLocal = profile.type === 'Localhost';
  if (isLocal ? !annotation.startsWith(localProfile) : allowed?.includes(annotation) === false) {
    yield forbiddenField(childPath(path, 'type'), `${what} type in annotation and field must match`);
  } else if (isLocal && annotation.slice(localProfile.length) !== profile.localhostProfile) {
    yield forbiddenField(childPath(path, 'localhostProfile'), `${what} profile in annotation and field must match`);
  }
}

const securityOf = (owner: JsonObject) => objectAt(owner, 'securityContext');

/** Checks that the profiles in the annotations of a pod template equal the profiles in its spec. */
export const templateProfiles: Check = function* (template, position) {
  const annotations = annotationsOf(template);
  const spec = objectAt(template, 'spec');
  const path = childPath(position.path, 'spec');
  const seccomp = { what: 'seccomp', defaults: ['runtime/default', 'docker/default'] } as const;
  const owners = allContainers(spec, path).map(
    ([container, at]) => [container, at, `${seccompOfContainer}${textOf(container.name)}`] as const,
  );
  for (const [owner, at, key] of [[spec, path, seccompOfPod] as const, ...owners]) {
    const profile = structAt(securityOf(owner), 'seccompProfile');
    yield* mismatchErrors(annotations[key], profile, { ...seccomp, path: `${at}.securityContext.seccompProfile` });
  }
  if (objectAt(spec, 'os').name === 'windows') return;
  const ofPod = structAt(securityOf(spec), 'appArmorProfile');
  for (const [container, at] of owners) {
    const profile = structAt(securityOf(container), 'appArmorProfile') ?? ofPod;
    yield* mismatchErrors(annotations[`${appArmorOfContainer}${textOf(container.name)}`], profile, {
      what: 'apparmor',
      defaults: ['runtime/default'],
      path: `${at}.securityContext.appArmorProfile`,
    });
  }
};

export const noEphemeralContainers: Check = function* (template, { path }) {
  if (listOf(objectAt(template, 'spec').ephemeralContainers).length === 0) return;
  yield forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template');
};
