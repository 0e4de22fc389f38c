import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, required } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { fieldIsImmutable, itemsAt, listOf, objectAt, textOf } from '../rules/checks.ts';
import { invalidStruct } from '../rules/field-rules.ts';
import { allocationErrors } from './allocation-rules.ts';
import { setErrors } from './bounded-lists.ts';
import { requestNamesOf } from './claim-spec-rules.ts';
import { DeviceSet, deviceIdentityOf } from './device-identity.ts';
import { deviceStatusErrors } from './device-status-rules.ts';

const maxConsumers = 256;

export function statusOf(claim: KubeObject): JsonObject {
  return objectAt(claim as JsonValue, 'status');
}

/** Returns the devices that are allocated for a claim with this status. */
export function allocatedDevices(status: JsonObject): JsonObject[] {
  return itemsAt(objectAt(objectAt(status, 'allocation'), 'devices'), 'results', '').map(([result]) => result);
}

/** Removes the status that drivers have reported about devices which this write deallocates. */
export function removeDeallocatedDevices(claim: KubeObject, old: KubeObject): void {
  const status = statusOf(claim);
  const now = new DeviceSet(allocatedDevices(status));
  const deallocated = new DeviceSet(allocatedDevices(statusOf(old)).filter((device) => !now.has(device)));
  const kept = listOf(status.devices).filter((device) => !isJsonObject(device) || !deallocated.has(device));
  if (kept.length > 0) status.devices = kept;
  else delete status.devices;
}

/** Returns the errors of a changed status of a claim. */
export function* claimStatusErrors(claim: KubeObject, old: KubeObject): Generator<FieldError> {
  const [status, before] = [statusOf(claim), statusOf(old)];
  yield* setErrors(status.reservedFor, 'status.reservedFor', {
    max: maxConsumers,
    keyOf: uidOf,
    errorsOf: (item, path) => (isJsonObject(item) ? consumerErrors(item, path) : []),
  });
  const allocated = new DeviceSet(allocatedDevices(status));
  yield* setErrors(status.devices, 'status.devices', {
    // No maximum is needed: each device must be allocated and unique, so the rules of the items limit the length.
    max: Number.POSITIVE_INFINITY,
    keyOf: (item) => deviceIdentityOf(isJsonObject(item) ? item : {}),
    errorsOf: (item, path) => (isJsonObject(item) ? deviceStatusErrors(item, path, allocated) : []),
  });
  yield* reservationErrors(claim, before);
  yield* allocationChangeErrors(claim, before);
}

function uidOf(consumer: JsonValue): string {
  return textOf(isJsonObject(consumer) ? consumer.uid : undefined);
}

function* consumerErrors(consumer: JsonObject, path: string): Generator<FieldError> {
  for (const member of ['resource', 'name', 'uid']) {
    if (textOf(consumer[member]) === '') yield required(childPath(path, member));
  }
}

/**
 * Validates reservations: only an allocated claim can be reserved, and a claim that is being deleted gets no new
 * consumers.
 */
function* reservationErrors(claim: KubeObject, before: JsonObject): Generator<FieldError> {
  const status = statusOf(claim);
  const consumers = listOf(status.reservedFor);
  if (consumers.length === 0) return;
  const path = 'status.reservedFor';
  if (!isJsonObject(status.allocation)) {
    yield forbiddenField(path, 'may not be specified when `allocated` is not set');
  } else if (claim.metadata.deletionTimestamp !== undefined) {
    const known = new Set(listOf(before.reservedFor).map(consumerKey));
    if (consumers.every((consumer) => known.has(consumerKey(consumer)))) return;
    const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    yield forbiddenField(path, detail);
  }
}

function consumerKey(consumer: JsonValue): string {
  const { apiGroup, resource, name, uid } = isJsonObject(consumer) ? consumer : {};
  return JSON.stringify([apiGroup, resource, name, uid].map(textOf));
}

/** An allocation can be set and removed, but not changed. */
function* allocationChangeErrors(claim: KubeObject, before: JsonObject): Generator<FieldError> {
  const { allocation } = statusOf(claim);
  const path = 'status.allocation';
  if (!isJsonObject(allocation)) return;
  if (!isJsonObject(before.allocation)) {
    yield* allocationErrors(allocation, path, requestNamesOf(objectAt(claim as JsonValue, 'spec')));
  } else if (!equalJson(allocation, before.allocation)) {
    yield invalidStruct(path, allocation, fieldIsImmutable);
  }
}
