import type { JsonObject } from '@flotilla/json';
import {
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, objectAt, textOf } from '../checks.ts';
import { isSet, type PodContext } from './pod-context.ts';

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursiveModes = ['Disabled', 'Enabled', 'IfPossible'];

export function hasBackstep(path: string): boolean {
  return path.split('/').includes('..');
}

/** Returns the errors of a relative path that must not leave its directory. */
export function localPathErrors(path: string, target: string): FieldError[] {
  return [
    ...(target.startsWith('/') ? [invalid(path, target, 'must be a relative path')] : []),
    ...(hasBackstep(target) ? [invalid(path, target, "must not contain '..'")] : []),
  ];
}

/** The names and paths of a list of mounts or devices. An entry replaces earlier entries with the same name. */
interface Targets {
  readonly names: ReadonlyMap<string, string>;
  readonly paths: ReadonlySet<string>;
}

function targetsOf(container: JsonObject, list: string, pathMember: string): Targets {
  const names = new Map(itemsAt(container, list, '').map(([item]) => [textOf(item.name), textOf(item[pathMember])]));
  return { names, paths: new Set(names.values()) };
}

export function* mountErrors(container: JsonObject, path: string, pod: PodContext): Generator<FieldError> {
  const devices = targetsOf(container, 'volumeDevices', 'devicePath');
  const known = new Set<string>();
  for (const [mount, at] of itemsAt(container, 'volumeMounts', path)) {
    const name = textOf(mount.name);
    const target = textOf(mount.mountPath);
    const [namePath, targetPath] = [childPath(at, 'name'), childPath(at, 'mountPath')];
    if (name === '') yield required(namePath);
    if (!pod.volumes.has(name)) yield fieldNotFound(namePath, name);
    if (target === '') yield required(targetPath);
    if (known.has(target)) yield invalid(targetPath, target, 'must be unique');
    known.add(target);
    if (devices.names.has(name)) yield invalid(namePath, name, 'must not already exist in volumeDevices');
    if (devices.paths.has(target)) {
      yield invalid(targetPath, target, 'must not already exist as a path in volumeDevices');
    }
    yield* mountOptionErrors(mount, at, container);
  }
}

/** Kubernetes reports most of these errors at the list, without the index of the mount. */
function* mountOptionErrors(mount: JsonObject, path: string, container: JsonObject): Generator<FieldError> {
  const list = path.slice(0, path.lastIndexOf('['));
  const [subPath, expression] = [textOf(mount.subPath), textOf(mount.subPathExpr)];
  yield* localPathErrors(childPath(list, 'subPath'), subPath);
  if (expression !== '' && subPath !== '') {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    yield invalid(childPath(path, 'subPathExpr'), expression, detail);
  }
  yield* localPathErrors(childPath(list, 'subPathExpr'), expression);
  if (isSet(mount.mountPropagation)) {
    const at = childPath(list, 'mountPropagation');
    const mode = textOf(mount.mountPropagation);
    if (!propagations.includes(mode)) yield notSupported(at, mode, propagations);
    if (mode === 'Bidirectional' && objectAt(container, 'securityContext').privileged !== true) {
      yield forbiddenField(at, 'Bidirectional mount propagation is available only to privileged containers');
    }
  }
  if (isSet(mount.recursiveReadOnly)) yield* recursiveErrors(mount, childPath(list, 'recursiveReadOnly'));
}

function* recursiveErrors(mount: JsonObject, path: string): Generator<FieldError> {
  const mode = textOf(mount.recursiveReadOnly);
  if (!recursiveModes.includes(mode)) {
    yield notSupported(path, mode, recursiveModes);
  } else if (mode !== 'Disabled') {
    if (mount.readOnly !== true) yield forbiddenField(path, 'may only be specified when readOnly is true');
    if (isSet(mount.mountPropagation) && mount.mountPropagation !== 'None') {
      yield forbiddenField(path, 'may only be specified when mountPropagation is None or not specified');
    }
  }
}

export function* deviceErrors(container: JsonObject, path: string, pod: PodContext): Generator<FieldError> {
  const mounts = targetsOf(container, 'volumeMounts', 'mountPath');
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const [device, at] of itemsAt(container, 'volumeDevices', path)) {
    const name = textOf(device.name);
    const target = textOf(device.devicePath);
    const [namePath, targetPath] = [childPath(at, 'name'), childPath(at, 'devicePath')];
    yield* deviceNameErrors(name, namePath, pod, names);
    if (target === '') yield required(targetPath);
    if (paths.has(target)) yield invalid(targetPath, target, 'must be unique');
    if (hasBackstep(target)) yield invalid(targetPath, target, "can not contain backsteps ('..')");
    else paths.add(target);
    if (mounts.names.has(name)) yield invalid(namePath, name, 'must not already exist in volumeMounts');
    if (mounts.paths.has(target)) {
      yield invalid(targetPath, target, 'must not already exist as a path in volumeMounts');
    }
    if (name !== '') names.add(name);
  }
}

function* deviceNameErrors(
  name: string,
  path: string,
  { volumes }: PodContext,
  known: ReadonlySet<string>,
): Generator<FieldError> {
  const volume = volumes.get(name);
  if (name === '') yield required(path);
  if (known.has(name)) yield invalid(path, name, 'must be unique');
  if (volume === undefined) yield fieldNotFound(path, name);
  else if (!isSet(volume.persistentVolumeClaim) && !isSet(volume.ephemeral)) {
    const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
    yield invalid(path, name, detail);
  }
}
