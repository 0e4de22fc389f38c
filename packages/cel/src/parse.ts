import type { ASTNode } from '@marcbachmann/cel-js';
import type { Call, Expression } from './expression.ts';
import { SyntaxIssue } from './issues.ts';
import { expandBinding, expandMacro, isBindingCall } from './macros.ts';
import { type MessageLiteral, rewriteMessages } from './message-literals.ts';
import { CelUint, type CelValue } from './value.ts';

/** The maximum length of an expression in code points. Kubernetes has the same limit. */
const MAX_CODE_POINTS = 100_000;

/** The maximum nesting depth of an expression. Functions that walk an expression recurse once per level. */
const MAX_DEPTH = 1000;

const MAX_INT = 2n ** 63n - 1n;

/** Optional syntax that expressions may contain in addition to the syntax of all Kubernetes expressions. */
interface ParseOptions {
  /** True if `cel.bind(name, value, expression)` is a macro. Optional; defaults to false. */
  readonly bindings?: boolean;
}

export type Parse = (text: string, options?: ParseOptions) => Expression;

let loading: Promise<Parse> | undefined;

/** Loads the CEL grammar at the first use, because most servers never compile an expression. */
export function loadParser(): Promise<Parse> {
  loading ??= import('@marcbachmann/cel-js').then(({ Environment }) => {
    const grammar = new Environment({
      enableOptionalTypes: true,
      limits: { maxListElements: 10_000, maxMapEntries: 10_000, maxCallArguments: 10_000 },
    });
    return (text, options = {}) => parseWith((source) => grammar.parse(source).ast, text, options);
  });
  return loading;
}

function parseWith(grammar: (text: string) => ASTNode, text: string, options: ParseOptions): Expression {
  if (text.length > MAX_CODE_POINTS && [...text].length > MAX_CODE_POINTS) {
    throw new SyntaxIssue(
      0,
      `expression code point size exceeds limit: size: ${[...text].length}, limit ${MAX_CODE_POINTS}`,
    );
  }
  const rewritten = rewriteMessages(text);
  let tree: ASTNode;
  try {
    tree = grammar(rewritten.text);
  } catch (error) {
    throw asIssue(error);
  }
  return convert(tree, 0, { messages: rewritten.messages, hasBindings: options.bindings === true });
}

/** Kubernetes' message for an expression that ends too early, which is the most common syntax error. */
const UNFINISHED =
  "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

interface ParseFailure {
  readonly code?: string;
  readonly summary?: string;
  readonly message: string;
  readonly range?: { readonly start: number };
}

function asIssue(error: unknown): SyntaxIssue {
  // Each operator of a long sequence such as `!!!!…` is one nesting level. The grammar does not limit these levels, so
  // the parser can overflow the stack.
  if (error instanceof RangeError) return new SyntaxIssue(0, 'expression recursion limit exceeded');
  const { code, summary, message, range } = error as ParseFailure;
  const at = range?.start ?? 0;
  if (code === 'invalid_macro_argument') {
    const isQuantifier = /^(all|exists|exists_one)\(/.test(summary ?? '');
    return new SyntaxIssue(at, isQuantifier ? 'argument must be a simple name' : 'argument is not an identifier');
  }
  if (code === 'reserved_identifier') return new SyntaxIssue(at, `reserved identifier: ${summary?.split(': ')[1]}`);
  const text = summary === 'Unexpected token: EOF' ? UNFINISHED : (summary ?? message);
  return new SyntaxIssue(at, `Syntax error: ${text}`);
}

const OPERATORS = new Set(['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%']);

interface Source {
  readonly messages: ReadonlyMap<number, MessageLiteral>;
  readonly hasBindings: boolean;
}

function convert(node: ASTNode, depth: number, source: Source): Expression {
  if (depth > MAX_DEPTH) throw new SyntaxIssue(node.start, `expression recursion limit exceeded: ${MAX_DEPTH}`);
  const inner = (child: ASTNode): Expression => convert(child, depth + 1, source);
  const call = (at: number, name: string, args: readonly Expression[]): Expression => ({
    kind: 'call',
    at,
    name,
    args,
  });
  switch (node.op) {
    case 'value':
      return { kind: 'constant', at: node.start, value: literalValue(node, node.args) };
    case 'id':
      return { kind: 'identifier', at: node.start, name: node.args };
    case '.':
      return { kind: 'select', at: dotBefore(node), operand: inner(node.args[0]), field: node.args[1], test: false };
    case '.?': {
      const field: Expression = { kind: 'constant', at: node.pos, value: node.args[1] };
      return call(dotBefore(node), '_?._', [inner(node.args[0]), field]);
    }
    case '[]':
      return call(after(node.args[0], '['), '_[_]', node.args.map(inner));
    case '[?]':
      return call(after(node.args[0], '['), '_[?_]', node.args.map(inner));
    case 'call': {
      const [name, args] = node.args;
      const open = node.input.indexOf('(', node.start + name.length);
      const message = source.messages.get(open);
      if (message !== undefined) return messageExpression(open, message, args.map(inner));
      return expandMacro({ kind: 'call', at: node.start + name.length, name, args: args.map(inner) });
    }
    case 'rcall': {
      const [name, target, args] = node.args;
      const at = node.input.indexOf('(', node.input.indexOf(name, after(target, '.')));
      const call: Call = { kind: 'call', at, name, target: inner(target), args: args.map(inner) };
      return source.hasBindings && isBindingCall(call) ? expandBinding(call) : expandMacro(call);
    }
    case 'list':
      return { kind: 'list', at: node.start, elements: node.args.map(inner) };
    case 'map':
      return {
        kind: 'map',
        at: node.start,
        entries: node.args.map(([key, value]) => [inner(key), inner(value)] as const),
      };
    case '?:':
      return call(after(node.args[0], '?'), '_?_:_', node.args.map(inner));
    case '||':
    case '&&':
      return balanced(node, `_${node.op}_`, inner);
    case '!_':
      return call(node.start, '!_', [inner(node.args)]);
    case '-_':
      return negated(node.start, node.args, inner);
    case 'in':
      return call(after(node.args[0], 'in'), '@in', node.args.map(inner));
    default:
      if (!OPERATORS.has(node.op)) throw new SyntaxIssue(node.start, `Syntax error: ${node.op}`);
      return call(after(node.args[0], node.op), `_${node.op}_`, node.args.map(inner));
  }
}

/**
 * Returns the message literal for a call that replaced it in the source text. The arguments of the call are the names
 * and values of the fields.
 */
function messageExpression(at: number, message: MessageLiteral, args: readonly Expression[]): Expression {
  if (args.length !== 2 * message.fields.length) throw new SyntaxIssue(at, 'Syntax error: a field has no value');
  const fields = message.fields.map((field, index) => ({ ...field, value: args[2 * index + 1] as Expression }));
  return { kind: 'message', at, typeName: message.typeName, fields };
}

/**
 * Parses `-1` as one literal, because the absolute value of the smallest integer is larger than the largest integer.
 */
function negated(at: number, operand: ASTNode, inner: (node: ASTNode) => Expression): Expression {
  if (operand.op === 'value' && typeof operand.args === 'bigint' && operand.args === MAX_INT + 1n) {
    return { kind: 'constant', at, value: -operand.args };
  }
  const value = inner(operand);
  const isLiteral = !operand.input.slice(at, operand.start).includes('(');
  if (isLiteral && value.kind === 'constant' && (typeof value.value === 'bigint' || typeof value.value === 'number')) {
    return { kind: 'constant', at, value: -value.value };
  }
  return { kind: 'call', at, name: '-_', args: [value] };
}

/** Converts a chain of `&&` or `||` to a balanced tree, so that a long chain does not exceed the depth limit. */
function balanced(node: ASTNode, name: string, inner: (node: ASTNode) => Expression): Expression {
  const terms: ASTNode[] = [];
  const places: number[] = [];
  let rest = node;
  while (rest.op === node.op) {
    const [left, right] = rest.args as [ASTNode, ASTNode];
    terms.push(right);
    places.push(after(left, rest.op));
    rest = left;
  }
  terms.push(rest);
  terms.reverse();
  places.reverse();
  const build = (from: number, to: number): Expression => {
    if (from === to) return inner(terms[from] as ASTNode);
    const middle = (from + to) >> 1;
    const at = places[middle] as number;
    return { kind: 'call', at, name, args: [build(from, middle), build(middle + 1, to)] };
  };
  return build(0, terms.length - 1);
}

function literalValue(node: ASTNode, value: unknown): CelValue {
  if (typeof value === 'bigint') {
    if (value > MAX_INT) throw new SyntaxIssue(node.start, 'invalid int literal');
    return value;
  }
  if (value instanceof Uint8Array) {
    const source = node.input.slice(node.start, node.end);
    // The grammar returns one byte per character. Characters beyond ASCII have to be encoded in UTF-8 instead.
    const text = /^[bB](?:"""|'''|"|')([^\\]*?)(?:"""|'''|"|')$/s.exec(source)?.[1];
    return text === undefined ? value : new TextEncoder().encode(text);
  }
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') {
    return value;
  }
  return new CelUint((value as { value: bigint }).value);
}

/** Returns the offset of an operator in the source text, searching from the end of its left operand. */
function after(operand: ASTNode, operator: string): number {
  return Math.max(0, operand.input.indexOf(operator, operand.end));
}

function dotBefore(node: ASTNode): number {
  return Math.max(0, node.input.lastIndexOf('.', node.pos - 1));
}
