import { apiVersionOf, type KubeObject } from '../api/meta.ts';
import { hostOwnerLabel } from '../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../api/resource.ts';
import { conflict, StatusError, serviceUnavailable } from '../api/status.ts';
import type { Place, ResourceClient } from '../client/resource-client.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Decoration, HostCall } from './host.ts';

export interface Owned {
  /** Of which `makeOwned` makes no other than this owner's. */
  readonly owner: string;
  readonly spec: JsonObject | undefined;
  readonly decoration: Decoration;
}

/**
 * Two that make it at the same time both find it made. What is there and somebody else's is left alone, and is a 409; one
 * of this owner that is on its way out is a 503.
 */
export async function makeOwned(
  client: ResourceClient,
  kind: ResourceKind,
  place: Place,
  { owner, spec, decoration }: Owned,
  call: HostCall,
): Promise<void> {
  const labels = { ...decoration.labels, [hostOwnerLabel]: owner };
  const annotations = { ...decoration.annotations };
  const object = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { ...place, labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    ...(spec === undefined ? {} : { spec }),
  } as KubeObject;
  const present = (await findObject(client, place, call)) ?? (await createUnlessThere(client, object, call));
  const there = present ?? (await client.get(place, call));
  if (ownerOf(there) !== owner) {
    throw conflict(groupResourceOf(kind), place.name, 'it is there already and was not made for this owner');
  }
  if (there.metadata.deletionTimestamp !== undefined) {
    throw serviceUnavailable(`the ${kind.singular} ${place.name} that was there before is still being deleted`);
  }
  await decorate(client, there, { labels, annotations }, call);
}

/** Adds what is not there yet. */
export async function decorate(
  client: ResourceClient,
  { metadata }: KubeObject,
  { labels = {}, annotations = {} }: Decoration,
  call: HostCall,
): Promise<void> {
  if (includes(metadata.labels, labels) && includes(metadata.annotations, annotations)) return;
  const { name = '', namespace } = metadata;
  const place = { name, ...(namespace === undefined ? {} : { namespace }) };
  await client.patch(place, { metadata: { labels, annotations } }, call);
}

function includes(present: Readonly<Record<string, string>> | undefined, wanted: Readonly<Record<string, string>>) {
  return Object.entries(wanted).every(([name, value]) => present?.[name] === value);
}

async function createUnlessThere(
  client: ResourceClient,
  object: KubeObject,
  call: HostCall,
): Promise<KubeObject | undefined> {
  try {
    return await client.create(object, call);
  } catch (error) {
    if (error instanceof StatusError && error.status.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

export async function findObject(
  client: ResourceClient,
  place: Place,
  call: HostCall,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(place, call);
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

/** By uid: one that has come into its place since is another one. */
export async function deleteOnce(
  client: ResourceClient,
  place: Place,
  { metadata }: KubeObject,
  call: HostCall,
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
