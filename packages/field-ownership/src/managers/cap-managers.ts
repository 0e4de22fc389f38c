import { compareBytes } from '@flotilla/json';
import { FieldSet } from '../field-set/field-set.ts';
import { type ManagedSet, type Managers, managerIdentity, secondsOf } from './managers.ts';

/** The maximum number of Update entries. Otherwise an object would get an entry for each program that writes it. */
const maxUpdateManagers = 10;
const bucketName = 'ancient-changes';

/**
 * Limits the Update entries to ten (rule SSA-27). Merges the oldest entries of the same API version until the limit is
 * met. Changes `managers` in place.
 */
export function capUpdateManagers(managers: Managers): void {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return;
  updaters.sort(([a, first], [b, second]) => secondsOf(first) - secondsOf(second) || compareBytes(a, b));
  const firstOfVersion = new Map<string, string>();
  const buckets: Buckets = new Map();
  for (const [identity, updater] of updaters) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, identity);
    } else {
      moveToBucket(managers, first, identity, buckets);
      excess--;
    }
  }
  for (const [identity, sets] of buckets) {
    const bucket = managers.get(identity);
    if (bucket !== undefined) managers.set(identity, { ...bucket, fields: FieldSet.unionOf(sets) });
  }
}

/**
 * The sets of the merged entries, by the identity of their bucket: the entry that receives the oldest entries of one
 * API version. The sets are combined at the end.
 */
type Buckets = Map<string, FieldSet[]>;

/**
 * Moves the entry `identity` to the bucket of its API version. If that API version has no bucket yet, the entry `first`
 * becomes the bucket.
 */
function moveToBucket(managers: Managers, first: string, identity: string, buckets: Buckets): void {
  const newer = managers.get(identity);
  if (newer === undefined) return;
  const { apiVersion } = newer;
  const info = { manager: bucketName, operation: 'Update', apiVersion, subresource: '' } as const;
  const bucketIdentity = managerIdentity(info);
  let bucket: ManagedSet | undefined = managers.get(bucketIdentity);
  if (bucket === undefined) {
    bucket = managers.get(first);
    managers.delete(first);
  }
  managers.delete(identity);
  const sets = buckets.get(bucketIdentity) ?? (bucket === undefined ? [] : [bucket.fields]);
  sets.push(newer.fields);
  buckets.set(bucketIdentity, sets);
  const time = newer.time === undefined ? {} : { time: newer.time };
  managers.set(bucketIdentity, { ...info, fields: newer.fields, ...time });
}
