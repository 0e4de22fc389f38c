import type { JsonValue } from '@flotilla/json';
import { DYN } from './cel-type.ts';
import { compileExpression } from './compile-expression.ts';
import { dynamicValue } from './dynamic-value.ts';
import { formatDuration, formatTimestamp } from './library/go-time.ts';
import { libraryFunctions, libraryTypes } from './library/library.ts';
import { CostExceeded, EvaluationError, Meter } from './meter.ts';
import { loadParser } from './parse.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeName,
  CelUint,
  type CelValue,
} from './value.ts';

export interface CelResult {
  readonly value?: unknown;
  readonly error?: string;
  readonly fault?: string;
  readonly cost: number;
}

/** Compiles and runs a CEL expression. Its variables have dynamic types. */
export async function runCel(text: string, variables: Readonly<Record<string, JsonValue>> = {}): Promise<CelResult> {
  const program = compileExpression(await loadParser(), text, {
    variables: new Map(Object.keys(variables).map((name) => [name, DYN])),
    functions: libraryFunctions(),
    types: libraryTypes,
  });
  if ('fault' in program) return { fault: program.fault, cost: 0 };
  const meter = new Meter();
  try {
    const value = program.run((name) => dynamicValue(variables[name] as JsonValue), { meter });
    return { value: comparable(value), cost: meter.cost };
  } catch (error) {
    if (!(error instanceof EvaluationError) && !(error instanceof CostExceeded)) throw error;
    return { error: error.message, cost: meter.cost };
  }
}

/** Converts a CEL value to plain JavaScript values, which tests can compare. */
export function comparable(value: CelValue): unknown {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelList) return [...value].map(comparable);
  if (value instanceof CelMap) {
    return Object.fromEntries(
      [...value.keys()].map((key) => [String(comparable(key)), comparable(value.find(key) as CelValue)]),
    );
  }
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTypeName) return `type ${value.name}`;
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : { some: comparable(value.value) };
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  return value;
}
