import { getMember, isJsonObject } from '@flotilla/json';
import { functions } from './functions.ts';
import type { Command, Node, Operand, Pipeline, Template } from './nodes.ts';
import { maxTextLength } from './sprig.ts';
import { type Position, TemplateError } from './template-error.ts';
import { formatValue, isTrue, sortedKeys, typeName, type Value } from './values.ts';

/** The maximum number of steps, each a lookup, a function call or a node. A large template takes a few thousand. */
const maxSteps = 200_000;
const maxCallDepth = 100;

/** Executes a template. `.` and `$` are `values`. Throws TemplateError. Limits the time and memory of the execution. */
export function executeTemplate(template: Template, values: Value): string {
  const run = new Execution(template);
  run.nodes(template.nodes, new Scope(values));
  return run.text();
}

/** A block during execution: the value of `.`, and the variables of the block and of all enclosing blocks. */
class Scope {
  readonly dot: Value;
  readonly #own = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  /** Creates a scope. A scope without `outer` defines the variable `$`. */
  constructor(dot: Value, outer?: Scope) {
    this.dot = dot;
    this.#outer = outer;
    if (outer === undefined) this.#own.set('$', dot);
  }

  inner(dot: Value = this.dot): Scope {
    return new Scope(dot, this);
  }

  get(name: string): Value {
    return this.#own.has(name) ? (this.#own.get(name) ?? null) : (this.#outer?.get(name) ?? null);
  }

  declare(name: string, value: Value): void {
    this.#own.set(name, value);
  }

  assign(name: string, value: Value): void {
    if (this.#own.has(name) || this.#outer === undefined) this.#own.set(name, value);
    else this.#outer.assign(name, value);
  }
}

type Jump = 'break' | 'continue' | undefined;

class Execution {
  readonly #template: Template;
  readonly #made: string[] = [];
  #length = 0;
  #steps = 0;
  #calls = 0;

  constructor(template: Template) {
    this.#template = template;
  }

  text(): string {
    return this.#made.join('');
  }

  /** Executes nodes. Returns `break` or `continue` if a node ends the iteration of the enclosing loop. */
  nodes(nodes: readonly Node[], scope: Scope): Jump {
    for (const node of nodes) {
      const jump = this.#node(node, scope);
      if (jump !== undefined) return jump;
    }
    return undefined;
  }

  #node(node: Node, scope: Scope): Jump {
    switch (node.type) {
      case 'text':
        this.#write(node.text, { line: 1, column: 1 });
        return undefined;
      case 'action': {
        const value = this.#pipeline(node.pipeline, scope);
        if (node.pipeline.variables.length === 0) this.#write(formatValue(value), node.pipeline.position);
        return undefined;
      }
      case 'if':
      case 'with': {
        const inner = scope.inner();
        const value = this.#pipeline(node.pipeline, inner);
        if (!isTrue(value)) return this.nodes(node.otherwise, inner);
        return this.nodes(node.body, node.type === 'with' ? inner.inner(value) : inner);
      }
      case 'range':
        return this.#range(node, scope);
      case 'template':
        this.#call(node, scope);
        return undefined;
      default:
        return node.type;
    }
  }

  #range(node: Node & { readonly type: 'if' | 'with' | 'range' }, scope: Scope): Jump {
    const { pipeline, position } = node;
    const over = this.#commands(pipeline, scope);
    const rounds = iterationsOf(over, position);
    let isEmpty = true;
    for (const [key, value] of rounds) {
      isEmpty = false;
      this.#step(position);
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
    const { name, pipeline, position } = node;
    const nodes = this.#template.named.get(name);
    if (nodes === undefined) throw new TemplateError(`template ${JSON.stringify(name)} not defined`, position);
    if (++this.#calls > maxCallDepth)
      throw new TemplateError(`templates are nested more than ${maxCallDepth} levels deep`, position);
    const value = pipeline === undefined ? null : this.#pipeline(pipeline, scope);
    this.nodes(nodes, new Scope(value));
    this.#calls--;
  }

  #pipeline(pipeline: Pipeline, scope: Scope): Value {
    const value = this.#commands(pipeline, scope);
    for (const name of pipeline.variables) {
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

  #command({ operands, position }: Command, scope: Scope, piped: Value | undefined): Value {
    const [first, ...rest] = operands;
    this.#step(position);
    if (first?.type === 'function') return this.#function(first, rest, scope, piped);
    if (first === undefined || rest.length > 0 || piped !== undefined) {
      throw new TemplateError("can't give arguments to a value that is not a function", position);
    }
    return this.#operand(first, scope);
  }

  #function(
    { name, position }: Operand & { readonly type: 'function' },
    operands: readonly Operand[],
    scope: Scope,
    piped: Value | undefined,
  ): Value {
    const implementation = functions.get(name);
    if (implementation === undefined) return this.#lazy(name === 'or', operands, scope, piped);
    const values = operands.map((operand) => this.#operand(operand, scope));
    if (piped !== undefined) values.push(piped);
    try {
      return implementation(...values);
    } catch (error) {
      if (error instanceof TemplateError) throw error;
      throw new TemplateError(`error calling ${name}: ${error instanceof Error ? error.message : error}`, position);
    }
  }

  /** Evaluates `and` or `or`: returns the first operand whose truth is `decidingValue`, or the last operand. */
  #lazy(decidingValue: boolean, operands: readonly Operand[], scope: Scope, piped: Value | undefined): Value {
    let value: Value = null;
    for (const operand of operands) {
      value = this.#operand(operand, scope);
      if (isTrue(value) === decidingValue) return value;
    }
    return piped ?? value;
  }

  #operand(operand: Operand, scope: Scope): Value {
    this.#step(operand.position);
    switch (operand.type) {
      case 'literal':
        return operand.value;
      case 'function':
        return this.#function(operand, [], scope, undefined);
      case 'dot':
        return pathOf(scope.dot, operand.path, operand.position);
      case 'variable':
        return pathOf(scope.get(operand.name), operand.path, operand.position);
      default:
        return pathOf(this.#commands(operand.pipeline, scope), operand.path, operand.position);
    }
  }

  #write(text: string, position: Position): void {
    this.#length += text.length;
    if (this.#length > maxTextLength)
      throw new TemplateError(`the output exceeds ${maxTextLength} characters`, position);
    this.#made.push(text);
  }

  #step(position: Position): void {
    if (++this.#steps > maxSteps) throw new TemplateError(`the template takes more than ${maxSteps} steps`, position);
  }
}

function pathOf(value: Value, path: readonly string[], position: Position): Value {
  let current = value;
  for (const name of path) {
    if (!isJsonObject(current)) {
      throw new TemplateError(`can't evaluate field ${name} in a value of type ${typeName(current)}`, position);
    }
    const member = getMember(current, name);
    if (member === undefined) throw new TemplateError(`field ${name} not found`, position);
    current = member;
  }
  return current;
}

/**
 * Yields the keys and values that `range` iterates over: a list, a map in sorted order, or the integers below a number.
 */
function* iterationsOf(over: Value, position: Position): Generator<readonly [key: Value, value: Value]> {
  if (over === null) return;
  if (Array.isArray(over)) yield* over.entries();
  else if (isJsonObject(over)) for (const key of sortedKeys(over)) yield [key, getMember(over, key) ?? null];
  else if (typeof over === 'number' && Number.isInteger(over)) for (let at = 0; at < over; at++) yield [at, at];
  else throw new TemplateError(`range can't iterate over a value of type ${typeName(over)}`, position);
}
