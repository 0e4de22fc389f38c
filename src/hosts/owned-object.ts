import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type KubeObject, type TypedObject } from '../api/meta.ts';
import { hostOwnerLabel } from '../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../api/resource.ts';
import { conflict, StatusError, serviceUnavailable } from '../api/status.ts';
import type { ObjectKey, ResourceClient } from '../client/resource-client.ts';
import type { HostCallOptions, LabelsAndAnnotations } from './host.ts';

export interface OwnedObjectSpec {
  readonly kind: ResourceKind;
  readonly key: ObjectKey;
  /** The owner of the object. An existing object of another owner is never changed. */
  readonly owner: string;
  readonly spec: JsonObject | undefined;
  readonly metadata: LabelsAndAnnotations;
}

/**
 * Creates the object if it does not exist, and adds the labels and annotations. Concurrent calls with the same owner
 * all succeed. Throws 409 if the object belongs to another owner, and 503 if it is being deleted. Returns true if this call
 * created the object.
 */
export async function ensureOwnedObject(
  client: ResourceClient,
  { kind, key, owner, spec, metadata }: OwnedObjectSpec,
  call: HostCallOptions,
): Promise<boolean> {
  const labels = { ...metadata.labels, [hostOwnerLabel]: owner };
  const annotations = { ...metadata.annotations };
  const object = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { ...key, labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    ...(spec === undefined ? {} : { spec }),
  } as KubeObject;
  const found = await findObject(client, key, call);
  const created = found === undefined ? await createIfMissing(client, object, call) : undefined;
  const existing = found ?? created ?? (await client.get(key, call));
  if (ownerOf(existing) !== owner) {
    throw conflict(groupResourceOf(kind), key.name, 'the object already exists and belongs to another owner');
  }
  if (existing.metadata.deletionTimestamp !== undefined) {
    throw serviceUnavailable(`the previous ${kind.singular} ${key.name} is still being deleted`);
  }
  await addLabelsAndAnnotations(client, existing, { labels, annotations }, call);
  return created !== undefined;
}

/** Adds labels and annotations to an object. Sends no request if the object already has them. */
export async function addLabelsAndAnnotations(
  client: ResourceClient,
  { metadata }: KubeObject,
  { labels = {}, annotations = {} }: LabelsAndAnnotations,
  call: HostCallOptions,
): Promise<void> {
  if (includes(metadata.labels, labels) && includes(metadata.annotations, annotations)) return;
  const { name = '', namespace } = metadata;
  const place = { name, ...(namespace === undefined ? {} : { namespace }) };
  await client.patch(place, { metadata: { labels, annotations } }, call);
}

function includes(found: Readonly<Record<string, string>> | undefined, wanted: Readonly<Record<string, string>>) {
  return Object.entries(wanted).every(([name, value]) => found?.[name] === value);
}

/** Creates an object. Returns `undefined` if it exists already. */
export async function createIfMissing(
  client: ResourceClient,
  object: KubeObject,
  call: HostCallOptions,
): Promise<KubeObject | undefined> {
  try {
    return await client.create(object, call);
  } catch (error) {
    if (error instanceof StatusError && error.status.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

export async function findObject<Fields extends JsonObject>(
  client: ResourceClient<Fields>,
  place: ObjectKey,
  call: HostCallOptions,
): Promise<TypedObject<Fields> | undefined> {
  try {
    return await client.get(place, call);
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

/**
 * Deletes the object only if it still has the uid of the given object, so that a new object of the same name is not
 * deleted.
 */
export async function deleteByUid(
  client: ResourceClient,
  place: ObjectKey,
  { metadata }: KubeObject,
  call: HostCallOptions,
): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  try {
    await client.delete(place, { ...call, uid: metadata.uid ?? '' });
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error;
  }
}

export function ownerOf({ metadata }: KubeObject): string {
  return metadata.labels?.[hostOwnerLabel] ?? '';
}
