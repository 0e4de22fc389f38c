import { compareBytes, getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { parseApiVersion, type Timestamp, timestamp } from '@flotilla/kubernetes-formats';
import type { FieldSet } from '../field-set/field-set.ts';
import { fromFieldsV1, toFieldsV1 } from '../field-set/fields-v1.ts';
import type { ManagedFieldsEntry } from '../tracked-object.ts';

/** The members of a managedFields entry that identify the entry. */
export interface ManagerInfo {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** The subresource that was written; '' for the main resource. */
  readonly subresource: string;
}

export interface ManagedSet extends ManagerInfo {
  readonly fields: FieldSet;
  readonly time?: Timestamp;
}

/** All managers of an object, by the result of `managerIdentity`. */
export type Managers = Map<string, ManagedSet>;

/**
 * Returns the identity of a managedFields entry (rule SSA-18). Entries with the same identity are merged. The identity
 * of an Apply entry does not include the API version. The text must equal the one that kube-apiserver computes, because
 * the identities determine the order of conflicts.
 */
export function managerIdentity(info: ManagerInfo): string {
  const { manager, operation, subresource } = info;
  const apiVersion = operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(info.apiVersion)}`;
  const by = manager === '' ? '' : `"manager":${JSON.stringify(manager)},`;
  const through = subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `{${by}"operation":"${operation}"${apiVersion}${through}}`;
}

/**
 * Parses managedFields from the store or from a client; `undefined` if any part is invalid. Omits entries of another
 * API group, because their fields have no meaning for this kind. Keeps entries of another version of the same group,
 * because they refer to fields of this kind.
 */
export function readManagers(entries: JsonValue | undefined, group: string): Managers | undefined {
  const managers: Managers = new Map();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries) {
    const managed = isJsonObject(entry) ? readEntry(entry) : undefined;
    if (managed === undefined) return undefined;
    if (parseApiVersion(managed.apiVersion).group === group) managers.set(managerIdentity(managed), managed);
  }
  return managers;
}

function readEntry(entry: JsonObject): ManagedSet | undefined {
  const operation = getMember(entry, 'operation');
  const apiVersion = getMember(entry, 'apiVersion');
  const manager = getMember(entry, 'manager') ?? '';
  const subresource = getMember(entry, 'subresource') ?? '';
  const time = getMember(entry, 'time') ?? '';
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '') return undefined;
  if (getMember(entry, 'fieldsType') !== 'FieldsV1') return undefined;
  if (typeof manager !== 'string' || typeof subresource !== 'string' || typeof time !== 'string') return undefined;
  if (time !== '' && Number.isNaN(Date.parse(time))) return undefined;
  try {
    const fields = fromFieldsV1(getMember(entry, 'fieldsV1') ?? {});
    if (time === '') return { manager, operation, apiVersion, subresource, fields };
    return { manager, operation, apiVersion, subresource, fields, time: timestamp(Date.parse(time)) };
  } catch {
    return undefined;
  }
}

/** True for an empty list or a list with one empty entry, with which a client resets the ownership (rule SSA-29). */
export function isOwnershipReset(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}

/** Returns the managedFields entries in the order of kube-apiserver (rule SSA-19). */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .sort(compareManaged)
    .map((managed) => managedEntry(managed, managed.time, toFieldsV1(managed.fields)));
}

/** Creates a managedFields entry whose members are in the same order as in Go's struct. */
export function managedEntry(info: ManagerInfo, time: Timestamp | undefined, fieldsV1: JsonObject): ManagedFieldsEntry {
  const { manager, operation, apiVersion, subresource } = info;
  // Members are assigned one by one, because adding members to a spread object gives each object its own hidden class.
  const entry: Partial<ManagedFieldsEntry> = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = fieldsV1;
  if (subresource !== '') entry.subresource = subresource;
  return entry as ManagedFieldsEntry;
}

function compareManaged(a: ManagedSet, b: ManagedSet): number {
  return (
    compareBytes(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

export function secondsOf(managed: ManagedSet): number {
  return managed.time === undefined ? 0 : Date.parse(managed.time) / 1000;
}
