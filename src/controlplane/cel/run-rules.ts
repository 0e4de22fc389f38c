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

/** After this much of the budget, which is some milliseconds, others get their turn. */
const COST_OF_A_TURN = 100_000;

/** Asks all rules of a schema about an object; stops when the budget is spent. */
export async function runRules(node: RuleNode, object: JsonValue, run: RuleRun): Promise<FieldError[]> {
  const rules = new RulesRun(run);
  const old = run.old ?? null;
  const correlation = run.old === undefined ? undefined : new Correlation(object, run.old, node.schema);
  await rules.node(node, '', object, old, { current: correlation });
  return rules.errors;
}

/** What is known of a value's past: its own, or that of the nearest value around it that has one. */
interface Past {
  readonly current: Correlation | undefined;
  readonly around?: Correlation | undefined;
}

class RulesRun {
  readonly errors: FieldError[] = [];
  readonly #run: RuleRun;
  #left: number;
  #sinceTurn = 0;
  #over = false;

  constructor(run: RuleRun) {
    this.#run = run;
    this.#left = run.budget ?? OBJECT_COST_BUDGET;
  }

  async node(node: RuleNode, path: string, value: JsonValue, old: JsonValue, past: Past): Promise<void> {
    if (this.#over || value === null) return;
    if (node.rules.length > 0) await this.#rules(node, path, value, old, past);
    for (const one of node.allOf) {
      // What `allOf` adds is never forgiven for itself, only with the value around it.
      await this.node(one, path, value, old, { current: undefined, around: past.around });
    }
    if (this.#over) return;
    if (Array.isArray(value)) await this.#items(node, path, value, old, past);
    else if (isJsonObject(value)) await this.#members(node, path, value, old, past);
  }

  async #items(node: RuleNode, path: string, items: readonly JsonValue[], old: JsonValue, past: Past): Promise<void> {
    if (node.items === undefined) return;
    const before = hasKeys(node.schema) && Array.isArray(old) ? itemsByKey(node.schema, old) : undefined;
    for (const [index, item] of items.entries()) {
      const was = before?.get(itemKey(node.schema, item)) ?? null;
      const next = past.current === undefined ? past : { current: past.current.item(index), around: past.current };
      await this.node(node.items, indexPath(path, index), item, was, next);
      if (this.#over) return;
    }
  }

  async #members(node: RuleNode, path: string, value: JsonValue, old: JsonValue, past: Past): Promise<void> {
    if (node.values === undefined && node.properties.size === 0) return;
    for (const [name, member] of Object.entries(value as object) as [string, JsonValue][]) {
      const child = node.properties.get(name) ?? node.values;
      if (child === undefined) continue;
      const was = isJsonObject(old) ? (getMember(old, name) ?? null) : null;
      const at = node.properties.has(name) ? childPath(path, name) : keyPath(path, name);
      await this.node(child, at, member, was, memberPast(past, name));
      if (this.#over) return;
    }
  }

  async #rules(node: RuleNode, path: string, value: JsonValue, old: JsonValue, past: Past): Promise<void> {
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
      if (this.#left <= 0) {
        this.#outOfBudget(path, type);
        return;
      }
      await this.#turn();
      const passed = this.#ask(rule, path, type, (name) => {
        const key = name === 'oldSelf' && optional ? 'optionalOldSelf' : name;
        let found = bindings.get(key);
        if (found === undefined) {
          found = bound(key, value, old, schema);
          bindings.set(key, found);
        }
        return found;
      });
      if (this.#over) return;
      if (passed !== undefined) this.#report(rule, passed, path, value, type, past);
    }
  }

  #outOfBudget(path: string, type: string): void {
    const detail = 'validation failed due to running out of cost budget, no further validation rules will be run';
    this.errors.push(invalid(path, type, detail));
    this.#over = true;
  }

  /** Undefined: nothing is to be said, or it has been said. Otherwise the rule does not hold. */
  #ask(rule: CompiledRule, path: string, type: string, bindings: (name: string) => CelValue): Failure | undefined {
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
      this.#over = true;
    } else if (fault.message.startsWith('no such overload')) {
      const detail = `'${fault.message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`;
      this.errors.push(invalid(path, type, detail));
    } else {
      this.errors.push(invalid(path, type, `${fault.message} evaluating rule: ${text}`));
    }
    return undefined;
  }

  #report(rule: CompiledRule, { bindings }: Failure, path: string, value: JsonValue, type: string, past: Past): void {
    const at = rule.fieldPath === undefined ? path : childPath(path, rule.fieldPath);
    let message: string | undefined;
    if (rule.message !== undefined) {
      const meter = new Meter();
      const made = messageError(rule.message, bindings, meter);
      if (!this.#spend(meter.cost)) made.fatal = OUT_OF_BUDGET;
      if (made.fatal !== undefined) {
        this.#add(rule, past, invalid(at, type, made.fatal));
        this.#over = true;
        return;
      }
      message = made.text;
    }
    this.#add(rule, past, ruleError(rule.rule, at, type === 'object' || type === 'array' ? undefined : value, message));
  }

  #add(rule: CompiledRule, past: Past, error: FieldError): void {
    const unchanged = past.current === undefined ? past.around?.unchanged : past.current.unchanged;
    if (!rule.usesOld && unchanged === true) this.#run.warn?.(`${error.field}: ${error.message}`);
    else this.errors.push(error);
  }

  #spend(cost: number): boolean {
    if (cost > this.#left) return false;
    this.#left -= cost;
    this.#sinceTurn += cost;
    return true;
  }

  async #turn(): Promise<void> {
    if (this.#sinceTurn < COST_OF_A_TURN || this.#run.turn === undefined) return;
    this.#sinceTurn = 0;
    await this.#run.turn();
  }
}

const OUT_OF_BUDGET =
  'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';

interface Failure {
  readonly bindings: (name: string) => CelValue;
}

function memberPast(past: Past, name: string): Past {
  if (past.current === undefined) return past;
  // The two at the root are what the request says they are, in the old object as in the new one.
  if (past.around === undefined && (name === 'apiVersion' || name === 'kind')) return { current: undefined };
  return { current: past.current.member(name), around: past.current };
}

function bound(name: string, value: JsonValue, old: JsonValue, schema: Parameters<typeof schemaValue>[1]): CelValue {
  if (name === 'self') return schemaValue(value, schema);
  if (name === 'optionalOldSelf') {
    return old === null ? CelOptional.none : CelOptional.of(schemaValue(old, schema));
  }
  return schemaValue(old, schema);
}
