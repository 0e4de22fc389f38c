import {
  BOOL,
  type CelType,
  compileExpression,
  type DeclaredType,
  DYN,
  describeType,
  type Environment,
  estimateCost,
  libraryFunctions,
  libraryTypes,
  loadParser,
  MAX_COMPILE_WORK,
  mapOf,
  opaque,
  type Parse,
  STRING,
  tooMuchToCompile,
  WORK_PER_SLICE,
} from '@flotilla/cel';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required, tooLong, tooMany } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { WorkBudget } from '../../../lib/work-budget.ts';
import { listOf, memberAt, textOf } from '../rules/checks.ts';

const maxSelectors = 32;
const maxExpressionBytes = 10 * 1024;
const maxCost = 1_000_000;
const maxEntries = 32;

function sized(type: CelType, maxElements: number): DeclaredType {
  return { type, maxElements, minSize: 1 };
}

function mapWith(key: DeclaredType, element: DeclaredType, more: Partial<DeclaredType> = {}): DeclaredType {
  return { type: mapOf(key.type, element.type), maxElements: maxEntries, minSize: 2, key, element, ...more };
}

const domain = sized(STRING, 63);
const id = sized(STRING, 32);
const attribute = sized(DYN, 64);

const deviceFields: ReadonlyMap<string, DeclaredType> = new Map([
  ['allowMultipleAllocations', sized(BOOL, 1)],
  ['driver', sized(STRING, 63)],
  ['attributes', mapWith(domain, mapWith(id, attribute, { otherFields: attribute }))],
  ['capacity', mapWith(domain, mapWith(id, sized(opaque('kubernetes.Quantity'), 0)))],
]);

/** The variable `device` of the expressions. */
const device: DeclaredType = {
  type: {
    kind: 'object',
    name: 'kubernetes.DRADevice',
    fields: new Map([...deviceFields].map(([name, { type }]) => [name, type])),
  },
  maxElements: 0,
  minSize: 2,
  fields: deviceFields,
};

/** The error of one expression at a path. `undefined` if the expression is valid. */
type Fault = ((path: string) => FieldError) | undefined;

/** The errors of compiled expressions, by the text of the expression. */
export type SelectorFaults = ReadonlyMap<string, Fault>;

let environment: Environment | undefined;

/** Compiles the CEL expressions of the selectors in an object, and limits their cost. */
export async function compileSelectors(object: JsonValue): Promise<SelectorFaults> {
  const faults = new Map<string, Fault>();
  const texts = new Set(expressionsIn(object));
  if (texts.size === 0) return faults;
  const parse = await loadParser();
  const work = new WorkBudget(WORK_PER_SLICE);
  let total = 0;
  for (const text of texts) {
    if (work.spend(text.length)) await work.next();
    total += text.length;
    const charge = (characters: number) => {
      total += characters;
      work.spend(characters);
    };
    const fault = total > MAX_COMPILE_WORK ? tooMuch(text) : faultOf(parse, text, charge);
    faults.set(text, fault);
  }
  return faults;
}

function tooMuch(text: string): Fault {
  return (path) => invalid(path, text, tooMuchToCompile('expressions of the selectors'));
}

function faultOf(parse: Parse, text: string, charge: (characters: number) => void): Fault {
  environment ??= {
    variables: new Map([['device', device.type]]),
    functions: libraryFunctions(),
    types: libraryTypes,
  };
  const program = compileExpression((source) => parse(source, { bindings: true }), text, environment, charge);
  if ('fault' in program) {
    const { fault } = program;
    if (program.failsAlways !== true) return (path) => invalid(path, text, `compilation failed: ${fault}`);
    const message = `Internal error: program instantiation failed: ${fault}`;
    return (path) => ({ type: 'InternalError', field: path, message });
  }
  const { kind } = program.type;
  if (kind !== 'bool' && kind !== 'dyn') {
    const detail = `must evaluate to bool or the unknown type, not ${describeType(program.type)}`;
    return (path) => invalid(path, text, detail);
  }
  if (estimateCost(program.expression, device) <= maxCost) return undefined;
  return (path) => forbiddenField(path, 'too complex, exceeds cost limit');
}

/**
 * Returns the expressions of all lists of selectors in an object. Omits lists and expressions that are refused because
 * of their size.
 */
function* expressionsIn(value: JsonValue): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* expressionsIn(item);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'opaque') continue;
      const selectors = name === 'selectors' ? listOf(member) : [];
      if (selectors.length > 0 && selectors.length <= maxSelectors) {
        const texts = selectors.map((selector) => memberAt(selector, ['cel', 'expression']));
        for (const text of texts.map(textOf)) if (byteLength(text) <= maxExpressionBytes) yield text;
      } else yield* expressionsIn(member);
    }
  }
}

/** Returns the errors of the selectors of a struct. */
export function* selectorErrors(parent: JsonObject, path: string, faults: SelectorFaults): Generator<FieldError> {
  const at = childPath(path, 'selectors');
  const selectors = listOf(parent.selectors);
  if (selectors.length > maxSelectors) {
    yield tooMany(at, selectors.length, maxSelectors);
    return;
  }
  for (const [index, selector] of selectors.entries()) {
    const cel = childPath(indexPath(at, index), 'cel');
    if (memberAt(selector, ['cel']) === undefined) yield required(cel);
    else {
      const text = textOf(memberAt(selector, ['cel', 'expression']));
      const expression = childPath(cel, 'expression');
      const fault = faults.get(text)?.(expression);
      if (byteLength(text) > maxExpressionBytes) yield tooLong(expression, maxExpressionBytes);
      else if (fault !== undefined) yield fault;
    }
  }
}
