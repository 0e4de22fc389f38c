import type { JsonObject } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required, tooLong } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { textOf } from '../checks.ts';
import { invalidStruct } from '../field-rules.ts';
import { localPathErrors } from './mount-rules.ts';
import { isSet, structAt } from './pod-context.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** The longest path in Linux. */
const maxProfileBytes = 4095;

/** Returns the errors of the seccomp profile in a security context. */
export function* seccompErrors(context: JsonObject, contextPath: string): Generator<FieldError> {
  const profile = structAt(context, 'seccompProfile');
  if (profile === undefined) return;
  const path = childPath(contextPath, 'seccompProfile');
  const type = textOf(profile.type);
  if (type === '') yield required(childPath(path, 'type'), 'type is required when seccompProfile is set');
  else if (!profileTypes.includes(type)) yield notSupported(childPath(path, 'type'), type, profileTypes);
  const at = childPath(path, 'localhostProfile');
  if (type === 'Localhost') {
    if (isSet(profile.localhostProfile)) yield* localPathErrors(at, textOf(profile.localhostProfile));
    else yield required(at, 'must be set when seccomp type is Localhost');
  } else if (isSet(profile.localhostProfile)) {
    const printed = { Type: type, LocalhostProfile: textOf(profile.localhostProfile) };
    yield invalidStruct(at, printed, 'can only be set when seccomp type is Localhost');
  }
}

/** Returns the AppArmor profile that an annotation names; `undefined` if it names none. */
export function annotatedAppArmorProfile(annotation: string): JsonObject | undefined {
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  const prefix = 'localhost/';
  const localhostProfile = annotation.startsWith(prefix) ? annotation.slice(prefix.length) : '';
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}

/** Returns the errors of the AppArmor profile in a security context. */
export function* appArmorErrors(context: JsonObject, contextPath: string): Generator<FieldError> {
  const profile = structAt(context, 'appArmorProfile');
  if (profile === undefined) return;
  const path = childPath(contextPath, 'appArmorProfile');
  const type = textOf(profile.type);
  const at = childPath(path, 'localhostProfile');
  const name = textOf(profile.localhostProfile);
  if (type === '') yield required(childPath(path, 'type'), 'type is required when appArmorProfile is set');
  else if (!profileTypes.includes(type)) yield notSupported(childPath(path, 'type'), type, profileTypes);
  else if (type === 'Localhost') {
    if (name !== name.trim()) yield invalid(at, name, 'must not be padded with whitespace');
    else if (name === '') yield required(at, 'must be set when AppArmor type is Localhost');
    if (byteLength(name) > maxProfileBytes) yield tooLong(at, maxProfileBytes);
  } else if (isSet(profile.localhostProfile)) {
    yield invalid(at, name, 'can only be set when AppArmor type is Localhost');
  }
}
