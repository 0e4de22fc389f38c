import { equalJson, type JsonObject, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';
import { type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { UserInfo } from '../../api/user-info.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft } from '../../registry/resource.ts';
import type { ControlPlane } from '../control-plane.ts';

/** The served resources of a plane, with which the kind of parameters is resolved. */
type ServedResources = Pick<ControlPlane, 'resources'>;

/**
 * A resource whose parameters a policy reads. The resource `*` stands for all resources; it is used if the kind cannot
 * be resolved.
 */
interface ParamResource {
  readonly group: string;
  readonly resource: string;
  readonly isResolved: boolean;
}

/**
 * Returns an error if the author of a valid policy cannot read all objects of the policy's parameter kind. Otherwise
 * the expressions of the policy could reveal these objects.
 */
export async function paramKindErrors(
  plane: ServedResources,
  { object, old }: Draft,
  context: RequestContext,
): Promise<FieldError[]> {
  const paramKind = objectAt(object as JsonValue, 'spec', 'paramKind');
  if (context.system || paramKind === undefined) return [];
  if (old !== undefined && equalJson(objectAt(old.object as JsonValue, 'spec', 'paramKind') ?? null, paramKind))
    return [];
  const { group, resource } = resourceOf(plane, paramKind);
  if (await context.may({ verb: 'get', group, resource, namespace: '*', name: '*' })) return [];
  const kind = `kind=${textAt(paramKind, 'kind')}, apiVersion=${textAt(paramKind, 'apiVersion')}`;
  const detail = `user ${goUser(context.user)} must have "get" permission on all objects of the referenced paramKind (${kind})`;
  return [forbiddenField('spec.paramKind', detail)];
}

/**
 * Returns an error if the author of a valid binding cannot read the parameters that the binding refers to. `findPolicy`
 * returns the policy with a given name.
 */
export async function paramRefErrors(
  plane: ServedResources,
  { object }: Draft,
  context: RequestContext,
  findPolicy: (name: string) => KubeObject | undefined,
): Promise<FieldError[]> {
  const paramRef = objectAt(object as JsonValue, 'spec', 'paramRef');
  if (context.system || paramRef === undefined) return [];
  const policyName = textAt(object as JsonValue, 'spec', 'policyName');
  const policy = findPolicy(policyName);
  const paramKind = objectAt((policy ?? null) as JsonValue, 'spec', 'paramKind');
  const { group, resource, isResolved } = resourceOf(plane, paramKind);
  const [name, namespace] = [textAt(paramRef, 'name'), textAt(paramRef, 'namespace')];
  const verb = name === '' ? 'list' : 'get';
  if (await context.may({ verb, group, resource, namespace, name })) return [];
  const user = goUser(context.user);
  const needsAll = `to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`;
  const detail =
    policy === undefined
      ? `unable to get policy ${policyName} ${needsAll}`
      : paramKind !== undefined && !isResolved
        ? `unable to resolve paramKind &{${textAt(paramKind, 'apiVersion')} ${textAt(paramKind, 'kind')}} ${needsAll}`
        : `user ${user} does not have "${verb}" permission on the object referenced by paramRef`;
  return [forbiddenField('spec.paramRef', detail)];
}

/** Returns the resource of a parameter kind, or `*` for all resources if the kind is absent. */
function resourceOf(plane: ServedResources, paramKind: JsonObject | undefined): ParamResource {
  if (paramKind === undefined) return { group: '*', resource: '*', isResolved: false };
  const { group, version } = parseApiVersion(textAt(paramKind, 'apiVersion'));
  const served = plane
    .resources()
    .find(({ kind }) => kind.group === group && kind.version === version && kind.kind === textAt(paramKind, 'kind'));
  return { group, resource: served?.kind.plural ?? '*', isResolved: served !== undefined };
}

/** Returns a user as Kubernetes prints it in errors. */
function goUser({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const entries = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.sort().join(' ')}]}`;
}
