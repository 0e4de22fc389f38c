import { type CelType, DYN } from './cel-type.ts';

/** The inferred types of the type parameters in function signatures, by parameter name. */
export type Substitutions = Pick<Map<string, CelType>, 'get' | 'set'>;

/**
 * The substitutions that one type check finds. They are discarded unless `keep` adds them to the known substitutions.
 * The known substitutions are not copied, because a copy for every check would make the type check of long expressions
 * quadratic.
 */
class Trial implements Substitutions {
  readonly #known: Substitutions;
  readonly #noted = new Map<string, CelType>();

  constructor(known: Substitutions) {
    this.#known = known;
  }

  get(name: string): CelType | undefined {
    return this.#noted.get(name) ?? this.#known.get(name);
  }

  set(name: string, type: CelType) {
    return this.#noted.set(name, type);
  }

  keep(): void {
    for (const [name, type] of this.#noted) this.#known.set(name, type);
  }
}

/** Reports whether a value of type `from` can be used as type `to`. If so, records the resulting substitutions. */
export function assignable(substitutions: Substitutions, from: CelType, to: CelType): boolean {
  const trial = new Trial(substitutions);
  if (!fits(trial, from, to)) return false;
  trial.keep();
  return true;
}

/**
 * Reports whether the arguments of a call (types `from`) can be used for its parameters (types `to`). Records the
 * resulting substitutions only if all arguments fit.
 */
export function allAssignable(substitutions: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  if (from.length !== to.length) return false;
  const trial = new Trial(substitutions);
  if (!from.every((type, index) => fits(trial, type, to[index] as CelType))) return false;
  trial.keep();
  return true;
}

function fits(substitutions: Substitutions, given: CelType, wanted: CelType): boolean {
  const from = resolved(substitutions, given);
  const to = resolved(substitutions, wanted);
  if (wanted.kind === 'parameter') return fitsParameter(substitutions, from, wanted.name);
  if (given.kind === 'parameter') return fitsParameter(substitutions, to, given.name);
  if (from.kind === 'dyn' || to.kind === 'dyn') return true;
  if (from.kind === 'null_type' && to.kind !== 'null_type') return takesNull(to);
  if (to.kind === 'null_type' && from.kind !== 'null_type') return takesNull(from);
  if (from.kind === 'list') return to.kind === 'list' && fits(substitutions, from.element, to.element);
  if (from.kind === 'map') {
    return to.kind === 'map' && fits(substitutions, from.key, to.key) && fits(substitutions, from.value, to.value);
  }
  if (from.kind === 'opaque') {
    if (to.kind !== 'opaque' || to.name !== from.name) return false;
    return from.parameters.every((type, index) => fits(substitutions, type, to.parameters[index] as CelType));
  }
  if (from.kind === 'object') return to.kind === 'object' && to.name === from.name;
  return from.kind === to.kind;
}

function takesNull(type: CelType): boolean {
  switch (type.kind) {
    case 'object':
    case 'opaque':
    case 'google.protobuf.Timestamp':
    case 'google.protobuf.Duration':
      return true;
    default:
      return false;
  }
}

function fitsParameter(substitutions: Substitutions, from: CelType, name: string): boolean {
  if (from.kind === 'parameter' && from.name === name) return true;
  const bound = substitutions.get(name);
  if (bound === undefined) {
    if (mentions(from, name)) return false;
    substitutions.set(name, from);
    return true;
  }
  if (bound.kind === 'parameter') return fits(substitutions, from, bound);
  if (!fits(substitutions, from, bound)) return false;
  // Record the more general type: a list with one dynamic element is a list of dynamic elements.
  if (from.kind === 'dyn' || (bound.kind === 'null_type' && takesNull(from))) substitutions.set(name, from);
  return true;
}

function mentions(type: CelType, name: string): boolean {
  switch (type.kind) {
    case 'parameter':
      return type.name === name;
    case 'list':
      return mentions(type.element, name);
    case 'map':
      return mentions(type.key, name) || mentions(type.value, name);
    case 'opaque':
      return type.parameters.some((one) => mentions(one, name));
    case 'type':
      return mentions(type.of, name);
    default:
      return false;
  }
}

/** Follows a type parameter to its type, through other parameters if necessary. Does not resolve element types. */
function resolved(substitutions: Substitutions, type: CelType): CelType {
  let found = type;
  while (found.kind === 'parameter') {
    const next = substitutions.get(found.name);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

/** Replaces all type parameters in a type. With `final`, parameters without a known type become dynamic. */
export function substitute(substitutions: Substitutions, type: CelType, final: boolean): CelType {
  const inner = (one: CelType): CelType => substitute(substitutions, one, final);
  switch (type.kind) {
    case 'parameter': {
      const found = resolved(substitutions, type);
      if (found.kind === 'parameter') return final ? DYN : found;
      return inner(found);
    }
    case 'list':
      return { kind: 'list', element: inner(type.element) };
    case 'map':
      return { kind: 'map', key: inner(type.key), value: inner(type.value) };
    case 'opaque':
      return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(inner) };
    case 'type':
      return { kind: 'type', of: inner(type.of) };
    default:
      return type;
  }
}

/** Appends a suffix to the parameter names in a type, so that each call of a function infers its own types. */
export function withFreshParameters(type: CelType, suffix: string): CelType {
  const inner = (one: CelType): CelType => withFreshParameters(one, suffix);
  switch (type.kind) {
    case 'parameter':
      return { kind: 'parameter', name: `${type.name}${suffix}` };
    case 'list':
      return { kind: 'list', element: inner(type.element) };
    case 'map':
      return { kind: 'map', key: inner(type.key), value: inner(type.value) };
    case 'opaque':
      return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(inner) };
    case 'type':
      return { kind: 'type', of: inner(type.of) };
    default:
      return type;
  }
}

export function sameType(left: CelType, right: CelType): boolean {
  if (left.kind !== right.kind) return false;
  switch (left.kind) {
    case 'list':
      return sameType(left.element, (right as typeof left).element);
    case 'map':
      return sameType(left.key, (right as typeof left).key) && sameType(left.value, (right as typeof left).value);
    case 'object':
    case 'parameter':
      return left.name === (right as typeof left).name;
    case 'opaque': {
      const other = right as typeof left;
      return (
        left.name === other.name &&
        left.parameters.length === other.parameters.length &&
        left.parameters.every((type, index) => sameType(type, other.parameters[index] as CelType))
      );
    }
    case 'type':
      return sameType(left.of, (right as typeof left).of);
    default:
      return true;
  }
}
