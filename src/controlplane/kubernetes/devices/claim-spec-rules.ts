import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelValueFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { itemsAt, listOf, numberOf, objectAt, textOf } from '../rules/checks.ts';
import { faultErrors } from '../rules/field-rules.ts';
import { listErrors, setErrors } from './bounded-lists.ts';
import { configurationErrors, maxConfigurations } from './device-configuration.ts';
import { fullNameErrors, labelErrors } from './device-names.ts';
import { type SelectorFaults, selectorErrors } from './device-selectors.ts';

export const maxRequests = 32;
const maxAlternatives = 8;
const maxConstraints = 32;
export const taintEffects = ['NoExecute', 'NoSchedule', 'None'];

/** The names of the requests of a claim. The values are the names of each request's alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNamesOf(spec: JsonObject): RequestNames {
  return new Map(
    itemsAt(objectAt(spec, 'devices'), 'requests', '').map(([request]) => [
      textOf(request.name),
      new Set(itemsAt(request, 'firstAvailable', '').map(([alternative]) => textOf(alternative.name))),
    ]),
  );
}

/** Returns the errors of the spec of a claim. */
export function* claimSpecErrors(spec: JsonObject, path: string, faults: SelectorFaults): Generator<FieldError> {
  const devices = objectAt(spec, 'devices');
  const at = childPath(path, 'devices');
  const names = requestNamesOf(spec);
  yield* setErrors(devices.requests, childPath(at, 'requests'), {
    max: maxRequests,
    keyOf: nameOf,
    errorsOf: (item, place) => requestErrors(asObject(item), place, faults),
  });
  yield* listErrors(devices.constraints, childPath(at, 'constraints'), maxConstraints, (item, place) =>
    constraintErrors(asObject(item), place, names),
  );
  yield* listErrors(devices.config, childPath(at, 'config'), maxConfigurations, function* (item, place) {
    yield* requestReferencesErrors(asObject(item), place, names);
    yield* configurationErrors(asObject(item), place);
  });
}

function nameOf(item: JsonValue): string {
  return textOf(asObject(item).name);
}

function asObject(item: JsonValue): JsonObject {
  return isJsonObject(item) ? item : {};
}

function* requestErrors(request: JsonObject, path: string, faults: SelectorFaults): Generator<FieldError> {
  yield* labelErrors(textOf(request.name), childPath(path, 'name'));
  const hasAlternatives = listOf(request.firstAvailable).length > 0;
  const { exactly } = request;
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (hasAlternatives && isJsonObject(exactly)) yield invalid(path, null, `${detail}, but multiple fields are set`);
  else if (isJsonObject(exactly)) yield* exactErrors(exactly, childPath(path, 'exactly'), faults);
  else if (!hasAlternatives) yield required(path, detail);
  else {
    yield* setErrors(request.firstAvailable, childPath(path, 'firstAvailable'), {
      max: maxAlternatives,
      keyOf: nameOf,
      *errorsOf(item, place) {
        yield* labelErrors(nameOf(item), childPath(place, 'name'));
        yield* exactErrors(asObject(item), place, faults);
      },
    });
  }
}

function* exactErrors(request: JsonObject, path: string, faults: SelectorFaults): Generator<FieldError> {
  const className = textOf(request.deviceClassName);
  const at = childPath(path, 'deviceClassName');
  if (className === '') yield required(at);
  else yield* faultErrors(at, className, subdomainFaults(className));
  yield* selectorErrors(request, path, faults);
  yield* modeErrors(request, path);
  for (const [toleration, place] of itemsAt(request, 'tolerations', path)) yield* tolerationErrors(toleration, place);
}

function* modeErrors(request: JsonObject, path: string): Generator<FieldError> {
  const mode = textOf(request.allocationMode);
  const count = numberOf(request.count);
  const at = childPath(path, 'count');
  if (mode === 'All') {
    if (count !== 0) yield invalid(at, count, "must not be specified when allocationMode is 'All'");
  } else if (mode === 'ExactCount') {
    if (count <= 0) yield invalid(at, count, 'must be greater than zero');
  } else yield notSupported(childPath(path, 'allocationMode'), mode, ['All', 'ExactCount']);
}

function* tolerationErrors(toleration: JsonObject, path: string): Generator<FieldError> {
  const [key, operator] = [textOf(toleration.key), textOf(toleration.operator)];
  const [value, effect] = [textOf(toleration.value), textOf(toleration.effect)];
  if (key !== '') yield* faultErrors(childPath(path, 'key'), key, qualifiedNameFaults(key));
  if (operator === 'Exists') {
    if (value !== '') yield invalid(childPath(path, 'value'), value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') yield* faultErrors(childPath(path, 'value'), value, labelValueFaults(value));
  else if (operator === '') yield required(childPath(path, 'operator'));
  else yield notSupported(childPath(path, 'operator'), operator, ['Equal', 'Exists']);
  if (effect !== '' && !taintEffects.includes(effect)) {
    yield notSupported(childPath(path, 'effect'), effect, taintEffects);
  }
}

function* constraintErrors(constraint: JsonObject, path: string, names: RequestNames): Generator<FieldError> {
  yield* requestReferencesErrors(constraint, path, names);
  const { matchAttribute, distinctAttribute } = constraint;
  if (typeof matchAttribute === 'string') yield* fullNameErrors(matchAttribute, childPath(path, 'matchAttribute'));
  else if (typeof distinctAttribute === 'string') {
    yield* fullNameErrors(distinctAttribute, childPath(path, 'distinctAttribute'));
  } else {
    // Kubernetes uses this wording also if neither field is set.
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    yield required(path, detail);
  }
}

/** Returns the errors of the references to requests in a struct. */
export function* requestReferencesErrors(parent: JsonObject, path: string, names: RequestNames): Generator<FieldError> {
  yield* setErrors(parent.requests, childPath(path, 'requests'), {
    max: maxRequests,
    keyOf: textOf,
    errorsOf: (item, place) => requestReferenceErrors(textOf(item), place, names),
  });
}

/**
 * Returns the errors of a reference to a request: the name of a request, or the names of a request and one of its
 * alternatives.
 */
export function* requestReferenceErrors(name: string, path: string, names: RequestNames): Generator<FieldError> {
  const [request = '', alternative, ...more] = name.split('/');
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  if (more.length > 0) {
    yield invalid(path, name, detail);
    return;
  }
  yield* labelErrors(request, path);
  if (alternative !== undefined) yield* labelErrors(alternative, path);
  const known = names.get(request);
  const exists = known !== undefined && (alternative === undefined || known.has(alternative));
  if (!exists) yield invalid(path, name, detail);
}
