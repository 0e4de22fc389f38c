import { compareBytes } from '@flotilla/json';
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
  for (const [identity, updater] of updaters) {
    if (excess <= 0) return;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, identity);
    } else {
      mergeIntoBucket(managers, first, identity);
      excess--;
    }
  }
}

/** Merges the entry `identity` into the bucket entry of its API version. If there is no bucket, `first` becomes it. */
function mergeIntoBucket(managers: Managers, first: string, identity: string): void {
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
  const fields = bucket === undefined ? newer.fields : bucket.fields.union(newer.fields);
  managers.set(bucketIdentity, { ...info, fields, ...(newer.time === undefined ? {} : { time: newer.time }) });
}
