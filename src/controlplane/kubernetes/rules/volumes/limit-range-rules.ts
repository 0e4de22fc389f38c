import { isJsonObject, type JsonObject } from '@flotilla/json';
import { parseQuantity, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { childPath, indexPath, keyPath } from '../../../../api/schema/field-path.ts';
import { listOf, memberAt, objectAt, textOf } from '../checks.ts';
import { containerResourceNameErrors, isHugePages, isNative, resourceNameErrors } from '../resource-checks.ts';

const types = ['Container', 'PersistentVolumeClaim', 'Pod'];
const unit = 1_000_000_000n;
/** Amounts below this are compared with a precision of thousandths. */
const maxMilliAmount = (2n ** 63n - 1n) / 1000n;

type Amounts = 'min' | 'max' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

function typeErrors(type: string, path: string): FieldError[] {
  const faults = qualifiedNameFaults(type);
  if (faults.length > 0) return faults.map((fault) => invalid(path, type, fault));
  if (type.includes('/') || types.includes(type)) return [];
  return [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

/** Returns the errors of the resource names in a member of a limit, such as `max`. */
function* nameErrors(limit: JsonObject, member: Amounts, path: string): Generator<FieldError> {
  const errorsOf =
    limit.type === 'Pod' || limit.type === 'Container' ? containerResourceNameErrors : resourceNameErrors;
  for (const name of Object.keys(objectAt(limit, member))) {
    yield* errorsOf(name, keyPath(childPath(path, member), name));
  }
}

function* limitErrors(limit: JsonObject, path: string): Generator<FieldError> {
  yield* nameErrors(limit, 'max', path);
  yield* nameErrors(limit, 'min', path);
  const isPod = limit.type === 'Pod';
  for (const member of ['default', 'defaultRequest'] as const) {
    if (!isPod) yield* nameErrors(limit, member, path);
    else if (Object.keys(objectAt(limit, member)).length > 0) {
      yield forbiddenField(childPath(path, member), "may not be specified when `type` is 'Pod'");
    }
  }
  const hasStorage = ['min', 'max'].some((member) => Object.hasOwn(objectAt(limit, member), 'storage'));
  if (limit.type === 'PersistentVolumeClaim' && !hasStorage) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    yield required(childPath(path, 'limits'), detail);
  }
  yield* nameErrors(limit, 'maxLimitRequestRatio', path);
  const members: readonly Amounts[] = isPod
    ? ['max', 'min', 'maxLimitRequestRatio']
    : ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];
  const names = new Set(members.flatMap((member) => Object.keys(objectAt(limit, member))));
  for (const name of names) yield* new ResourceLimits(limit, members, name).errors(path);
}

/** A pair of amounts. The first must not be greater than the second. */
interface Order {
  readonly smaller: Amounts;
  readonly larger: Amounts;
  /**
   * `at` is the member that the path of the error names. `shown` is the member whose amount the error message contains.
   */
  readonly at: Amounts;
  readonly shown: Amounts;
  readonly names: readonly [smaller: string, larger: string];
}

const least = 'min value';
const most = 'max value';
const request = 'default request value';

/** The pairs of amounts that Kubernetes compares, in the order of its checks. */
const orders: readonly Order[] = [
  { smaller: 'min', larger: 'max', at: 'min', shown: 'min', names: [least, most] },
  { smaller: 'min', larger: 'defaultRequest', at: 'defaultRequest', shown: 'defaultRequest', names: [least, request] },
  { smaller: 'defaultRequest', larger: 'max', at: 'defaultRequest', shown: 'defaultRequest', names: [request, most] },
  {
    smaller: 'defaultRequest',
    larger: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    names: [request, 'default limit value'],
  },
  { smaller: 'min', larger: 'default', at: 'default', shown: 'min', names: [least, 'default value'] },
  { smaller: 'default', larger: 'max', at: 'default', shown: 'max', names: ['default value', most] },
];

/** Returns a number of units, rounded away from zero. */
function roundedUp(billionths: bigint, unitSize: bigint): bigint {
  const rest = billionths % unitSize;
  if (rest === 0n) return billionths / unitSize;
  return billionths / unitSize + (billionths > 0n ? 1n : -1n);
}

/** The limits for one resource. */
class ResourceLimits {
  readonly #name: string;
  readonly #texts = new Map<Amounts, string>();

  constructor(limit: JsonObject, members: readonly Amounts[], name: string) {
    this.#name = name;
    for (const member of members) {
      const text = memberAt(limit, [member, name]);
      if (typeof text === 'string') this.#texts.set(member, text);
    }
  }

  *errors(path: string): Generator<FieldError> {
    for (const order of orders) yield* this.#orderErrors(path, order);
    yield* this.#ratioErrors(keyPath(childPath(path, 'maxLimitRequestRatio'), this.#name));
    yield* this.#overcommitErrors(keyPath(childPath(path, 'defaultRequest'), this.#name));
  }

  *#orderErrors(path: string, { smaller, larger, at, shown, names }: Order): Generator<FieldError> {
    const [less, more] = [this.#amount(smaller), this.#amount(larger)];
    if (less === undefined || more === undefined || less <= more) return;
    const [lessText, moreText] = [this.#texts.get(smaller), this.#texts.get(larger)];
    const detail = `${names[0]} ${lessText} is greater than ${names[1]} ${moreText}`;
    yield invalid(keyPath(childPath(path, at), this.#name), this.#texts.get(shown), detail);
  }

  #amount(member: Amounts): bigint | undefined {
    const text = this.#texts.get(member);
    return text === undefined ? undefined : parseQuantity(text).billionths;
  }

  *#ratioErrors(path: string): Generator<FieldError> {
    const ratio = this.#amount('maxLimitRequestRatio');
    const text = this.#texts.get('maxLimitRequestRatio');
    if (ratio === undefined || text === undefined) return;
    if (ratio < unit) yield invalid(path, text, `ratio ${text} is less than 1`);
    const [min, max] = [this.#amount('min'), this.#amount('max')];
    if (min === undefined || max === undefined) return;
    const isPrecise = [ratio, min, max].every((amount) => roundedUp(amount, unit) < maxMilliAmount);
    const scale = isPrecise ? 1_000_000n : unit;
    const highest = Number(roundedUp(max, scale)) / Number(roundedUp(min, scale));
    if (Number(roundedUp(ratio, scale)) / (isPrecise ? 1000 : 1) > highest) {
      yield invalid(path, text, `ratio ${text} is greater than max/min = ${highest.toFixed(6)}`);
    }
  }

  *#overcommitErrors(path: string): Generator<FieldError> {
    const [limit, request] = [this.#amount('default'), this.#amount('defaultRequest')];
    const mayDiffer = isNative(this.#name) && !isHugePages(this.#name);
    if (mayDiffer || limit === undefined || request === undefined || limit === request) return;
    const [limitText, requestText] = [this.#texts.get('default'), this.#texts.get('defaultRequest')];
    const detail = `default value ${limitText} must equal to defaultRequest value ${requestText} in ${this.#name}`;
    yield invalid(path, requestText, detail);
  }
}

export function* limitRangeErrors(object: KubeObject): Generator<FieldError> {
  const known = new Set<string>();
  for (const [index, limit] of listOf(memberAt(object as JsonObject, ['spec', 'limits'])).entries()) {
    if (!isJsonObject(limit)) continue;
    const path = indexPath('spec.limits', index);
    const type = textOf(limit.type);
    yield* typeErrors(type, childPath(path, 'type'));
    if (known.has(type)) yield duplicate(childPath(path, 'type'), type);
    known.add(type);
    yield* limitErrors(limit, path);
  }
}
