import { getMember, isJsonObject } from '@flotilla/json';
import { WorkLimitError } from '@flotilla/work-meter';
import { functions } from './functions.ts';
import type { Command, Node, Operand, Pipeline, Template } from './nodes.ts';
import { Scope } from './scope.ts';
import { maxTextLength } from './sprig.ts';
import { positionAt, TemplateError } from './template-error.ts';
import { type TemplateWork, workError } from './template-work.ts';
import { formatValue, typeName, type Value } from './values.ts';

/** The units of work for a step: a node, an iteration, a command or an operand. */
const unitsPerStep = 20;
/**
 * The units of work of a lookup step: each block that is searched for a variable, and each field of a path such as
 * `.a.b`.
 */
const unitsPerLookup = 3;
const maxCallDepth = 100;
/** The maximum nesting of blocks and template calls together, which limits the recursion of the execution. */
const maxDepth = 500;

/**
 * Executes a template with `values` as `.` and `$`. Throws TemplateError. Limits the time and memory of the execution
 * by charging all work before it is done.
 */
export function executeTemplate(template: Template, values: Value, work: TemplateWork): string {
  const run = new Execution(template, work);
  run.nodes(template.nodes, new Scope(values));
  return run.text();
}

type Jump = 'break' | 'continue' | undefined;
type Conditional = Node & { readonly type: 'if' | 'with' | 'range' };

class Execution {
  readonly #template: Template;
  readonly #work: TemplateWork;
  readonly #made: string[] = [];
  #length = 0;
  #calls = 0;
  #depth = 0;

  constructor(template: Template, work: TemplateWork) {
    this.#template = template;
    this.#work = work;
  }

  text(): string {
    return this.#made.join('');
  }

  /** Executes nodes. Returns `break` or `continue` if a node executes that statement for the enclosing loop. */
  nodes(nodes: readonly Node[], scope: Scope): Jump {
    this.#depth++;
    let jump: Jump;
    for (const node of nodes) {
      jump = this.#node(node, scope);
      if (jump !== undefined) break;
    }
    this.#depth--;
    return jump;
  }

  #node(node: Node, scope: Scope): Jump {
    switch (node.type) {
      case 'text':
        this.#step(node.offset);
        this.#write(node.text, node.offset);
        return undefined;
      case 'action': {
        const { pipeline } = node;
        const value = this.#pipeline(pipeline, scope);
        if (pipeline.variables.length > 0) return undefined;
        this.#write(
          this.#charged(pipeline.offset, () => formatValue(this.#work, value)),
          pipeline.offset,
        );
        return undefined;
      }
      case 'if':
      case 'with':
        return this.#conditional(node, scope);
      case 'range':
        return this.#range(node, scope);
      case 'template':
        this.#call(node, scope);
        return undefined;
      default:
        return node.type;
    }
  }

  /** Executes an {{if}} or {{with}}. Does not use recursion for {{else if}}, because there may be many. */
  #conditional(node: Conditional, scope: Scope): Jump {
    let inner = scope;
    for (let next: Conditional | undefined = node; next !== undefined; ) {
      const { type, pipeline, body, otherwise, offset }: Conditional = next;
      this.#enter(offset);
      inner = inner.inner();
      const value = this.#pipeline(pipeline, inner);
      if (this.#charged(offset, () => this.#work.isTrue(value))) {
        return this.nodes(body, type === 'with' ? inner.inner(value) : inner);
      }
      const [first] = otherwise;
      next = otherwise.length === 1 && (first?.type === 'if' || first?.type === 'with') ? first : undefined;
      if (next === undefined) return this.nodes(otherwise, inner);
    }
    return undefined;
  }

  #range(node: Conditional, scope: Scope): Jump {
    const { pipeline, offset } = node;
    this.#enter(offset);
    const over = this.#commands(pipeline, scope);
    let isEmpty = true;
    for (const [key, value] of this.#iterations(over, offset)) {
      isEmpty = false;
      this.#step(offset);
      const inner = scope.inner(value);
      const [first, second] = pipeline.variables;
      const set = (name: string | undefined, to: Value) => {
        if (name !== undefined && pipeline.declares) inner.declare(name, to);
        else if (name !== undefined) scope.assign(name, to);
      };
      set(first, second === undefined ? value : key);
      set(second, value);
      if (this.nodes(node.body, inner) === 'break') break;
    }
    return isEmpty ? this.nodes(node.otherwise, scope.inner()) : undefined;
  }

  #call(node: Node & { readonly type: 'template' }, scope: Scope): void {
    const { name, pipeline, offset } = node;
    this.#enter(offset);
    const nodes = this.#template.named.get(name);
    if (nodes === undefined) this.#fail(`template ${JSON.stringify(name)} not defined`, offset);
    if (++this.#calls > maxCallDepth) this.#fail(`templates are nested more than ${maxCallDepth} levels deep`, offset);
    const value = pipeline === undefined ? null : this.#pipeline(pipeline, scope);
    this.nodes(nodes, new Scope(value));
    this.#calls--;
  }

  #pipeline(pipeline: Pipeline, scope: Scope): Value {
    const value = this.#commands(pipeline, scope);
    for (const name of pipeline.variables) {
      this.#charge(unitsPerLookup * scope.depth, pipeline.offset);
      if (pipeline.declares) scope.declare(name, value);
      else scope.assign(name, value);
    }
    return value;
  }

  /** Evaluates a pipeline. The result of each command is the last argument of the next command. */
  #commands(pipeline: Pipeline, scope: Scope): Value {
    let value: Value | undefined;
    for (const command of pipeline.commands) value = this.#command(command, scope, value);
    return value ?? null;
  }

  #command({ operands, offset }: Command, scope: Scope, piped: Value | undefined): Value {
    const [first, ...rest] = operands;
    this.#step(offset);
    if (first?.type === 'function') return this.#function(first, rest, scope, piped);
    if (first === undefined || rest.length > 0 || piped !== undefined) {
      this.#fail("can't give arguments to a value that is not a function", offset);
    }
    return this.#operand(first, scope);
  }

  #function(
    { name, offset }: Operand & { readonly type: 'function' },
    operands: readonly Operand[],
    scope: Scope,
    piped: Value | undefined,
  ): Value {
    const implementation = functions.get(name);
    if (implementation === undefined) return this.#lazy(name === 'or', operands, scope, piped);
    const values = operands.map((operand) => this.#operand(operand, scope));
    if (piped !== undefined) values.push(piped);
    try {
      return implementation(this.#work, ...values);
    } catch (error) {
      if (error instanceof TemplateError) throw error;
      if (error instanceof WorkLimitError) throw workError(error, this.#template.text, offset);
      return this.#fail(`error calling ${name}: ${error instanceof Error ? error.message : error}`, offset);
    }
  }

  /** Evaluates `and` or `or`: returns the first operand whose truth is `decidingValue`, or the last operand. */
  #lazy(decidingValue: boolean, operands: readonly Operand[], scope: Scope, piped: Value | undefined): Value {
    let value: Value = null;
    for (const operand of operands) {
      value = this.#operand(operand, scope);
      const current = value;
      if (this.#charged(operand.offset, () => this.#work.isTrue(current)) === decidingValue) return value;
    }
    return piped ?? value;
  }

  #operand(operand: Operand, scope: Scope): Value {
    const { offset } = operand;
    this.#step(offset);
    switch (operand.type) {
      case 'literal':
        return operand.value;
      case 'function':
        return this.#function(operand, [], scope, undefined);
      case 'dot':
        return this.#member(scope.dot, operand.path, offset);
      case 'variable':
        this.#charge(unitsPerLookup * scope.depth, offset);
        return this.#member(scope.get(operand.name), operand.path, offset);
      default:
        return this.#member(this.#commands(operand.pipeline, scope), operand.path, offset);
    }
  }

  /** Returns the value that a path of fields selects. */
  #member(value: Value, path: readonly string[], offset: number): Value {
    let current = value;
    for (const name of path) {
      this.#charge(unitsPerLookup, offset);
      if (!isJsonObject(current)) {
        this.#fail(`can't evaluate field ${name} in a value of type ${typeName(current)}`, offset);
      }
      const member = getMember(current, name);
      if (member === undefined) this.#fail(`field ${name} not found`, offset);
      current = member;
    }
    return current;
  }

  /**
   * Yields the keys and values that `range` iterates over: a list, a map in sorted order, or the integers below a
   * number.
   */
  *#iterations(over: Value, offset: number): Generator<readonly [key: Value, value: Value]> {
    if (over === null) return;
    if (Array.isArray(over)) yield* over.entries();
    else if (isJsonObject(over)) {
      for (const key of this.#charged(offset, () => this.#work.keysOf(over))) yield [key, getMember(over, key) ?? null];
    } else if (typeof over === 'number' && Number.isInteger(over)) for (let at = 0; at < over; at++) yield [at, at];
    else this.#fail(`range can't iterate over a value of type ${typeName(over)}`, offset);
  }

  #write(text: string, offset: number): void {
    this.#length += text.length;
    if (this.#length > maxTextLength) this.#fail(`the output exceeds ${maxTextLength} characters`, offset);
    this.#charge(text.length, offset);
    this.#made.push(text);
  }

  /** Charges the step that starts a block or a template call, and checks the nesting. */
  #enter(offset: number): void {
    this.#step(offset);
    if (this.#depth > maxDepth) this.#fail(`blocks and templates are nested more than ${maxDepth} levels deep`, offset);
  }

  #step(offset: number): void {
    this.#charge(unitsPerStep, offset);
  }

  #charge(units: number, offset: number): void {
    try {
      this.#work.charge(units);
    } catch (error) {
      throw error instanceof WorkLimitError ? workError(error, this.#template.text, offset) : error;
    }
  }

  /** Calls a function that charges work. Reports errors at an offset of the template. */
  #charged<T>(offset: number, call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (error instanceof WorkLimitError) throw workError(error, this.#template.text, offset);
      return this.#fail(error instanceof Error ? error.message : String(error), offset);
    }
  }

  #fail(message: string, offset: number): never {
    throw new TemplateError(message, positionAt(this.#template.text, offset));
  }
}
