import { type FieldError, invalid } from '../../api/field-error.ts';
import { childPath, indexPath, keyPath } from '../../api/schema/field-path.ts';
import { getMember, isJsonObject, type JsonValue } from '../../lib/json-value.ts';
import { Correlation, hasKeys, itemKey, itemsByKey } from './correlation.ts';
import { CostExceeded, EvaluationError, Meter } from './meter.ts';
import { messageError, ruleError, ruleText } from './rule-messages.ts';
import type { CompiledRule, RuleNode } from './rule-node.ts';
import { withMetadata } from './schema-type.ts';
import { schemaValue } from './schema-value.ts';
import { OBJECT_COST_BUDGET, type RuleRun } from './validation-rules.ts';
import { CelOptional, type CelValue } from './value.ts';

/** The cost, a few milliseconds, after which the run yields to other requests. */
const COST_PER_SLICE = 100_000;

/** Evaluates all rules of a schema for an object; stops when the cost budget is exhausted. */
export async function runRules(node: RuleNode, object: JsonValue, run: RuleRun): Promise<FieldError[]> {
  const rules = new RulesRun(run);
  const old = run.old ?? null;
  const correlation = run.old === undefined ? undefined : new Correlation(object, run.old, node.schema);
  await rules.node(node, '', object, old, { current: correlation });
  return rules.errors;
}

/** The correlation of a value with its old value, or that of the nearest enclosing value that has one. */
interface CorrelationContext {
  readonly current: Correlation | undefined;
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

  async node(
    node: RuleNode,
    path: string,
    value: JsonValue,
    old: JsonValue,
    context: CorrelationContext,
  ): Promise<void> {
    if (this.#isStopped || value === null) return;
    if (node.rules.length > 0) await this.#rules(node, path, value, old, context);
    for (const one of node.allOf) {
      // Errors in `allOf` are not tolerated on their own, only with the enclosing value.
      await this.node(one, path, value, old, { current: undefined, enclosing: context.enclosing });
    }
    if (this.#isStopped) return;
    if (Array.isArray(value)) await this.#items(node, path, value, old, context);
    else if (isJsonObject(value)) await this.#members(node, path, value, old, context);
  }

  async #items(
    node: RuleNode,
    path: string,
    items: readonly JsonValue[],
    old: JsonValue,
    context: CorrelationContext,
  ): Promise<void> {
    if (node.items === undefined) return;
    const before = hasKeys(node.schema) && Array.isArray(old) ? itemsByKey(node.schema, old) : undefined;
    for (const [index, item] of items.entries()) {
      const oldValue = before?.get(itemKey(node.schema, item)) ?? null;
      const next =
        context.current === undefined ? context : { current: context.current.item(index), around: context.current };
      await this.node(node.items, indexPath(path, index), item, oldValue, next);
      if (this.#isStopped) return;
    }
  }

  async #members(
    node: RuleNode,
    path: string,
    value: JsonValue,
    old: JsonValue,
    context: CorrelationContext,
  ): Promise<void> {
    if (node.values === undefined && node.properties.size === 0) return;
    for (const [name, member] of Object.entries(value as object) as [string, JsonValue][]) {
      const child = node.properties.get(name) ?? node.values;
      if (child === undefined) continue;
      const oldValue = isJsonObject(old) ? (getMember(old, name) ?? null) : null;
      const at = node.properties.has(name) ? childPath(path, name) : keyPath(path, name);
      await this.node(child, at, member, oldValue, memberContext(context, name));
      if (this.#isStopped) return;
    }
  }

  async #rules(
    node: RuleNode,
    path: string,
    value: JsonValue,
    old: JsonValue,
    context: CorrelationContext,
  ): Promise<void> {
    const type = node.schema.type ?? '';
    const schema = node.root ? withMetadata(node.schema) : node.schema;
    const bindings = new Map<string, CelValue>();
    for (const rule of node.rules) {
      if (rule.fault !== undefined) {
        this.errors.push(invalid(path, type, `rule compile error: ${rule.fault}`));
        continue;
      }
      const optional = rule.rule.optionalOldSelf === true;
      if (rule.program === undefined || (rule.usesOld && old === null && !optional)) continue;
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
      if (failure !== undefined) this.#report(rule, failure, path, value, type, context);
    }
  }

  #outOfBudget(path: string, type: string): void {
    const detail = 'validation failed due to running out of cost budget, no further validation rules will be run';
    this.errors.push(invalid(path, type, detail));
    this.#isStopped = true;
  }

  /** Returns a failure if the rule does not hold; `undefined` if it holds or an error was already reported. */
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
    if (!this.#spend(meter.cost)) {
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

  #report(
    rule: CompiledRule,
    { bindings }: Failure,
    path: string,
    value: JsonValue,
    type: string,
    context: CorrelationContext,
  ): void {
    const at = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath);
    let message: string | undefined;
    if (rule.message !== undefined) {
      const meter = new Meter();
      const made = messageError(rule.message, bindings, meter);
      if (!this.#spend(meter.cost)) made.fatal = OUT_OF_BUDGET;
      if (made.fatal !== undefined) {
        this.#add(rule, context, invalid(at, type, made.fatal));
        this.#isStopped = true;
        return;
      }
      message = made.text;
    }
    this.#add(
      rule,
      context,
      ruleError(rule.rule, at, type === 'object' || type === 'array' ? undefined : value, message),
    );
  }

  #add(rule: CompiledRule, context: CorrelationContext, error: FieldError): void {
    const unchanged = context.current === undefined ? context.enclosing?.unchanged : context.current.unchanged;
    if (!rule.usesOld && unchanged === true) this.#run.warn?.(`${error.field}: ${error.message}`);
    else this.errors.push(error);
  }

  #spend(cost: number): boolean {
    if (cost > this.#remainingBudget) return false;
    this.#remainingBudget -= cost;
    this.#costSinceYield += cost;
    return true;
  }

  async #yield(): Promise<void> {
    if (this.#costSinceYield < COST_PER_SLICE || this.#run.turn === undefined) return;
    this.#costSinceYield = 0;
    await this.#run.turn();
  }
}

const OUT_OF_BUDGET =
  'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';

interface Failure {
  readonly bindings: (name: string) => CelValue;
}

function memberContext(context: CorrelationContext, name: string): CorrelationContext {
  if (context.current === undefined) return context;
  // At the root these two come from the request, for the old object as for the new one.
  if (context.enclosing === undefined && (name === 'apiVersion' || name === 'kind')) return { current: undefined };
  return { current: context.current.member(name), enclosing: context.current };
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
