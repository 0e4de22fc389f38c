import { parseQuantity, type Quantity, QuantityError } from '@flotilla/kubernetes-formats';
import { BOOL, DOUBLE, INT, opaque, STRING } from '../cel-type.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import { CelOpaque } from '../value.ts';

const UNIT = 1_000_000_000n;
const QUANTITY = opaque('kubernetes.Quantity');

class CelQuantity extends CelOpaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly billionths: bigint;
  /**
   * True if the quantity was written with a decimal point. As in Kubernetes, such a quantity (`1.5Gi`) is never an
   * integer.
   */
  readonly isFraction: boolean;
  constructor(billionths: bigint, isFraction = false) {
    super();
    this.billionths = billionths;
    this.isFraction = isFraction;
  }
  equals(other: CelOpaque): boolean {
    return other instanceof CelQuantity && other.billionths === this.billionths;
  }
}

type One = readonly [CelQuantity];
type Two = readonly [CelQuantity, CelQuantity];
type WithInt = readonly [CelQuantity, bigint];

/** The CEL functions for Kubernetes quantities, such as `quantity("1.5Gi")`. */
export const quantities: readonly Overload[] = [
  overload('quantity', 'string_to_quantity', signature([STRING], QUANTITY), ([text]: readonly [string]) => {
    const found = parsed(text);
    if (found instanceof QuantityError) throw new EvaluationError(found.message);
    return new CelQuantity(found.billionths, /\..*i$/.test(text));
  }),
  overload(
    'isQuantity',
    'is_quantity_string',
    signature([STRING], BOOL),
    ([text]: readonly [string]) => !(parsed(text) instanceof QuantityError),
  ),
  overload('sign', 'quantity_sign', signature([QUANTITY], INT), ([{ billionths }]: One) => compare(billionths, 0n)),
  method(
    'isGreaterThan',
    'quantity_is_greater_than',
    signature([QUANTITY, QUANTITY], BOOL),
    ([a, b]: Two) => a.billionths > b.billionths,
  ),
  method(
    'isLessThan',
    'quantity_is_less_than',
    signature([QUANTITY, QUANTITY], BOOL),
    ([a, b]: Two) => a.billionths < b.billionths,
  ),
  method('compareTo', 'quantity_compare_to', signature([QUANTITY, QUANTITY], INT), ([a, b]: Two) =>
    compare(a.billionths, b.billionths),
  ),
  method(
    'asApproximateFloat',
    'quantity_get_float',
    signature([QUANTITY], DOUBLE),
    ([{ billionths }]: One) => Number(billionths / UNIT) + Number(billionths % UNIT) / 1e9,
  ),
  method('asInteger', 'quantity_get_int', signature([QUANTITY], INT), ([quantity]: One) => {
    if (!isInteger(quantity)) throw new EvaluationError('cannot convert value to integer');
    return quantity.billionths / UNIT;
  }),
  method('isInteger', 'quantity_is_integer', signature([QUANTITY], BOOL), ([quantity]: One) => isInteger(quantity)),
  method(
    'add',
    'quantity_add',
    signature([QUANTITY, QUANTITY], QUANTITY),
    ([a, b]: Two) => new CelQuantity(a.billionths + b.billionths, a.isFraction || b.isFraction),
  ),
  method(
    'add',
    'quantity_add_int',
    signature([QUANTITY, INT], QUANTITY),
    ([a, b]: WithInt) => new CelQuantity(a.billionths + b * UNIT, a.isFraction),
  ),
  method(
    'sub',
    'quantity_sub',
    signature([QUANTITY, QUANTITY], QUANTITY),
    ([a, b]: Two) => new CelQuantity(a.billionths - b.billionths, a.isFraction || b.isFraction),
  ),
  method(
    'sub',
    'quantity_sub_int',
    signature([QUANTITY, INT], QUANTITY),
    ([a, b]: WithInt) => new CelQuantity(a.billionths - b * UNIT, a.isFraction),
  ),
];

function parsed(text: string): Quantity | QuantityError {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return error;
    throw error;
  }
}

function compare(left: bigint, right: bigint): bigint {
  if (left === right) return 0n;
  return left < right ? -1n : 1n;
}

function isInteger({ billionths, isFraction }: CelQuantity): boolean {
  if (isFraction) return false;
  const size = billionths < 0n ? -billionths : billionths;
  return size % UNIT === 0n && size / UNIT < 2n ** 63n;
}
