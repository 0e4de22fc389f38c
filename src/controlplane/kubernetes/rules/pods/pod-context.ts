import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import type { FieldError } from '../../../../api/field-error.ts';
import { itemsAt, memberAt, numberOf, objectAt, textOf } from '../checks.ts';
import type { FieldPosition } from '../object-rules.ts';

/** A pod spec that is being validated, with the values that many checks of the spec need. */
export interface PodContext {
  readonly spec: JsonObject;
  readonly path: string;
  readonly position: FieldPosition;
  /** The metadata of the pod or the pod template. */
  readonly metadata: JsonObject;
  /** False for the spec of a pod template. */
  readonly isPod: boolean;
  /** The pod spec of the stored object. Absent for a create. */
  readonly old?: JsonObject;
  /**
   * The volumes without errors, by name. The validation of the volumes fills this map, so only later checks can use it.
   */
  readonly volumes: Map<string, JsonObject>;
  /** The names in `resourceClaims`. */
  readonly claimNames: ReadonlySet<string>;
  /** False if the pod has its own user namespace. */
  readonly hostUsers: boolean;
  readonly gracePeriod: number | undefined;
  readonly restartPolicy: string;
}

/** A part of the validation of a pod spec. */
export type PodCheck = (pod: PodContext) => Iterable<FieldError>;

export function podContext(spec: JsonObject, position: FieldPosition): PodContext {
  const { path } = position;
  const old = memberAt(position.old, path.split('.'));
  const names = itemsAt(spec, 'resourceClaims', path).map(([claim]) => textOf(claim.name));
  const gracePeriod = spec.terminationGracePeriodSeconds ?? undefined;
  return {
    spec,
    path,
    position,
    metadata: objectAt(memberAt(position.root, path.split('.').slice(0, -1)), 'metadata'),
    isPod: path === 'spec',
    ...(isJsonObject(old) ? { old } : {}),
    volumes: new Map(),
    claimNames: new Set(names.filter((name) => name !== '')),
    hostUsers: spec.hostUsers !== false,
    gracePeriod: gracePeriod === undefined ? undefined : numberOf(gracePeriod),
    restartPolicy: textOf(spec.restartPolicy),
  };
}

/** Returns all containers of a pod spec with their paths, in the order in which Kubernetes visits them. */
export function allContainers(spec: JsonObject, path: string): (readonly [container: JsonObject, path: string])[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => itemsAt(spec, list, path));
}

export function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Returns a member that is an object; `undefined` if it is absent. */
export function structAt(parent: JsonObject, name: string): JsonObject | undefined {
  return isSet(parent[name]) ? objectAt(parent, name) : undefined;
}
