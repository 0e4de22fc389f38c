import { isJsonObject, type JsonObject } from '@flotilla/json';
import { formatQuantity, parseQuantity, type Quantity } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, forbiddenField, invalid, required, tooMany } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { listOf, textOf } from '../rules/checks.ts';

const maxOptions = 10;
const unit = 1_000_000_000n;

/** Returns the errors of the policy that specifies which amounts of a capacity claims may request. */
export function* capacityPolicyErrors(capacity: string, policy: JsonObject, path: string): Generator<FieldError> {
  const hasOptions = listOf(policy.validValues).length > 0;
  const { validRange } = policy;
  const standard = policy.default;
  if (hasOptions && isJsonObject(validRange)) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    yield forbiddenField(path, detail);
  } else if (!hasOptions && !isJsonObject(validRange)) return;
  else if (typeof standard !== 'string') {
    yield required(childPath(path, 'default'), `required when ${hasOptions ? 'validValues' : 'validRange'} is defined`);
  } else if (hasOptions) {
    const options = listOf(policy.validValues).map(textOf);
    yield* optionErrors(options, childPath(path, 'validValues'), capacity, standard);
  } else if (isJsonObject(validRange)) {
    yield* new RangeRules(capacity, standard, validRange, childPath(path, 'validRange')).errors();
  }
}

function amountOf(text: string): bigint {
  return parseQuantity(text).billionths;
}

/** Returns the amount as a whole number, rounded away from zero as in Kubernetes. */
function wholeOf(text: string): bigint {
  const billionths = amountOf(text);
  const whole = billionths / unit;
  if (billionths % unit === 0n) return whole;
  return billionths > 0n ? whole + 1n : whole - 1n;
}

function* optionErrors(
  options: readonly string[],
  path: string,
  capacity: string,
  standard: string,
): Generator<FieldError> {
  for (const [index, option] of options.entries()) {
    const next = options[index + 1];
    if (next === undefined || amountOf(option) <= amountOf(next)) continue;
    yield invalid(indexPath(path, index + 1), next, 'values must be sorted in ascending order');
  }
  const isChecked = options.length <= maxOptions;
  if (!isChecked) yield tooMany(path, options.length, maxOptions);
  else {
    for (const [index, option] of options.entries()) {
      if (amountOf(option) <= amountOf(capacity)) continue;
      yield invalid(indexPath(path, index), option, `option is larger than capacity value: ${capacity}`);
    }
    const known = new Set<bigint>();
    for (const [index, option] of options.entries()) {
      const whole = wholeOf(option);
      if (known.has(whole)) yield duplicate(indexPath(path, index), String(whole));
      known.add(whole);
    }
  }
  if (isChecked && options.some((option) => amountOf(option) === amountOf(standard))) return;
  yield invalid(path, standard, 'default value is not valid according to the requestPolicy');
}

/** The rules of a range of amounts. */
class RangeRules {
  readonly #capacity: string;
  readonly #standard: string;
  readonly #range: JsonObject;
  readonly #path: string;

  constructor(capacity: string, standard: string, range: JsonObject, path: string) {
    this.#capacity = capacity;
    this.#standard = standard;
    this.#range = range;
    this.#path = path;
  }

  *errors(): Generator<FieldError> {
    const { min, max, step } = this.#range;
    const at = childPath(this.#path, 'min');
    if (typeof min !== 'string') {
      yield required(at, 'required when validRange is defined');
      return;
    }
    yield* this.#tooLarge(min, 'min', `min is larger than capacity value: ${this.#capacity}`);
    if (amountOf(this.#standard) < amountOf(min)) yield invalid(at, this.#standard, `default is less than min: ${min}`);
    if (typeof max === 'string') yield* this.#maxErrors(min, max);
    if (typeof step === 'string') yield* this.#stepErrors(min, max, step);
  }

  *#maxErrors(min: string, max: string): Generator<FieldError> {
    const at = childPath(this.#path, 'max');
    if (amountOf(min) > amountOf(max)) yield invalid(at, min, `min is larger than max: ${max}`);
    yield* this.#tooLarge(max, 'max', `max is larger than capacity value: ${this.#capacity}`);
    if (amountOf(this.#standard) > amountOf(max)) yield invalid(at, this.#standard, `default is more than max: ${max}`);
  }

  *#stepErrors(min: string, max: unknown, step: string): Generator<FieldError> {
    const at = childPath(this.#path, 'step');
    const first: Quantity = { ...parseQuantity(min), billionths: amountOf(min) + amountOf(step) };
    if (first.billionths > amountOf(this.#capacity)) {
      yield invalid(at, step, `one step ${formatQuantity(first)} is larger than capacity value: ${this.#capacity}`);
    }
    const whole = wholeOf(step);
    if (whole === 0n) {
      yield invalid(at, step, 'must not be zero');
      return;
    }
    for (const value of [this.#standard, max]) {
      if (typeof value !== 'string' || (wholeOf(value) - wholeOf(min)) % whole === 0n) continue;
      yield invalid(at, value, `value is not a multiple of a given step (${step}) from (${min})`);
    }
  }

  *#tooLarge(value: string, member: string, detail: string): Generator<FieldError> {
    if (amountOf(value) > amountOf(this.#capacity)) yield invalid(childPath(this.#path, member), value, detail);
  }
}
