import { timestamp } from '../api/meta.ts';
import type { Check, Write } from '../store/store.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { tidyMetadata } from './metadata.ts';
import { encodeRecord } from './record.ts';
import type { Companion, StoredRecord } from './resource.ts';
import { objectKey, resourceKey } from './rows.ts';

/**
 * What is written with a create and removed with the removal. A companion gets a uid and a creation time of its own
 * where it brings none; one that is there already stops the create.
 */
export function companionWrites(
  kind: KindRuntime,
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
): { checks: readonly Check[]; writes: readonly Write[] } {
  const { companions } = kind.resource;
  if (companions === undefined || (old !== undefined && next !== undefined)) return { checks: [], writes: [] };
  const record = next ?? old;
  const all = record === undefined ? [] : companions(record);
  const keyOf = ({ kind: companion, namespace, name }: Companion) =>
    objectKey(kind.slice, resourceKey(companion), namespace, name);
  if (next === undefined) return { checks: [], writes: all.map((each) => ({ key: keyOf(each), value: undefined })) };
  return {
    checks: all.map((each) => ({ key: keyOf(each), revision: undefined })),
    writes: all.map((each) => ({ key: keyOf(each), value: encodeCompanion(kind, each) })),
  };
}

function encodeCompanion(kind: KindRuntime, companion: Companion): string | undefined {
  const { object } = companion;
  if (object === undefined) return undefined;
  const metadata = tidyMetadata({
    ...object.metadata,
    name: companion.name,
    namespace: companion.namespace,
    uid: object.metadata.uid ?? kind.ids.uid(),
    creationTimestamp: object.metadata.creationTimestamp ?? timestamp(kind.clock.now()),
  });
  return encodeRecord(companion.kind, { object: { ...object, metadata } });
}
