import { CelOptional, type CelValue, CostExceeded, EvaluationError, Meter } from '@flotilla/cel';
import { getMember, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../api/schema/field-path.ts';
import { Correlation, hasKeys, itemKey, itemsByKey } from './correlation.ts';
import { evaluateMessage, ruleError, ruleText } from './rule-messages.ts';
import type { CompiledRule, RuleNode } from './rule-node.ts';
import { withMetadata } from './schema-type.ts';
import { schemaValue } from './schema-value.ts';
import { OBJECT_COST_BUDGET, type RuleRun } from './validation-rules.ts';

/** The evaluation cost after which other requests get processor time. It corresponds to a few milliseconds. */
const COST_PER_SLICE = 100_000;

/** Evaluates all validation rules of a schema for an object. Stops if the cost budget is exhausted. */
export async function runRules(node: RuleNode, object: JsonValue, run: RuleRun): Promise<FieldError[]> {
  const rules = new RulesRun(run);
  const correlation = run.old === undefined ? undefined : new Correlation(object, run.old, node.schema);
  await rules.visit(node, { path: '', value: object, old: run.old ?? null, correlation });
  return rules.errors;
}

/** A value of the object, together with the matching value of the old object. */
interface VisitedValue {
  readonly path: string;
  readonly value: JsonValue;
  /** The matching value of the old object, null if there is none. */
  readonly old: JsonValue;
  /** The value paired with its old value. `undefined` if they cannot be matched. */
  readonly correlation: Correlation | undefined;
  /** The correlation of the nearest enclosing value that could be matched with its old value. */
  readonly enclosing?: Correlation | undefined;
}

class RulesRun {
  readonly errors: FieldError[] = [];
  readonly #run: RuleRun;
  #remainingBudget: number;
  #costSinceYield = 0;
  #isStopped = false;

  constructor(run: RuleRun) {
    this.#run = run;
    this.#remainingBudget = run.budget ?? OBJECT_COST_BUDGET;
  }

  async visit(node: RuleNode, visited: VisitedValue): Promise<void> {
    const { value } = visited;
    if (this.#isStopped || value === null) return;
    if (node.rules.length > 0) await this.#rules(node, visited);
    for (const one of node.allOf) {
      // An error of an `allOf` rule is tolerated only if the enclosing value is unchanged.
      await this.visit(one, { ...visited, correlation: undefined });
    }
    if (this.#isStopped) return;
    if (Array.isArray(value)) await this.#items(node, value, visited);
    else if (isJsonObject(value)) await this.#members(node, value, visited);
  }

  async #items(node: RuleNode, items: readonly JsonValue[], list: VisitedValue): Promise<void> {
    if (node.items === undefined) return;
    const { path, old, correlation } = list;
    const before = hasKeys(node.schema) && Array.isArray(old) ? itemsByKey(node.schema, old) : undefined;
    for (const [index, item] of items.entries()) {
      await this.visit(node.items, {
        path: indexPath(path, index),
        value: item,
        old: before?.get(itemKey(node.schema, item)) ?? null,
        correlation: correlation?.item(index),
        enclosing: correlation ?? list.enclosing,
      });
      if (this.#isStopped) return;
    }
  }

  async #members(node: RuleNode, value: JsonObject, object: VisitedValue): Promise<void> {
    if (node.values === undefined && node.properties.size === 0) return;
    const { path, old } = object;
    for (const [name, member] of Object.entries(value)) {
      const child = node.properties.get(name) ?? node.values;
      if (child === undefined) continue;
      const correlation = hasOwnCorrelation(object, name) ? object.correlation : undefined;
      await this.visit(child, {
        path: node.properties.has(name) ? childPath(path, name) : keyPath(path, name),
        value: member,
        old: isJsonObject(old) ? (getMember(old, name) ?? null) : null,
        correlation: correlation?.member(name),
        enclosing: correlation ?? object.enclosing,
      });
      if (this.#isStopped) return;
    }
  }

  async #rules(node: RuleNode, visited: VisitedValue): Promise<void> {
    const { path, value, old } = visited;
    const type = node.schema.type ?? '';
    const schema = node.root ? withMetadata(node.schema) : node.schema;
    const bindings = new Map<string, CelValue>();
    for (const rule of node.rules) {
      if (rule.fault !== undefined) {
        this.errors.push(invalid(path, type, `rule compile error: ${rule.fault}`));
        continue;
      }
      const optional = rule.rule.optionalOldSelf === true;
      if (rule.program === undefined || (rule.usesOldSelf && old === null && !optional)) continue;
      if (this.#remainingBudget <= 0) {
        this.#outOfBudget(path, type);
        return;
      }
      await this.#yield();
      const failure = this.#evaluate(rule, path, type, (name) => {
        const key = name === 'oldSelf' && optional ? 'optionalOldSelf' : name;
        let found = bindings.get(key);
        if (found === undefined) {
          found = bindingValue(key, value, old, schema);
          bindings.set(key, found);
        }
        return found;
      });
      if (this.#isStopped) return;
      if (failure !== undefined) this.#report(rule, failure, type, visited);
    }
  }

  #outOfBudget(path: string, type: string): void {
    const detail = 'validation failed due to running out of cost budget, no further validation rules will be run';
    this.errors.push(invalid(path, type, detail));
    this.#isStopped = true;
  }

  /**
   * Returns a failure if the value violates the rule. Reports evaluation errors itself and then returns `undefined`.
   */
  #evaluate(rule: CompiledRule, path: string, type: string, bindings: (name: string) => CelValue): Failure | undefined {
    const meter = new Meter();
    let fault: EvaluationError | CostExceeded | undefined;
    let result: CelValue = null;
    try {
      result = rule.program?.run(bindings, { meter }) ?? null;
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof CostExceeded)) throw error;
      fault = error;
    }
    if (!this.#spend(meter.budgetCost)) {
      this.#outOfBudget(path, type);
      return undefined;
    }
    if (fault === undefined) return result === true ? undefined : { bindings };
    const text = ruleText(rule.rule);
    if (fault instanceof CostExceeded) {
      const detail = `'${fault.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`;
      this.errors.push(invalid(path, type, detail));
      this.#isStopped = true;
    } else if (fault.message.startsWith('no such overload')) {
      const detail = `'${fault.message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
      this.errors.push(invalid(path, type, detail));
    } else {
      this.errors.push(invalid(path, type, `${fault.message} evaluating rule: ${text}`));
    }
    return undefined;
  }

  #report(rule: CompiledRule, { bindings }: Failure, type: string, visited: VisitedValue): void {
    const { path, value } = visited;
    const at = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath);
    let message: string | undefined;
    if (rule.message !== undefined) {
      const meter = new Meter();
      const made = evaluateMessage(rule.message, bindings, meter);
      if (!this.#spend(meter.budgetCost)) made.fatal = OUT_OF_BUDGET;
      if (made.fatal !== undefined) {
        this.#add(rule, visited, invalid(at, type, made.fatal));
        this.#isStopped = true;
        return;
      }
      message = made.text;
    }
    this.#add(
      rule,
      visited,
      ruleError(rule.rule, at, type === 'object' || type === 'array' ? undefined : value, message),
    );
  }

  #add(rule: CompiledRule, { correlation, enclosing }: VisitedValue, error: FieldError): void {
    const { unchanged } = correlation ?? enclosing ?? {};
    if (!rule.usesOldSelf && unchanged === true) this.#run.warn?.(`${error.field}: ${error.message}`);
    else this.errors.push(error);
  }

  #spend(cost: number): boolean {
    if (cost > this.#remainingBudget) return false;
    this.#remainingBudget -= cost;
    this.#costSinceYield += cost;
    return true;
  }

  async #yield(): Promise<void> {
    if (this.#costSinceYield < COST_PER_SLICE || this.#run.nextTimeSlice === undefined) return;
    this.#costSinceYield = 0;
    await this.#run.nextTimeSlice();
  }
}

const OUT_OF_BUDGET =
  'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';

interface Failure {
  readonly bindings: (name: string) => CelValue;
}

/**
 * False for `apiVersion` and `kind` of the root object. In the old and in the new object, both are taken from the
 * request, so comparing them is meaningless.
 */
function hasOwnCorrelation({ enclosing }: VisitedValue, name: string): boolean {
  return enclosing !== undefined || (name !== 'apiVersion' && name !== 'kind');
}

function bindingValue(
  name: string,
  value: JsonValue,
  old: JsonValue,
  schema: Parameters<typeof schemaValue>[1],
): CelValue {
  if (name === 'self') return schemaValue(value, schema);
  if (name === 'optionalOldSelf') {
    return old === null ? CelOptional.none : CelOptional.of(schemaValue(old, schema));
  }
  return schemaValue(old, schema);
}
