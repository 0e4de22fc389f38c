import {
  equalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  valueAt,
} from '@flotilla/json';
import { parseQuantity, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../api/selectors/selector-object.ts';
import { choiceErrors, immutableErrors, invalidStruct, nonNegativeErrors } from './field-rules.ts';
import { deprecatedNodeLabels } from './node-labels.ts';

const maxDriverNameLength = 63;
const maxNodeIdLength = 256;
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;
const modes = ['Persistent', 'Ephemeral'];

export function driverErrors(object: KubeObject): FieldError[] {
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  const period = numberAt(spec, 'nodeAllocatableUpdatePeriodSeconds');
  const requests = listAt(spec, 'tokenRequests');
  return [
    ...choiceErrors('spec.fsGroupPolicy', spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType']),
    ...tokenRequestErrors(requests),
    ...textsAt(spec, 'volumeLifecycleModes')
      .filter((mode) => !modes.includes(mode))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, modes)),
    ...(period !== undefined && period < 10
      ? [invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, 'must be greater than or equal to 10 seconds')]
      : []),
    ...(spec.serviceAccountTokenInSecrets !== undefined && requests.length === 0
      ? [
          invalid(
            'spec.serviceAccountTokenInSecrets',
            spec.serviceAccountTokenInSecrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]
      : []),
  ];
}

function tokenRequestErrors(requests: readonly JsonValue[]): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap((request, index) => {
    const path = indexPath('spec.tokenRequests', index);
    const audience = textAt(request, 'audience');
    if (audiences.has(audience)) return [duplicate(`${path}.audience`, audience)];
    audiences.add(audience);
    const seconds = numberAt(request, 'expirationSeconds');
    if (seconds === undefined) return [];
    const field = `${path}.expirationSeconds`;
    if (seconds < minTokenSeconds) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
    if (seconds <= maxTokenSeconds) return [];
    return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  });
}

export function driverUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const member = (of: KubeObject, name: string) => valueAt(of as JsonValue, 'spec', name);
  const unchanged = (name: string, path: string) => immutableErrors(path, member(object, name), member(old, name));
  return [
    ...driverErrors(object),
    // Kubernetes itself misspells this path.
    ...unchanged('attachRequired', 'spec.attachedRequired'),
    ...unchanged('volumeLifecycleModes', 'spec.volumeLifecycleModes'),
  ];
}

const tokenWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

export function driverWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const requestsOf = (of: KubeObject | undefined) => listAt(of as JsonValue | undefined, 'spec', 'tokenRequests');
  const requests = requestsOf(object);
  const isSet = valueAt(object as JsonValue, 'spec', 'serviceAccountTokenInSecrets') !== undefined;
  const isSame = old !== undefined && equalJson([...requests], [...requestsOf(old)]);
  return requests.length === 0 || isSet || isSame ? [] : [tokenWarning];
}

export function nodeErrors(object: KubeObject): FieldError[] {
  const names = new Set<string>();
  return listAt(object as JsonValue, 'spec', 'drivers').flatMap((driver, index) => {
    const path = indexPath('spec.drivers', index);
    const name = textAt(driver, 'name');
    const repeated = names.has(name) ? [duplicate(`${path}.name`, name)] : [];
    names.add(name);
    return [
      ...driverNameErrors(name, `${path}.name`),
      ...nodeIdErrors(textAt(driver, 'nodeID'), `${path}.nodeID`),
      ...nonNegativeErrors(`${path}.allocatable.count`, numberAt(driver, 'allocatable', 'count') ?? 0),
      ...repeated,
      ...topologyKeyErrors(textsAt(driver, 'topologyKeys'), path),
    ];
  });
}

/** Returns the errors of the name of a CSI driver. */
export function driverNameErrors(name: string, path: string): FieldError[] {
  if (name === '') return [required(path)];
  return [
    ...(name.length > maxDriverNameLength ? [tooLong(path, maxDriverNameLength)] : []),
    ...subdomainFaults(name.toLowerCase()).map((fault) => invalid(path, name, fault)),
  ];
}

function nodeIdErrors(id: string, path: string): FieldError[] {
  if (id === '') return [required(path)];
  return id.length > maxNodeIdLength ? [invalid(path, id, `must be ${maxNodeIdLength} characters or less`)] : [];
}

function topologyKeyErrors(keys: readonly string[], path: string): FieldError[] {
  const known = new Set<string>();
  return keys.flatMap((key) => {
    const repeated = known.has(key) ? [duplicate(path, key)] : [];
    known.add(key);
    return [
      ...(key === '' ? [required(path)] : []),
      ...repeated,
      ...qualifiedNameFaults(key).map((fault) => invalid(path, key, fault)),
    ];
  });
}

export function nodeUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const driversOf = (of: KubeObject) => listAt(of as JsonValue, 'spec', 'drivers').filter(isJsonObject);
  const before = new Map(driversOf(old).map(({ allocatable: _, ...driver }) => [driver.name, driver]));
  const isChanged = ({ allocatable: _, ...driver }: JsonObject) => {
    const known = before.get(driver.name);
    return known !== undefined && !equalJson(driver, known);
  };
  const changed = driversOf(object).filter(isChanged);
  return [
    ...nodeErrors(object),
    ...changed.map((driver) => invalidStruct('spec.drivers', internalDriver(driver), 'field is immutable')),
  ];
}

/** Returns a driver with the member names of Kubernetes' internal struct. The error message contains these names. */
function internalDriver(driver: JsonObject): JsonObject {
  return {
    Name: driver.name ?? '',
    NodeID: driver.nodeID ?? '',
    TopologyKeys: driver.topologyKeys ?? null,
    Allocatable: null,
  };
}

export function capacityErrors(object: KubeObject): FieldError[] {
  const className = textAt(object as JsonValue, 'storageClassName');
  const capacity = textAt(object as JsonValue, 'capacity');
  const isNegative = capacity !== '' && parseQuantity(capacity).billionths < 0n;
  return [
    ...labelSelectorErrors(valueAt(object as JsonValue, 'nodeTopology'), 'nodeTopology'),
    ...subdomainFaults(className).map((fault) => invalid('storageClassName', className, fault)),
    ...(isNegative ? [invalid('capacity', capacity, 'must be greater than or equal to 0')] : []),
  ];
}

export function capacityUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return ['nodeTopology', 'storageClassName'].flatMap((name) =>
    immutableErrors(name, valueAt(object as JsonValue, name), valueAt(old as JsonValue, name)),
  );
}

export function capacityWarnings(object: KubeObject): string[] {
  const topology = objectAt(object as JsonValue, 'nodeTopology');
  const inExpressions = listAt(topology, 'matchExpressions').flatMap((expression, index) => {
    const key = textAt(expression, 'key');
    const message = deprecatedNodeLabels.get(key);
    return message === undefined
      ? []
      : [`${indexPath('nodeTopology.matchExpressions', index)}.key: ${key} is ${message}`];
  });
  const inLabels = Object.keys(objectAt(topology, 'matchLabels') ?? {}).flatMap((key) => {
    const message = deprecatedNodeLabels.get(key);
    return message === undefined ? [] : [`${childPath('nodeTopology.matchLabels', key)}: ${message}`];
  });
  return [...inExpressions, ...inLabels];
}
