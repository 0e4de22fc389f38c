import type { JsonObject } from '@flotilla/json';
import { textOf } from '../rules/checks.ts';

/** Identifies an allocated device. The members have the names and the order in which Kubernetes prints them. */
interface DeviceIdentity extends JsonObject {
  readonly Driver: string;
  readonly Pool: string;
  readonly Device: string;
  /** Identifies one of several allocations of the same device. '' if the device is allocated as a whole. */
  readonly ShareID: string;
}

/** Returns the identity of the device in an allocation result or in a device status. */
export function deviceIdentityOf({ driver, pool, device, shareID }: JsonObject): DeviceIdentity {
  return { Driver: textOf(driver), Pool: textOf(pool), Device: textOf(device), ShareID: textOf(shareID) };
}

/** A set of devices, compared by identity. */
export class DeviceSet {
  readonly #keys: Set<string>;

  constructor(devices: Iterable<JsonObject>) {
    this.#keys = new Set([...devices].map(keyOf));
  }

  has(device: JsonObject): boolean {
    return this.#keys.has(keyOf(device));
  }
}

/** Returns a text that identifies the device. Only the same device has the same text. */
export function keyOf(device: JsonObject): string {
  return JSON.stringify(deviceIdentityOf(device));
}
