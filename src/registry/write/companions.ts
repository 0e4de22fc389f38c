import { equalJson } from '@flotilla/json';
import { timestamp } from '../../api/meta.ts';
import type { Key } from '../../store/key.ts';
import type { RevisionCheck, Write } from '../../store/store.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import type { CompanionObject, StoredRecord } from '../resource.ts';
import { decodeRecord, encodeRecord } from '../rows/record.ts';
import { objectRowKey, resourceKey } from '../rows/rows.ts';
import { withStatusErrors } from '../store-status.ts';
import { normalizeMetadata } from './metadata.ts';

export interface CompanionChanges {
  readonly checks: readonly RevisionCheck[];
  /** The companion that each check belongs to; `undefined` for a companion that the write changes. */
  readonly added: readonly (CompanionObject | undefined)[];
  readonly writes: readonly Write[];
}

export const noCompanionChanges: CompanionChanges = { checks: [], added: [], writes: [] };

/**
 * Returns the writes for the companions of an object. Companions are created and deleted together with the object, and
 * updated if their definition changes. A companion without a uid and a creation time gets them. The write fails if a
 * companion that it adds already exists.
 */
export async function companionWrites(
  kind: KindRuntime,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Promise<CompanionChanges> {
  const { companions } = kind.resource;
  if (companions === undefined) return noCompanionChanges;
  const before = companionsByName(old === undefined ? [] : companions(old));
  const after = companionsByName(next === undefined ? [] : companions(next));
  const checks: RevisionCheck[] = [];
  const added: (CompanionObject | undefined)[] = [];
  const writes: Write[] = [];
  for (const [name, companion] of before) {
    if (!after.has(name)) writes.push({ key: keyOf(kind, companion), value: undefined });
  }
  for (const [name, companion] of after) {
    const key = keyOf(kind, companion);
    const previous = before.get(name);
    if (previous === undefined) {
      checks.push({ key, revision: undefined });
      added.push(companion);
      writes.push({ key, value: encodeCompanion(kind, companion) });
    } else if (!equalJson(previous.object, companion.object)) {
      const existing = await withStatusErrors(kind.store.get(key));
      if (existing === undefined) continue;
      const { uid, creationTimestamp } = decodeRecord(existing.value).object.metadata;
      checks.push({ key, revision: existing.revision });
      added.push(undefined);
      writes.push({ key, value: encodeCompanion(kind, companion, { uid, creationTimestamp }) });
    }
  }
  return { checks, added, writes };
}

function companionsByName(companions: readonly CompanionObject[]): ReadonlyMap<string, CompanionObject> {
  return new Map(companions.map((each) => [`${resourceKey(each.kind)}/${each.namespace}/${each.name}`, each]));
}

function keyOf(kind: KindRuntime, { kind: companion, namespace, name }: CompanionObject): Key {
  return objectRowKey(kind.slice, resourceKey(companion), namespace, name);
}

function encodeCompanion(
  kind: KindRuntime,
  companion: CompanionObject,
  existing: { uid?: string | undefined; creationTimestamp?: string | undefined } = {},
): string | undefined {
  const { object } = companion;
  if (object === undefined) return undefined;
  const metadata = normalizeMetadata({
    ...object.metadata,
    name: companion.name,
    namespace: companion.namespace,
    uid: existing.uid ?? object.metadata.uid ?? kind.ids.uid(),
    creationTimestamp: existing.creationTimestamp ?? object.metadata.creationTimestamp ?? timestamp(kind.clock.now()),
  });
  return encodeRecord(companion.kind, { object: { ...object, metadata } });
}
