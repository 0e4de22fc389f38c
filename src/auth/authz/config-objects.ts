import type { JsonObject } from '@flotilla/json';
import { configMapKind } from '../../api/core/config-map.ts';
import { secretKind } from '../../api/core/secret.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { GuardedObject } from './guarded-object.ts';

/** The kinds of configuration objects: Secrets and ConfigMaps in the namespaces of projects. */
const configKinds: readonly ResourceKind[] = [secretKind, configMapKind];

export function isConfigKind(group: string, resource: string): boolean {
  return configKinds.some((kind) => kind.group === group && kind.plural === resource);
}

/** The hidden part of a configuration object. */
type ConfigObjectHidden = { owner?: Owner };

/**
 * Casts the hidden part of a record to the hidden part of a configuration object. All such casts go through this
 * function. They are safe, because only `recordConfigOwner` changes the hidden part.
 */
function configHiddenOf(hidden: JsonObject): ConfigObjectHidden {
  return hidden as ConfigObjectHidden;
}

/**
 * Records the owner of a configuration object in the hidden part of its record. The object itself stays as the client
 * sent it, because tools such as Terraform report each field that the server adds as a difference.
 */
export function recordConfigOwner(hidden: JsonObject, owner: Owner): void {
  configHiddenOf(hidden).owner = { ...owner };
}

/**
 * Returns the name and the owner of a configuration object. The result has the owner in `spec`, like objects of other
 * kinds.
 */
export function guardedConfigObject(
  { apiVersion, kind, metadata }: KubeObject,
  hidden: JsonObject | undefined,
): GuardedObject {
  const { user = '', team = '' } = configHiddenOf(hidden ?? {}).owner ?? {};
  return { apiVersion, kind, metadata, spec: { owner: { user, team } } };
}
