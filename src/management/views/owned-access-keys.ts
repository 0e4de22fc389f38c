import { type AccessKey, accessKeyKind, ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import { type FieldsOf, groupResourceOf, typedObject } from '../../api/resource.ts';
import { alreadyExists, notFound } from '../../api/status.ts';
import { type Caller, callerOf } from '../../auth/authz/caller.ts';
import { toWriteResult } from '../../registry/cache/served.ts';
import { contextWithChanges, type RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { DeleteOptions, Patch, ResourceVerbs } from '../../registry/verbs.ts';
import { belongsToCurrentOwner } from '../access-keys/access-key-owner.ts';
import type { ManagementState } from '../state.ts';
import { kindView } from './kind-view.ts';

type StateLookups = Pick<ManagementState, 'accessKeysOf' | 'accessKeyHidden' | 'user' | 'team' | 'cluster'>;

const resource = groupResourceOf(ownedAccessKeyKind);

/**
 * Serves the access keys of the caller and of the caller's teams as the kind OwnedAccessKey. For keys of other owners,
 * the caller gets 404. Only a name conflict (409) reveals that a key with this name exists.
 */
export function ownedAccessKeys(keys: KindStore<FieldsOf<typeof accessKeyKind>>, state: StateLookups): MountedResource {
  const view = kindView(accessKeyKind, ownedAccessKeyKind);

  function isOwnName(context: RequestContext, name: string): boolean {
    const found = keys.peek('', name)?.object;
    return found !== undefined && isOwn(context, found, state);
  }

  function requireOwn(context: RequestContext, name: string): void {
    if (!isOwnName(context, name)) throw notFound(resource, name);
  }

  /**
   * Throws if the caller may not patch the key. Throws 404, or 409 for an apply, because an apply to a key of another
   * owner counts as a create with a name that is already in use.
   */
  function requirePatchable(context: RequestContext, name: string, patch: Patch): void {
    if (patch.type !== 'apply') requireOwn(context, name);
    else if (keys.peek('', name) !== undefined && !isOwnName(context, name)) throw alreadyExists(resource, name);
  }

  const verbs: ResourceVerbs = {
    get: (context, name, options) =>
      view.withShownErrors(async () => {
        const served = await keys.verbs.get(context, name, options);
        if (!isOwn(context, typedObject(accessKeyKind, served.object), state)) throw notFound(resource, name);
        return view.toShown(served);
      }),
    list: (context, options) =>
      view.withShownErrors(async () => {
        const found = await keys.verbs.list(onlyOwn(context, state), options);
        return { ...found, items: found.items.map(view.toShown) };
      }),
    watch: (context, options) =>
      view.withShownErrors(async () => view.toShownEvents(await keys.verbs.watch(onlyOwn(context, state), options))),
    create: (context, object, options) =>
      view.withShownErrors(async () =>
        view.toShown(await keys.verbs.create(asStoredKind(context), view.toStored(object), options)),
      ),
    update: (context, name, sent, options) =>
      view.withShownErrors(async () => {
        requireOwn(context, name);
        const result = await keys.verbs.update(asStoredKind(context), name, view.toStored(sent), options);
        return toWriteResult(view.toShown(result), result.created);
      }),
    patch: (context, name, patch, options) =>
      view.withShownErrors(async () => {
        requirePatchable(context, name, patch);
        const result = await keys.verbs.patch(asStoredKind(context), name, view.toStoredPatch(patch), options);
        return toWriteResult(view.toShown(result), result.created);
      }),
    delete: (context, name, options) =>
      view.withShownErrors(async () => {
        requireOwn(context, name);
        return view.toShownDeleted(await keys.verbs.delete(context, name, withUidPrecondition(name, options)));
      }),
  };

  /** Adds a UID precondition, so that a key that was recreated after the ownership check is not deleted. */
  function withUidPrecondition(name: string, options: DeleteOptions): DeleteOptions {
    const uid = keys.peek('', name)?.object.metadata.uid;
    if (uid === undefined || options.preconditions.uid !== undefined) return options;
    return { ...options, preconditions: { ...options.preconditions, uid } };
  }

  return {
    kind: ownedAccessKeyKind,
    verbs,
    subresources: {
      status: { kind: ownedAccessKeyKind, verbs: verbs.get === undefined ? {} : { get: verbs.get } },
    },
  };
}

function isOwn(context: RequestContext, key: AccessKey, state: StateLookups): boolean {
  return belongsTo(callerOf(context.user), key) && belongsToCurrentOwner(key, state);
}

function belongsTo(caller: Caller, key: AccessKey): boolean {
  const { user = '', team = '', subject = '' } = key.spec ?? {};
  if (user !== '') return user === caller.user;
  if (team !== '') return caller.teams.includes(team);
  return caller.user === undefined && caller.team === undefined && subject === caller.subject;
}

function onlyOwn(context: RequestContext, state: StateLookups): RequestContext {
  const { mayRead } = context;
  const caller = callerOf(context.user);
  return contextWithChanges(context, {
    readableNames: () => ownNames(caller, state),
    mayRead(object, hidden) {
      const key = typedObject(accessKeyKind, object);
      return belongsTo(caller, key) && belongsToCurrentOwner(key, state) && (mayRead?.(object, hidden) ?? true);
    },
  });
}

/**
 * Returns the names of the caller's own keys, so that a list request need not scan a hundred thousand keys of other
 * owners.
 */
function* ownNames(caller: Caller, state: StateLookups): Iterable<string> {
  const lists = caller.teams.map((team) => state.accessKeysOf('team', team));
  if (caller.user !== undefined) lists.push(state.accessKeysOf('user', caller.user));
  else if (caller.team === undefined) lists.push(state.accessKeysOf('subject', caller.subject));
  for (const list of lists) for (const key of list) yield key.metadata.name ?? '';
}

/** Returns a context in which checks of permissions on AccessKeys check the permissions on OwnedAccessKeys instead. */
function asStoredKind(context: RequestContext): RequestContext {
  return contextWithChanges(context, {
    may: (attributes) =>
      context.may(
        attributes.resource === accessKeyKind.plural
          ? { ...attributes, resource: ownedAccessKeyKind.plural }
          : attributes,
      ),
  });
}
