import { isJsonObject, type JsonObject } from '@flotilla/json';
import type { FieldError } from '../../../api/field-error.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { objectAt, textOf } from '../rules/checks.ts';
import { driverNameErrors } from '../rules/csi-rules.ts';
import { requiredChoiceErrors } from '../rules/field-rules.ts';
import { nodeSelectorErrors } from '../rules/volumes/node-selector-rules.ts';
import { bindingConditionErrors } from './binding-conditions.ts';
import { listErrors } from './bounded-lists.ts';
import { maxRequests, type RequestNames, requestReferenceErrors, requestReferencesErrors } from './claim-spec-rules.ts';
import { configurationErrors, maxConfigurations } from './device-configuration.ts';
import { labelErrors, poolNameErrors } from './device-names.ts';
import { shareIdErrors } from './share-id-rules.ts';

/** The maximum number of devices that are allocated for a claim. */
export const maxResults = maxRequests;

/**
 * Returns the errors of the devices that are allocated for a claim. `names` contains the names of the claim's requests.
 */
export function* allocationErrors(allocation: JsonObject, path: string, names: RequestNames): Generator<FieldError> {
  const devices = objectAt(allocation, 'devices');
  const at = childPath(path, 'devices');
  yield* listErrors(devices.results, childPath(at, 'results'), maxResults, (item, place) =>
    isJsonObject(item) ? resultErrors(item, place, names) : [],
  );
  // The list contains the configurations of the class and of the claim, so the maximum length is doubled.
  yield* listErrors(devices.config, childPath(at, 'config'), 2 * maxConfigurations, (item, place) =>
    isJsonObject(item) ? allocatedConfigurationErrors(item, place, names) : [],
  );
  if (isJsonObject(allocation.nodeSelector)) {
    yield* nodeSelectorErrors(allocation.nodeSelector, childPath(path, 'nodeSelector'));
  }
}

function* resultErrors(result: JsonObject, path: string, names: RequestNames): Generator<FieldError> {
  yield* requestReferenceErrors(textOf(result.request), childPath(path, 'request'), names);
  yield* driverNameErrors(textOf(result.driver), childPath(path, 'driver'));
  yield* poolNameErrors(textOf(result.pool), childPath(path, 'pool'));
  yield* labelErrors(textOf(result.device), childPath(path, 'device'));
  yield* bindingConditionErrors(result, path);
  yield* shareIdErrors(result.shareID, childPath(path, 'shareID'));
}

function* allocatedConfigurationErrors(config: JsonObject, path: string, names: RequestNames): Generator<FieldError> {
  yield* requiredChoiceErrors(childPath(path, 'source'), textOf(config.source), ['FromClaim', 'FromClass']);
  yield* requestReferencesErrors(config, path, names);
  yield* configurationErrors(config, path);
}
