import { isJsonObject, type JsonObject } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, tooLong, tooMany } from '../../../api/field-error.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { listOf, textOf } from '../rules/checks.ts';
import { conditionErrors } from '../rules/condition-rules.ts';
import { driverNameErrors } from '../rules/csi-rules.ts';
import { invalidStruct } from '../rules/field-rules.ts';
import { interfaceAddressErrors } from '../rules/ip-rules.ts';
import { setErrors } from './bounded-lists.ts';
import { anyObjectErrors } from './device-configuration.ts';
import { type DeviceSet, deviceIdentityOf } from './device-identity.ts';
import { labelErrors, poolNameErrors } from './device-names.ts';
import { shareIdErrors } from './share-id-rules.ts';

const maxConditions = 8;
const maxAddresses = 16;
const maxInterfaceNameBytes = 256;
const maxHardwareAddressBytes = 128;

/** Returns the errors of the status that a driver reports about a device. `allocated` are the devices of the claim. */
export function* deviceStatusErrors(device: JsonObject, path: string, allocated: DeviceSet): Generator<FieldError> {
  yield* driverNameErrors(textOf(device.driver), childPath(path, 'driver'));
  yield* poolNameErrors(textOf(device.pool), childPath(path, 'pool'));
  yield* labelErrors(textOf(device.device), childPath(path, 'device'));
  yield* shareIdErrors(device.shareID, childPath(path, 'shareID'));
  if (!allocated.has(device)) {
    yield invalidStruct(path, deviceIdentityOf(device), 'must be an allocated device in the claim');
  }
  const conditions = listOf(device.conditions);
  const at = childPath(path, 'conditions');
  if (conditions.length > maxConditions) yield tooMany(at, conditions.length, maxConditions);
  yield* conditionErrors(conditions, at);
  if (device.data !== undefined) yield* anyObjectErrors(device.data, childPath(path, 'data'));
  if (isJsonObject(device.networkData)) yield* networkErrors(device.networkData, childPath(path, 'networkData'));
}

function* networkErrors(network: JsonObject, path: string): Generator<FieldError> {
  if (byteLength(textOf(network.interfaceName)) > maxInterfaceNameBytes) {
    yield tooLong(childPath(path, 'interfaceName'), maxInterfaceNameBytes);
  }
  if (byteLength(textOf(network.hardwareAddress)) > maxHardwareAddressBytes) {
    yield tooLong(childPath(path, 'hardwareAddress'), maxHardwareAddressBytes);
  }
  yield* setErrors(network.ips, childPath(path, 'ips'), {
    max: maxAddresses,
    keyOf: textOf,
    errorsOf: (item, place) => interfaceAddressErrors(place, textOf(item)),
  });
}
