import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  parameter,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../cel-type.ts';
import { EvaluationError } from '../meter.ts';
import { method, type Overload, overload, signature } from '../overload.ts';
import {
  type CelDuration,
  type CelList,
  type CelMap,
  type CelTimestamp,
  CelTypeName,
  type CelUint,
  type CelValue,
  typeNameOf,
} from '../value.ts';
import { codePointCount } from './code-points.ts';
import { formatDouble } from './format-double.ts';
import { floorDivide, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './go-time.ts';
import { checkedInt, checkedTimestamp, checkedUint } from './ranges.ts';

const A = parameter('A');
const B = parameter('B');
const same = ([value]: readonly [CelValue]): CelValue => value;

/** The CEL functions that convert between types, and the functions `type` and `size`. */
export const conversions: readonly Overload[] = [
  overload('dyn', 'to_dyn', signature([A], DYN), same),
  overload(
    'type',
    'type',
    signature([A], typeOf(A)),
    ([value]: readonly [CelValue]) => new CelTypeName(typeNameOf(value)),
  ),

  overload('bool', 'bool_to_bool', signature([BOOL], BOOL), same),
  overload('bool', 'string_to_bool', signature([STRING], BOOL), ([text]: readonly [string]) => {
    if (['true', 'True', 'TRUE', 't', 'T', '1'].includes(text)) return true;
    if (['false', 'False', 'FALSE', 'f', 'F', '0'].includes(text)) return false;
    throw failed('string', 'bool');
  }),

  overload('int', 'int64_to_int64', signature([INT], INT), same),
  overload('int', 'uint64_to_int64', signature([UINT], INT), ([value]: readonly [CelUint]) => checkedInt(value.value)),
  overload('int', 'double_to_int64', signature([DOUBLE], INT), ([value]: readonly [number]) =>
    BigInt(truncated(value, 2 ** 63)),
  ),
  overload('int', 'string_to_int64', signature([STRING], INT), ([text]: readonly [string]) => {
    if (!/^[+-]?\d+$/.test(text) || text.length > 20) throw failed('string', 'int');
    return checkedInt(BigInt(text.replace('+', '')));
  }),
  overload('int', 'timestamp_to_int64', signature([TIMESTAMP], INT), ([stamp]: readonly [CelTimestamp]) =>
    floorDivide(stamp.nanos, 1_000_000_000n),
  ),
  overload('int', 'duration_to_int64', signature([DURATION], INT), ([length]: readonly [CelDuration]) => length.nanos),

  overload('uint', 'uint64_to_uint64', signature([UINT], UINT), same),
  overload('uint', 'int64_to_uint64', signature([INT], UINT), ([value]: readonly [bigint]) => checkedUint(value)),
  overload('uint', 'double_to_uint64', signature([DOUBLE], UINT), ([value]: readonly [number]) =>
    checkedUint(BigInt(truncated(value, 2 ** 64))),
  ),
  overload('uint', 'string_to_uint64', signature([STRING], UINT), ([text]: readonly [string]) => {
    if (!/^\d+$/.test(text) || text.length > 20) throw failed('string', 'uint');
    return checkedUint(BigInt(text));
  }),

  overload('double', 'double_to_double', signature([DOUBLE], DOUBLE), same),
  overload('double', 'int64_to_double', signature([INT], DOUBLE), ([value]: readonly [bigint]) => Number(value)),
  overload('double', 'uint64_to_double', signature([UINT], DOUBLE), ([value]: readonly [CelUint]) =>
    Number(value.value),
  ),
  overload('double', 'string_to_double', signature([STRING], DOUBLE), ([text]: readonly [string]) => parseDouble(text)),

  overload('string', 'string_to_string', signature([STRING], STRING), same),
  overload('string', 'bool_to_string', signature([BOOL], STRING), ([value]: readonly [boolean]) => String(value)),
  overload('string', 'int64_to_string', signature([INT], STRING), ([value]: readonly [bigint]) => value.toString()),
  overload('string', 'uint64_to_string', signature([UINT], STRING), ([value]: readonly [CelUint]) =>
    value.value.toString(),
  ),
  overload('string', 'double_to_string', signature([DOUBLE], STRING), ([value]: readonly [number]) =>
    formatDouble(value),
  ),
  overload('string', 'bytes_to_string', signature([BYTES], STRING), ([bytes]: readonly [Uint8Array]) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
    }
  }),
  overload('string', 'timestamp_to_string', signature([TIMESTAMP], STRING), ([stamp]: readonly [CelTimestamp]) =>
    formatTimestamp(stamp),
  ),
  overload('string', 'duration_to_string', signature([DURATION], STRING), ([length]: readonly [CelDuration]) =>
    formatDuration(length),
  ),

  overload('bytes', 'bytes_to_bytes', signature([BYTES], BYTES), same),
  overload('bytes', 'string_to_bytes', signature([STRING], BYTES), ([text]: readonly [string]) =>
    new TextEncoder().encode(text),
  ),

  overload('timestamp', 'timestamp_to_timestamp', signature([TIMESTAMP], TIMESTAMP), same),
  overload('timestamp', 'int64_to_timestamp', signature([INT], TIMESTAMP), ([seconds]: readonly [bigint]) =>
    checkedTimestamp(seconds * 1_000_000_000n),
  ),
  overload('timestamp', 'string_to_timestamp', signature([STRING], TIMESTAMP), ([text]: readonly [string]) => {
    const stamp = parseTimestamp(text);
    if (stamp === undefined) throw failed('string', 'google.protobuf.Timestamp');
    return stamp;
  }),
  overload('duration', 'duration_to_duration', signature([DURATION], DURATION), same),
  overload('duration', 'string_to_duration', signature([STRING], DURATION), ([text]: readonly [string]) => {
    const length = parseDuration(text);
    if (length === undefined) throw failed('string', 'google.protobuf.Duration');
    return length;
  }),

  ...[overload, method].flatMap((form) => {
    const prefix = form === method ? '' : 'size_';
    const suffix = form === method ? '_size' : '';
    return [
      form('size', `${prefix}string${suffix}`, signature([STRING], INT), ([text]: readonly [string], { meter }) => {
        meter.work(text.length >> 2);
        return BigInt(codePointCount(text));
      }),
      form('size', `${prefix}bytes${suffix}`, signature([BYTES], INT), ([bytes]: readonly [Uint8Array]) =>
        BigInt(bytes.length),
      ),
      form('size', `${prefix}list${suffix}`, signature([listOf(A)], INT), ([list]: readonly [CelList]) =>
        BigInt(list.size),
      ),
      form('size', `${prefix}map${suffix}`, signature([mapOf(A, B)], INT), ([map]: readonly [CelMap]) =>
        BigInt(map.size),
      ),
    ];
  }),
];

function failed(from: string, to: string): EvaluationError {
  return new EvaluationError(`type conversion error from '${from}' to '${to}'`);
}

function truncated(value: number, limit: number): number {
  if (!Number.isFinite(value) || value >= limit || value <= -limit) throw new EvaluationError('integer overflow');
  return Math.trunc(value);
}

function parseDouble(text: string): number {
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw failed('string', 'double');
  const value = Number(text);
  if (!Number.isFinite(value)) throw failed('string', 'double');
  return value;
}
