import { type ManagedFieldsEntry, parseApiVersion, type Timestamp, timestamp } from '../../api/meta.ts';
import { compareBytes } from '../../lib/json-order.ts';
import { getMember, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json-value.ts';
import type { FieldSet } from './field-set.ts';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts';

/** Who manages fields, and through what: one entry of managedFields. */
export interface ManagerInfo {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** '' for the main resource. */
  readonly subresource: string;
}

export interface ManagedSet extends ManagerInfo {
  readonly fields: FieldSet;
  readonly time?: Timestamp;
}

/** All managers of an object by their identity. */
export type Managers = Map<string, ManagedSet>;

/**
 * Two entries are one if this is equal (rule SSA-18): appliers are the same in every version. The text is what
 * kube-apiserver makes, because it also decides the order of conflicts.
 */
export function managerIdentity(info: ManagerInfo): string {
  return JSON.stringify({
    ...(info.manager === '' ? {} : { manager: info.manager }),
    operation: info.operation,
    ...(info.operation === 'Apply' ? {} : { apiVersion: info.apiVersion }),
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
  });
}

/**
 * Reads managedFields as stored or as a client sent them; undefined if anything in them is wrong. Entries of another
 * group are dropped, as their fields mean nothing here; those of another version of the same group name the same
 * fields.
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
    return {
      manager,
      operation,
      apiVersion,
      subresource,
      fields,
      ...(time === '' ? {} : { time: timestamp(Date.parse(time)) }),
    };
  } catch {
    return undefined;
  }
}

/** An empty list, or one empty entry: the client wants to forget who manages what (rule SSA-29). */
export function isReset(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}

/** The entries in their order on the wire (rule SSA-19). */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareManaged).map((managed) => ({
    ...(managed.manager === '' ? {} : { manager: managed.manager }),
    operation: managed.operation,
    apiVersion: managed.apiVersion,
    ...(managed.time === undefined ? {} : { time: managed.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(managed.fields),
    ...(managed.subresource === '' ? {} : { subresource: managed.subresource }),
  }));
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
