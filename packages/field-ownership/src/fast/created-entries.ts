import type { JsonObject } from '@flotilla/json';
import type { Timestamp } from '@flotilla/kubernetes-formats';
import { type ManagerInfo, managedEntry } from '../managers/managers.ts';
import type { ManagedFieldsEntry } from '../tracked-object.ts';

interface Created {
  readonly manager: string;
  readonly apiVersion: string;
  readonly time: Timestamp;
  readonly fieldsV1: JsonObject;
  readonly entries: ManagedFieldsEntry[];
}

let latest: Created | undefined;

/**
 * Returns the managedFields of a new object. All objects with the same members that one client creates within a second
 * share one list. Sharing is safe because entries are only replaced, never changed.
 */
export function createdEntries(info: ManagerInfo, time: Timestamp, fieldsV1: JsonObject): ManagedFieldsEntry[] {
  const { manager, apiVersion } = info;
  if (
    latest === undefined ||
    latest.fieldsV1 !== fieldsV1 ||
    latest.time !== time ||
    latest.manager !== manager ||
    latest.apiVersion !== apiVersion
  ) {
    const entries = [managedEntry(info, time, fieldsV1)];
    latest = { manager, apiVersion, time, fieldsV1, entries };
  }
  return latest.entries;
}
