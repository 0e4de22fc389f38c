import {
  type CompileError,
  compileExpression,
  type DeclaredType,
  type Environment,
  estimateCost,
  libraryFunctions,
  libraryTypes,
  loadParser,
  MAX_COMPILE_WORK,
  MAX_VALUE,
  optionalOf,
  type Parse,
  type Program,
  tooMuchToCompile,
  WORK_PER_SLICE,
} from '@flotilla/cel';
import { goStructOfRule, invalidStruct } from '../../api/apiextensions/go-struct-form.ts';
import { resolveSchemaField } from '../../api/apiextensions/resolve-schema-field.ts';
import { type FieldError, forbiddenField, invalid } from '../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../api/schema/field-path.ts';
import type { Schema, ValidationRule } from '../../api/schema/schema.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import { CostTotal, costMessage, RULE_COST_LIMIT } from './cost-total.ts';
import type { CompiledRule, RuleNode } from './rule-node.ts';
import { runRules } from './run-rules.ts';
import { declaredType, isEmbedded } from './schema-type.ts';
import type { CompiledValidations, CompileValidations } from './validation-rules.ts';

/** The maximum size of a request in bytes. It limits how many values in an object a rule can apply to. */
const LARGEST_REQUEST = 3 * 1024 * 1024;

/** Compiles the validation rules of a schema. Loads the CEL grammar if the schema has rules. */
export const compileValidations: CompileValidations = async (schema, path = '', old = undefined) => {
  // Only the validation of a CustomResourceDefinition passes a path or an old schema. Cache only results without both,
  // which the validation of objects uses.
  const isCacheable = path === '' && old === undefined;
  const cached = isCacheable ? cache.get(schema) : undefined;
  if (cached !== undefined) return cached;
  const result = hasRules(schema) ? await compileWithDepthLimit(await loadParser(), schema, path, old) : { errors: [] };
  if (isCacheable) cache.set(schema, result);
  return result;
};

/** Results by schema object. An entry exists until its schema object is garbage-collected. */
const cache = new WeakMap<Schema, CompiledValidations>();

/** Compiles the rules. Returns an error for a schema that is nested too deeply for recursive functions. */
async function compileWithDepthLimit(
  parse: Parse,
  schema: Schema,
  path: string,
  old: Schema | undefined,
): Promise<CompiledValidations> {
  try {
    return await compileSchema(parse, schema, path, old);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { errors: [forbiddenField(path, 'the schema is nested too deeply for validation rules')] };
  }
}

async function compileSchema(
  parse: Parse,
  schema: Schema,
  path: string,
  old: Schema | undefined,
): Promise<CompiledValidations> {
  const compiler = new SchemaCompiler(parse, old === undefined ? new Set() : expressionsOf(old));
  const type = declaredType(schema, true);
  const node = await compiler.node(schema, schema, {
    path,
    root: true,
    type,
    cardinality: 1,
    uncorrelatable: undefined,
  });
  const errors = [...compiler.errors, ...compiler.total.errors(path)];
  return { errors, validator: { validate: (object, run = {}) => runRules(node, object, run) } };
}

/** The cached results of `hasRules`, which the compiler calls for the schemas of all levels. */
const withRules = new WeakMap<Schema, boolean>();

/** Reports whether a schema or any schema nested in it has validation rules. */
export function hasRules(schema: Schema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || childSchemas(schema).some(hasRules);
  withRules.set(schema, found);
  return found;
}

function childSchemas({ properties, items, additionalProperties, allOf }: Schema): Schema[] {
  const children = [...Object.values(properties ?? {}), ...(allOf ?? [])];
  if (items !== undefined) children.push(items);
  if (typeof additionalProperties === 'object') children.push(additionalProperties);
  return children;
}

/** Returns all CEL expressions of the old schema. Cost limits do not apply to these expressions. */
function expressionsOf(schema: Schema): Set<string> {
  const found = new Set<string>();
  const pending = [schema];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { rule, messageExpression } of next['x-kubernetes-validations'] ?? []) {
      if (rule !== undefined) found.add(rule);
      if (messageExpression !== undefined) found.add(messageExpression);
    }
    for (const child of childSchemas(next)) pending.push(child);
  }
  return found;
}

interface SchemaPosition {
  /** The path of the schema in the CustomResourceDefinition, for error messages. */
  readonly path: string;
  readonly root: boolean;
  readonly type: DeclaredType | undefined;
  /** The maximum number of values in an object that this schema describes; `undefined` if there is no maximum. */
  readonly cardinality: number | undefined;
  /**
   * The path of the enclosing list whose items cannot be matched with the items of the old object. `undefined` if there
   * is no such list.
   */
  readonly uncorrelatable: string | undefined;
}

const ruleLimitMessage = tooMuchToCompile('validation rules of a version');

class SchemaCompiler {
  readonly errors: FieldError[] = [];
  readonly total = new CostTotal();
  readonly #parse: Parse;
  readonly #existing: ReadonlySet<string>;
  readonly #work = new WorkBudget(WORK_PER_SLICE);
  #totalWork = 0;
  #isOverLimit = false;

  constructor(parse: Parse, existing: ReadonlySet<string>) {
    this.#parse = parse;
    this.#existing = existing;
  }

  /** Compiles the rules of the schema `of`, for values described by `schema`. The two differ only inside `allOf`. */
  async node(of: Schema, schema: Schema, position: SchemaPosition): Promise<RuleNode> {
    const { path, type } = position;
    const values = await this.#values(of, schema, position);
    const properties = new Map<string, RuleNode>();
    for (const [name, child] of Object.entries(of.properties ?? {})) {
      const member = schema.properties?.[name];
      if (member === undefined || !hasRules(child)) continue;
      const at = keyPath(childPath(path, 'properties'), name);
      const own = { ...position, path: at, root: isEmbedded(member), type: declaredType(member, isEmbedded(member)) };
      if (own.type !== undefined) properties.set(name, await this.node(child, member, own));
    }
    const items = await this.#items(of, schema, position);
    const allOf: RuleNode[] = [];
    for (const [index, one] of (of.allOf ?? []).entries()) {
      const at = indexPath(childPath(path, 'allOf'), index);
      if (hasRules(one)) allOf.push(await this.node(one, schema, { ...position, path: at }));
    }
    const rules: CompiledRule[] = [];
    for (const [index, rule] of (of['x-kubernetes-validations'] ?? []).entries()) {
      const at = indexPath(childPath(path, 'x-kubernetes-validations'), index);
      if (this.#exceedsLimit(rule, at)) {
        rules.push({ rule, fault: ruleLimitMessage, usesOldSelf: false });
        continue;
      }
      if (this.#work.spend(lengthOf(rule))) await this.#work.next();
      rules.push(
        type === undefined ? { rule, usesOldSelf: false } : this.#rule(rule, at, schema, { ...position, type }),
      );
    }
    return {
      schema,
      root: position.root,
      rules,
      properties,
      allOf,
      ...(values && { values }),
      ...(items && { items }),
    };
  }

  /**
   * Adds the work of compiling a rule to the total. Returns true if the total exceeds the limit. Reports an error only
   * for the first rule that exceeds the limit.
   */
  #exceedsLimit(rule: ValidationRule, path: string): boolean {
    this.#totalWork += lengthOf(rule);
    if (this.#totalWork <= MAX_COMPILE_WORK) return false;
    if (!this.#isOverLimit) this.errors.push(forbiddenField(path, ruleLimitMessage));
    this.#isOverLimit = true;
    return true;
  }

  async #values(of: Schema, schema: Schema, position: SchemaPosition): Promise<RuleNode | undefined> {
    const child = of.additionalProperties;
    const values = schema.additionalProperties;
    if (typeof child !== 'object' || typeof values !== 'object' || !hasRules(child)) return undefined;
    const type = declaredType(values, isEmbedded(values));
    const path = childPath(position.path, 'additionalProperties');
    const cardinality = product(position.cardinality, schema.maxProperties);
    return this.node(child, values, { ...position, path, root: isEmbedded(values), type, cardinality });
  }

  async #items(of: Schema, schema: Schema, position: SchemaPosition): Promise<RuleNode | undefined> {
    if (of.items === undefined || schema.items === undefined || !hasRules(of.items)) return undefined;
    const type = declaredType(schema.items, isEmbedded(schema.items));
    const hasKeys = schema['x-kubernetes-list-type'] === 'map';
    return this.node(of.items, schema.items, {
      path: childPath(position.path, 'items'),
      root: isEmbedded(schema.items),
      type,
      cardinality: product(position.cardinality, schema.maxItems),
      uncorrelatable: hasKeys ? position.uncorrelatable : position.path,
    });
  }

  #rule(
    rule: ValidationRule,
    path: string,
    schema: Schema,
    position: SchemaPosition & { readonly type: DeclaredType },
  ): CompiledRule {
    const text = rule.rule ?? '';
    if (text.trim() === '') return { rule, usesOldSelf: false };
    const environment = environmentFor(position.type, rule.optionalOldSelf === true);
    const program = this.#compile(text, environment);
    const at = childPath(path, 'rule');
    if ('fault' in program) return this.#refused(rule, at, faultText(program));
    if (program.type.kind !== 'bool') return this.#refused(rule, at, 'cel expression must evaluate to a bool');
    const most = Math.floor(LARGEST_REQUEST / (position.type.minSize + 1));
    const once = estimateCost(program.expression, position.type);
    this.#addCost(at, text, 'estimated rule cost', Math.min(MAX_VALUE, once * (position.cardinality ?? most)));
    const message = this.#message(rule, path, environment, position.type);
    const usesOld = program.usedVariables.has('oldSelf');
    this.#transition(rule, path, usesOld, position.uncorrelatable);
    const field = rule.fieldPath === undefined ? undefined : resolveSchemaField(rule.fieldPath, schema, true);
    const fieldPath = field !== undefined && 'path' in field && field.path !== '' ? field.path : undefined;
    return { rule, program, usesOldSelf: usesOld, ...(message && { message }), ...(fieldPath && { fieldPath }) };
  }

  #compile(text: string, environment: Environment): Program | CompileError {
    return compileExpression(this.#parse, text, environment, (characters) => {
      this.#totalWork += characters;
      // If this rule has used up the time slice, the next rule waits for another slice.
      this.#work.spend(characters);
    });
  }

  #transition(rule: ValidationRule, path: string, usesOld: boolean, uncorrelatable: string | undefined): void {
    if (usesOld && uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      this.errors.push(invalid(childPath(path, 'rule'), rule.rule, detail));
    } else if (!usesOld && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      this.errors.push(invalid(childPath(path, 'optionalOldSelf'), rule.optionalOldSelf, detail));
    }
  }

  #refused(rule: ValidationRule, path: string, fault: string): CompiledRule {
    this.errors.push(invalidStruct(path, goStructOfRule(rule), fault));
    return { rule, fault, usesOldSelf: false };
  }

  #message(rule: ValidationRule, path: string, environment: Environment, type: DeclaredType): CompiledRule['message'] {
    const text = rule.messageExpression ?? '';
    if (text === '') return undefined;
    const at = childPath(path, 'messageExpression');
    const program = this.#compile(text, environment);
    if ('fault' in program) {
      this.errors.push(
        invalidStruct(at, goStructOfRule(rule), `messageExpression ${faultText(program).replace('program ', '')}`),
      );
      return undefined;
    }
    if (program.type.kind !== 'string') {
      this.errors.push(invalidStruct(at, goStructOfRule(rule), 'messageExpression must evaluate to a string'));
      return undefined;
    }
    this.#addCost(at, text, 'estimated messageExpression cost', estimateCost(program.expression, type));
    return program;
  }

  #addCost(path: string, text: string, name: string, cost: number): void {
    if (this.#existing.has(text)) return;
    if (cost > RULE_COST_LIMIT) this.errors.push(forbiddenField(path, costMessage(name, cost, RULE_COST_LIMIT)));
    this.total.add(path, cost);
  }
}

function lengthOf({ rule = '', messageExpression = '' }: ValidationRule): number {
  return rule.length + messageExpression.length;
}

function faultText({ fault, failsAlways }: CompileError): string {
  return failsAlways === true ? `program instantiation failed: ${fault}` : `compilation failed: ${fault}`;
}

function product(cardinality: number | undefined, limit: number | undefined): number | undefined {
  return cardinality === undefined || limit === undefined
    ? undefined
    : Math.min(MAX_VALUE, cardinality * Math.max(0, limit));
}

function environmentFor({ type }: DeclaredType, optionalOld: boolean): Environment {
  return {
    variables: new Map([
      ['self', type],
      ['oldSelf', optionalOld ? optionalOf(type) : type],
    ]),
    functions: libraryFunctions(),
    types: libraryTypes,
  };
}
