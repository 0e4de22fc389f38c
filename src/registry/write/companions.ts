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

interface CompanionChanges {
  readonly checks: readonly RevisionCheck[];
  readonly writes: readonly Write[];
}

/**
 * Returns the writes for the companions of an object. Companions are created and deleted together with the object, and
 * updated if their definition changes. They get a uid and a creation time if they have none. A create fails if one of
 * its companions already exists.
 */
export async function companionWrites(
  kind: KindRuntime,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): Promise<CompanionChanges> {
  const { companions } = kind.resource;
  if (companions === undefined) return { checks: [], writes: [] };
  const before = old === undefined ? [] : companions(old);
  const after = next === undefined ? [] : companions(next);
  if (next === undefined) {
    return { checks: [], writes: before.map((each) => ({ key: keyOf(kind, each), value: undefined })) };
  }
  if (old !== undefined) return changedCompanions(kind, before, after);
  return {
    checks: after.map((each) => ({ key: keyOf(kind, each), revision: undefined })),
    writes: after.map((each) => ({ key: keyOf(kind, each), value: encodeCompanion(kind, each) })),
  };
}

/** Returns the writes for companions whose content changed. An object always has the same set of companions. */
async function changedCompanions(
  kind: KindRuntime,
  before: readonly CompanionObject[],
  after: readonly CompanionObject[],
): Promise<CompanionChanges> {
  const checks: RevisionCheck[] = [];
  const writes: Write[] = [];
  for (const [index, companion] of after.entries()) {
    if (equalJson(before[index]?.object, companion.object)) continue;
    const key = keyOf(kind, companion);
    const existing = await withStatusErrors(kind.store.get(key));
    if (existing === undefined) continue;
    const { uid, creationTimestamp } = decodeRecord(existing.value).object.metadata;
    checks.push({ key, revision: existing.revision });
    writes.push({ key, value: encodeCompanion(kind, companion, { uid, creationTimestamp }) });
  }
  return { checks, writes };
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
