import type { JsonObject } from '@flotilla/json';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import { itemsAt, numberOf, textOf } from '../checks.ts';
import { choiceErrors } from '../field-rules.ts';
import { matchLabelKeyErrors } from './match-label-key-rules.ts';
import { isSet, type PodContext } from './pod-context.ts';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const nodePolicies = ['Honor', 'Ignore'];

function identityOf(constraint: JsonObject): string {
  return `{${textOf(constraint.topologyKey)}, ${textOf(constraint.whenUnsatisfiable)}}`;
}

/** Validates topology spread constraints. The key and the action identify a constraint. */
export function* topologySpreadErrors({ spec, path }: PodContext): Generator<FieldError> {
  const constraints = itemsAt(spec, 'topologySpreadConstraints', path);
  const last = new Map(constraints.map(([constraint], index) => [identityOf(constraint), index]));
  for (const [index, [constraint, at]] of constraints.entries()) {
    const identity = identityOf(constraint);
    yield* constraintErrors(constraint, at);
    if (last.get(identity) !== index) yield duplicate(childPath(at, '{topologyKey, whenUnsatisfiable}'), identity);
    yield* domainErrors(constraint, at);
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
      yield* choiceErrors(childPath(at, name), constraint[name], nodePolicies);
    }
    yield* matchLabelKeyErrors({ ...constraint, mismatchLabelKeys: [] }, at);
    yield* labelSelectorErrors(constraint.labelSelector ?? undefined, childPath(at, 'labelSelector'));
  }
}

function* constraintErrors(constraint: JsonObject, path: string): Generator<FieldError> {
  yield* positiveErrors(childPath(path, 'maxSkew'), numberOf(constraint.maxSkew));
  if (textOf(constraint.topologyKey) === '') yield required(childPath(path, 'topologyKey'), 'can not be empty');
  const action = textOf(constraint.whenUnsatisfiable);
  if (!actions.includes(action)) yield notSupported(childPath(path, 'whenUnsatisfiable'), action, actions);
}

function* domainErrors(constraint: JsonObject, path: string): Generator<FieldError> {
  if (!isSet(constraint.minDomains)) return;
  const at = childPath(path, 'minDomains');
  const domains = numberOf(constraint.minDomains);
  const action = textOf(constraint.whenUnsatisfiable);
  yield* positiveErrors(at, domains);
  if (action === 'DoNotSchedule') return;
  yield invalid(at, domains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`);
}

function positiveErrors(path: string, value: number): FieldError[] {
  return value > 0 ? [] : [invalid(path, value, 'must be greater than zero')];
}
