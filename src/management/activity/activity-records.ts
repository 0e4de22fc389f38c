import { type JsonValue, textAt } from '@flotilla/json';
import { activityRecordKind } from '../../api/management/v1/notifications/activity-record.ts';
import { apiVersionOf, type KubeObject, timestamp } from '../../api/meta.ts';
import { type ActivityReaders, hiddenActivityReaders } from '../../auth/authz/activity-readers.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import type { ListOptions, ServedList, ServedObject } from '../../registry/verbs.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { decodeContinueToken, encodeContinueToken } from './activity-continue.ts';
import type { ActivityRecordKey, ActivityRow } from './activity-log.ts';

/** The number of records in a page if the client sets no limit. Also the highest limit that a client can set. */
const maxPage = 500;
/**
 * The maximum number of rows that one request reads. If the page is not full after this many rows, it ends early, with
 * a `continue` token.
 */
const maxRead = 4_000;
const rowsPerRead = 500;

type Dependencies = Pick<ManagementDependencies, 'activity' | 'sealer'>;

/**
 * Serves the activity records, newest first. A page has at most 500 records, and a `continue` token if there are more
 * records. The page contains only records of objects that the caller may read.
 */
export function activityRecords(dependencies: Dependencies, plane: Pick<KindStore, 'freshRevision'>): MountedResource {
  return {
    kind: activityRecordKind,
    verbs: {
      async list(context, options): Promise<ServedList> {
        // The permissions of the caller must not be older than the records.
        const resourceVersion = String(await plane.freshRevision());
        const { items, next } = await withStatusErrors(readPage(dependencies, context, options));
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

async function readPage(
  { activity, sealer }: Dependencies,
  context: RequestContext,
  options: ListOptions,
): Promise<Page> {
  const { namespace } = context;
  const limit = options.limit === 0 ? maxPage : Math.min(options.limit, maxPage);
  let after = options.continue === '' ? undefined : decodeContinueToken(sealer, namespace, options.continue);
  const continueAfter = (key: ActivityRecordKey) => encodeContinueToken(sealer, namespace, key);
  const items: ServedObject[] = [];
  const isSelected = selectionOf(options);
  const isReadable = readableBy(context, (row) => activity.lastReaders(row.namespace, row.stored.involvedObject.uid));
  for (let read = 0; read < maxRead; read += rowsPerRead) {
    const found = await activity.read(namespace, { limit: rowsPerRead, ...(after === undefined ? {} : { after }) });
    for (const [index, row] of found.rows.entries()) {
      after = row;
      const record = recordOf(row);
      if (!isSelected(record) || !(await isReadable(record, row))) continue;
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

/** Returns a record in the form that clients see. */
export function recordOf({ namespace, name, stored }: ActivityRow): KubeObject {
  const { time, readers: _, ...members } = stored;
  const metadata = { name, namespace, uid: name, creationTimestamp: timestamp(time) };
  return { apiVersion: apiVersionOf(activityRecordKind), kind: activityRecordKind.kind, metadata, ...members };
}

function selectionOf({ fieldSelector, labelSelector }: ListOptions): (record: KubeObject) => boolean {
  // Records have no labels, so one evaluation of the selector is valid for all of them. Evaluating a long selector for
  // each record would be slow.
  if (labelSelector?.matches({}) === false) return () => false;
  if (fieldSelector === undefined) return () => true;
  return (record) => fieldSelector.matches((field) => textAt(record as JsonValue, ...field.split('.')));
}

/**
 * Returns a function that decides whether the caller may read a record, by the current permissions on the object of the
 * record. If the object was deleted, its permissions at the time of the deletion decide. Older permissions in the
 * record are not used, because they may have been revoked.
 */
function readableBy(
  { mayRead }: RequestContext,
  lastReaders: (row: ActivityRow) => Promise<ActivityReaders | undefined>,
): (record: KubeObject, row: ActivityRow) => boolean | Promise<boolean> {
  if (mayRead === undefined) return () => true;
  const known = new Map<string, Promise<ActivityReaders | undefined>>();
  return (record, row) => {
    const { readers, involvedObject } = row.stored;
    const mayReadWith = (given: ActivityReaders) => mayRead(record, hiddenActivityReaders(given));
    const { projectUid } = readers;
    const ofProject = projectUid === undefined ? {} : { projectUid };
    if (mayReadWith(ofProject)) return true;
    // Rejects most unreadable records without reading another row.
    if (!mayReadWith(readers)) return false;
    const last = known.get(involvedObject.uid) ?? lastReaders(row);
    known.set(involvedObject.uid, last);
    return last.then((found) => found !== undefined && mayReadWith({ ...found, ...ofProject }));
  };
}
