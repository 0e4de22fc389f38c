import { type JsonValue, textAt } from '@flotilla/json';
import { activityRecordKind } from '../../api/management/v1/notifications/activity-record.ts';
import { apiVersionOf, type KubeObject, timestamp } from '../../api/meta.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import { decodeContinue, encodeContinue, inconsistentRevision } from '../../registry/verbs/continue-token.ts';
import type { ListOptions, ServedList, ServedObject } from '../../registry/verbs.ts';
import type { ActivityLog, ActivityPlace, ActivityRow } from './activity-log.ts';

/** The number of records in a page if the client sets no limit, and the maximum if it does. */
const maxPage = 500;
/** The number of rows that one request reads. A page that has found less than its limit then ends with a `continue`. */
const maxRead = 4_000;
const rowsPerRead = 500;

/**
 * Serves the activity records, newest first. A list has at most 500 of them, and a `continue` for the next ones. It contains
 * the records whose object the caller may read.
 */
export function activityRecords(log: ActivityLog, plane: Pick<KindStore, 'freshRevision'>): MountedResource {
  return {
    kind: activityRecordKind,
    verbs: {
      async list(context, options): Promise<ServedList> {
        // The permissions of the caller must not be older than the records.
        const resourceVersion = String(await plane.freshRevision());
        const { items, next } = await withStatusErrors(readPage(log, context, options));
        return { items, resourceVersion, ...(next === undefined ? {} : { continue: next }) };
      },
    },
    subresources: {},
  };
}

interface Page {
  readonly items: readonly ServedObject[];
  readonly next: string | undefined;
}

async function readPage(log: ActivityLog, context: RequestContext, options: ListOptions): Promise<Page> {
  const { namespace } = context;
  const limit = options.limit === 0 ? maxPage : Math.min(options.limit, maxPage);
  let after = options.continue === '' ? undefined : decodeContinue(true, options.continue).after;
  const items: ServedObject[] = [];
  for (let read = 0; read < maxRead; read += rowsPerRead) {
    const found = await log.read(namespace, { limit: rowsPerRead, ...(after === undefined ? {} : { after }) });
    for (const [index, row] of found.rows.entries()) {
      after = row;
      const record = recordOf(row);
      if (!isSelected(record, row, context, options)) continue;
      items.push(toServedObject(activityRecordKind, record));
      if (items.length < limit) continue;
      const isLast = index === found.rows.length - 1 && !found.hasMore;
      return { items, next: isLast ? undefined : continueAfter(row) };
    }
    if (!found.hasMore) return { items, next: undefined };
    await context.nextTimeSlice?.();
    context.signal.throwIfAborted();
  }
  return { items, next: after && continueAfter(after) };
}

function continueAfter({ namespace, name }: ActivityPlace): string {
  return encodeContinue(true, { revision: inconsistentRevision, after: { namespace, name } });
}

function recordOf({ namespace, name, stored }: ActivityRow): KubeObject {
  const { time, readers: _, ...members } = stored;
  const metadata = { name, namespace, uid: name, creationTimestamp: timestamp(time) };
  return { apiVersion: apiVersionOf(activityRecordKind), kind: activityRecordKind.kind, metadata, ...members };
}

function isSelected(
  record: KubeObject,
  { stored: { readers } }: ActivityRow,
  { mayRead }: RequestContext,
  { fieldSelector, labelSelector }: ListOptions,
): boolean {
  const read = (field: string) => textAt(record as JsonValue, ...field.split('.'));
  if (fieldSelector?.matches(read) === false || labelSelector?.matches({}) === false) return false;
  return mayRead?.(record, { readers: { ...readers } as KubeObject }) ?? true;
}
