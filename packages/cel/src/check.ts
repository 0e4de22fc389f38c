import { allAssignable, assignable, type Substitutions, sameType, substitute, withFreshParameters } from './assign.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  describeType,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  parameter,
  STRING,
  typeOf,
  UINT,
} from './cel-type.ts';
import type { Environment } from './environment.ts';
import type { Call, Comprehension, Expression, MessageExpression, Select } from './expression.ts';
import type { Issue } from './issues.ts';
import type { Overload } from './overload.ts';
import { CelTypeName, CelUint, type CelValue } from './value.ts';

export interface CheckResult {
  readonly type: CelType;
  readonly issues: readonly Issue[];
  /** The variables of the environment that the expression uses. */
  readonly usedVariables: ReadonlySet<string>;
}

/**
 * Determines the type of an expression and of all of its subexpressions, and the overloads that its calls may use.
 * Collects all issues instead of stopping at the first one.
 */
export function checkExpression(expression: Expression, environment: Environment): CheckResult {
  const checker = new Checker(environment);
  const type = checker.check(expression);
  checker.resolveTypes();
  const issues = checker.issues.sort((a, b) => a.at - b.at);
  return { type: checker.final(type), issues, usedVariables: checker.used };
}

class Checker {
  readonly issues: Issue[] = [];
  readonly used = new Set<string>();
  readonly #environment: Environment;
  readonly #substitutions: Substitutions = new Map();
  readonly #seen: Expression[] = [];
  #scopes: Map<string, CelType>[] = [];
  #fresh = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  final(type: CelType): CelType {
    return substitute(this.#substitutions, type, true);
  }

  resolveTypes(): void {
    for (const one of this.#seen) one.type = this.final(one.type ?? DYN);
  }

  check(expression: Expression): CelType {
    const type = this.#typeOf(expression);
    expression.type = type;
    this.#seen.push(expression);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case 'constant':
        return constantType(expression.value);
      case 'identifier': {
        const found = this.#variable(expression.name);
        if (found !== undefined) return found;
        const type = this.#environment.types.get(expression.name);
        if (type === undefined) return this.#undeclared(expression.at, expression.name);
        expression.folded = new CelTypeName(expression.name);
        return typeOf(type);
      }
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return listOf(this.#commonType(expression.elements) ?? this.#parameter());
      case 'map': {
        const key = this.#commonType(expression.entries.map(([one]) => one)) ?? this.#parameter();
        const value = this.#commonType(expression.entries.map(([, one]) => one)) ?? this.#parameter();
        return mapOf(key, value);
      }
      case 'message':
        return this.#message(expression);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #message({ at, typeName, fields }: MessageExpression): CelType {
    const type = this.#environment.messageType?.(typeName);
    for (const { name, value, at: place, isOptional } of fields) {
      const given = this.check(value);
      if (type === undefined) continue;
      const wanted = type.fields.get(name) ?? type.otherFields;
      if (wanted === undefined) {
        this.issues.push({ at: place, message: `undefined field '${name}'` });
      } else if (!assignable(this.#substitutions, given, isOptional ? optionalOf(wanted) : wanted)) {
        const found = describeType(this.#partial(given));
        const message = `expected type of field '${name}' is '${describeType(wanted)}' but provided type is '${found}'`;
        this.issues.push({ at: place, message });
      }
    }
    return type ?? this.#undeclared(at, typeName);
  }

  #variable(name: string): CelType | undefined {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const type = this.#scopes[at]?.get(name);
      if (type !== undefined) return type;
    }
    const type = this.#environment.variables.get(name);
    if (type !== undefined) this.used.add(name);
    return type;
  }

  #undeclared(at: number, name: string): CelType {
    this.issues.push({ at, message: `undeclared reference to '${name}' (in container '')` });
    return DYN;
  }

  #parameter(): CelType {
    return parameter(`%${this.#fresh++}`);
  }

  /**
   * Returns the common type of the elements of a list or map literal. The type is dynamic if the elements have
   * different types; `checkLiterals` then reports an issue.
   */
  #commonType(elements: readonly Expression[]): CelType | undefined {
    let common: CelType | undefined;
    for (const element of elements) {
      const type = this.check(element);
      if (common === undefined) common = type;
      else if (this.#partial(type).kind === 'dyn' || !assignable(this.#substitutions, type, common)) common = DYN;
    }
    return common;
  }

  #partial(type: CelType): CelType {
    return substitute(this.#substitutions, type, false);
  }

  #select(expression: Select): CelType {
    const name = expression.test ? undefined : qualifiedName(expression);
    const variable = name === undefined ? undefined : this.#environment.variables.get(name);
    if (name !== undefined && variable !== undefined) {
      expression.variable = name;
      this.used.add(name);
      return variable;
    }
    if (name !== undefined && this.#variable(name.slice(0, name.indexOf('.'))) === undefined) {
      const type = this.#environment.types.get(name);
      if (type !== undefined) {
        expression.folded = new CelTypeName(name);
        return typeOf(type);
      }
    }
    const field = this.#field(expression.at, this.check(expression.operand), expression.field);
    return expression.test ? BOOL : field;
  }

  #field(at: number, operand: CelType, field: string): CelType {
    const type = this.#partial(operand);
    switch (type.kind) {
      case 'dyn':
        return DYN;
      case 'parameter':
        // Nothing is known about the operand's type, so it becomes dynamic for the rest of the expression.
        assignable(this.#substitutions, DYN, type);
        return DYN;
      case 'map':
        return type.value;
      case 'object': {
        const found = type.fields.get(field) ?? type.otherFields;
        if (found !== undefined) return found;
        this.issues.push({ at, message: `undefined field '${field}'` });
        return DYN;
      }
      case 'opaque':
        if (type.name === 'optional_type')
          return optionalOf(unwrapped(this.#field(at, type.parameters[0] as CelType, field)));
        break;
    }
    this.issues.push({ at, message: `type '${describeType(type)}' does not support field selection` });
    return DYN;
  }

  #call(expression: Call): CelType {
    if (expression.name === '_?._') return this.#optionalField(expression);
    if (expression.name === '_&&_' || expression.name === '_||_') {
      for (const one of expression.args) this.#expect(one, BOOL);
      return BOOL;
    }
    const target = expression.target;
    if (target !== undefined) {
      const prefix = qualifiedName(target);
      const name = prefix === undefined ? undefined : `${prefix}.${expression.name}`;
      if (name !== undefined && this.#environment.functions.has(name)) {
        expression.qualified = true;
        return this.#resolve(expression, name, false, expression.args);
      }
    }
    const all = target === undefined ? expression.args : [target, ...expression.args];
    return this.#resolve(expression, expression.name, target !== undefined, all);
  }

  #optionalField(expression: Call): CelType {
    const [operand, field] = expression.args as [Expression, Expression];
    const type = this.check(operand);
    field.type = STRING;
    const name = field.kind === 'constant' ? String(field.value) : '';
    return optionalOf(unwrapped(this.#field(expression.at, type, name)));
  }

  #resolve(expression: Call, name: string, method: boolean, args: readonly Expression[]): CelType {
    const types = args.map((one) => this.check(one));
    // The operand is dynamic, so it may be a list or a map. The type of the index can only be checked at run time.
    if ((name === '_[_]' || name === '_[?_]') && types[0]?.kind === 'dyn') types[1] = DYN;
    const candidates = this.#environment.functions.get(name);
    if (candidates === undefined) return this.#undeclared(expression.at, name);
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const one of candidates) {
      if (one.method !== method) continue;
      const suffix = `%${this.#fresh++}`;
      const parameters = one.parameters.map((type) => withFreshParameters(type, suffix));
      if (!allAssignable(this.#substitutions, types, parameters)) continue;
      fitting.push(one);
      const type = this.#partial(withFreshParameters(one.result, suffix));
      result = result === undefined || sameType(result, type) ? type : DYN;
    }
    if (result === undefined) {
      const given = types.map((type) => describeType(this.final(type)));
      const applied = method ? `${given[0]}.(${given.slice(1).join(', ')})` : `(${given.join(', ')})`;
      this.issues.push({
        at: expression.at,
        message: `found no matching overload for '${name}' applied to '${applied}'`,
      });
      return DYN;
    }
    expression.overloads = fitting;
    return result;
  }

  #comprehension(expression: Comprehension): CelType {
    const range = this.#partial(this.check(expression.range));
    const initial = this.check(expression.initial);
    const [first, second] = this.#elementTypes(expression.range, range);
    const outer = this.#scopes;
    const accumulated = new Map([[expression.accumulator, initial]]);
    const loop = new Map<string, CelType>();
    if (expression.second === undefined) {
      loop.set(expression.variable, range.kind === 'list' ? second : first);
    } else {
      loop.set(expression.variable, first);
      loop.set(expression.second, second);
    }
    this.#scopes = [...outer, accumulated, loop];
    this.#expect(expression.condition, BOOL);
    this.#expect(expression.step, initial);
    this.#scopes = [...outer, accumulated];
    const type = this.check(expression.result);
    this.#scopes = outer;
    return this.#partial(type);
  }

  #elementTypes(expression: Expression, range: CelType): readonly [CelType, CelType] {
    if (range.kind === 'list') return [INT, range.element];
    if (range.kind === 'map') return [range.key, range.value];
    if (range.kind === 'parameter') assignable(this.#substitutions, DYN, range);
    else if (range.kind !== 'dyn') {
      const name = describeType(range);
      const message = `expression of type '${name}' cannot be range of a comprehension (must be list, map, or dynamic)`;
      this.issues.push({ at: expression.at, message });
    }
    return [DYN, DYN];
  }

  #expect(expression: Expression, wanted: CelType): void {
    const type = this.check(expression);
    if (assignable(this.#substitutions, type, wanted)) return;
    const expected = describeType(this.#partial(wanted));
    const message = `expected type '${expected}' but found '${describeType(this.#partial(type))}'`;
    this.issues.push({ at: expression.at, message });
  }
}

function unwrapped(type: CelType): CelType {
  return type.kind === 'opaque' && type.name === 'optional_type' ? (type.parameters[0] as CelType) : type;
}

function constantType(value: CelValue): CelType {
  if (value === null) return NULL;
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return DOUBLE;
    case 'string':
      return STRING;
  }
  return value instanceof CelUint ? UINT : BYTES;
}

/** Returns the qualified name `a.b.c` that an expression consists of, `undefined` if it contains anything but names. */
function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.test) return undefined;
  const front = qualifiedName(expression.operand);
  return front === undefined ? undefined : `${front}.${expression.field}`;
}
