export {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  describeType,
  INT,
  listOf,
  mapOf,
  type ObjectType,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
} from './cel-type.ts';
export {
  type CompileError,
  compileExpression,
  MAX_COMPILE_WORK,
  type Program,
  tooMuchToCompile,
  WORK_PER_SLICE,
} from './compile-expression.ts';
export { estimateCost } from './cost/estimate-cost.ts';
export { MAX_VALUE } from './cost/span.ts';
export type { DeclaredType } from './declared-type.ts';
export { dynamicValue } from './dynamic-value.ts';
export { type Environment, groupOverloads } from './environment.ts';
export { equalValues } from './equality.ts';
export type { Bindings } from './evaluate.ts';
export type { AccessCheck, AccessDecision, Evaluation } from './evaluation.ts';
export { jsonOfValue, messageTypeError } from './json-of-value.ts';
export { parseDuration, parseTimestamp } from './library/go-time.ts';
export { libraryFunctions, libraryTypes } from './library/library.ts';
export { CostExceeded, EvaluationError, Meter } from './meter.ts';
export { method, type Overload, overload, signature } from './overload.ts';
export { loadParser, type Parse } from './parse.ts';
export { CelList, CelMap, CelMessage, CelOpaque, CelOptional, type CelValue } from './value.ts';
