import type { KnownVariables } from './known-variables.ts';
import { characterCode, parseNumber, unquote } from './literals.ts';
import type { Command, Literal, Operand, Pipeline } from './nodes.ts';
import { describe, type TokenReader } from './token-reader.ts';

/** The variables and functions that are defined at this position. A pipeline that declares variables adds them. */
export interface KnownNames {
  readonly variables: KnownVariables;
  isFunction(name: string): boolean;
}

const maxDepth = 50;

/** Parses a pipeline until its end, a closing parenthesis, or a token that cannot be part of a pipeline. */
export function parsePipeline(reader: TokenReader, what: string, names: KnownNames, depth = 0): Pipeline {
  if (depth > maxDepth) reader.fail('parentheses are nested too deeply');
  reader.skipSpace();
  const { offset } = reader;
  const target = depth === 0 ? parseTarget(reader, what, names) : noTarget;
  reader.skipSpace();
  // Most lists in a template have one item. An array literal with one item takes much less memory than an empty array
  // that grows.
  const commands = [parseCommand(reader, what, names, depth)];
  while (reader.take('pipe') !== undefined) {
    reader.skipSpace();
    commands.push(parseCommand(reader, what, names, depth));
  }
  for (const { operands, offset: at } of commands.slice(1)) {
    if (operands[0]?.type === 'literal')
      reader.fail(`a value that is not a function is part of a pipeline at line ${reader.lineAt(at)}`);
  }
  if (target.declares) for (const name of target.variables) names.variables.declare(name);
  return { variables: target.variables, declares: target.declares, commands, offset };
}

type Target = Pick<Pipeline, 'variables' | 'declares'>;

const noTarget: Target = { variables: [], declares: false };

/** Parses the variables that a pipeline declares or assigns: `$a :=`, `$a =`, and in a range `$a, $b :=`. */
function parseTarget(reader: TokenReader, what: string, names: KnownNames): Target {
  const first = reader.peek();
  if (first?.type !== 'variable') return noTarget;
  const afterSpace = reader.peek(1)?.type === 'space' ? 2 : 1;
  const follows = reader.peek(afterSpace)?.type;
  if (follows !== 'declare' && follows !== 'assign' && !(follows === 'comma' && what === 'range')) return noTarget;
  const variables: string[] = [];
  for (;;) {
    const token = reader.take('variable') ?? reader.fail(`missing variable in ${what}`);
    variables.push(token.text);
    reader.skipSpace();
    if (reader.take('comma') === undefined) break;
    if (variables.length === 2) reader.fail(`too many declarations in ${what}`);
    reader.skipSpace();
  }
  const declares = reader.take('declare') !== undefined;
  if (!declares && reader.take('assign') === undefined) reader.fail(`missing := or = in ${what}`);
  if (!declares) for (const name of variables) knownVariable(reader, name, names);
  return { variables, declares };
}

function knownVariable(reader: TokenReader, name: string, names: KnownNames): void {
  if (!names.variables.has(name)) reader.fail(`undefined variable ${JSON.stringify(name)}`);
}

function parseCommand(reader: TokenReader, what: string, names: KnownNames, depth: number): Command {
  const { offset } = reader;
  const first = parseOperand(reader, names, depth) ?? failWithoutValue(reader, what);
  const operands = [first];
  while (reader.take('space') !== undefined) {
    const operand = parseOperand(reader, names, depth);
    if (operand === undefined) break;
    operands.push(operand);
  }
  if (first.type === 'literal' && first.value === null) reader.fail('nil is not a command');
  if (operands.length > 1 && first.type === 'literal') {
    reader.fail(`can't give arguments to the non-function ${JSON.stringify(first.value)}`);
  }
  return { operands, offset };
}

function failWithoutValue(reader: TokenReader, what: string): never {
  const next = reader.peek();
  return reader.fail(next === undefined ? `missing value for ${what}` : `unexpected ${describe(next)} in ${what}`);
}

function parseOperand(reader: TokenReader, names: KnownNames, depth: number): Operand | undefined {
  const { offset } = reader;
  const token = reader.peek();
  switch (token?.type) {
    case 'dot':
      reader.take('dot');
      return { type: 'dot', path: noPath, offset };
    case 'field':
      return { type: 'dot', path: parsePath(reader), offset };
    case 'variable':
      knownVariable(reader, token.text, names);
      reader.take('variable');
      return { type: 'variable', name: token.text, path: parsePath(reader), offset };
    case 'open': {
      reader.take('open');
      const pipeline = parsePipeline(reader, 'parenthesized pipeline', names, depth + 1);
      reader.skipSpace();
      if (reader.take('close') === undefined) reader.fail('unclosed left paren');
      return { type: 'pipeline', pipeline, path: parsePath(reader), offset };
    }
    case 'identifier':
      return parseWord(reader, names, offset);
    case 'string':
    case 'number':
    case 'character': {
      const value = literalOf(token.type, token.text) ?? reader.fail(`bad ${token.type} ${token.text}`);
      reader.take(token.type);
      const next = reader.peek();
      if (next?.type === 'identifier' || next?.type === 'field')
        reader.fail(`unexpected ${describe(next)} after ${token.text}`);
      return { type: 'literal', value, offset };
    }
    default:
      return undefined;
  }
}

const words: Readonly<Record<string, Literal>> = { true: true, false: false, nil: null };

function parseWord(reader: TokenReader, names: KnownNames, offset: number): Operand {
  const name = reader.peek()?.text ?? '';
  if (Object.hasOwn(words, name)) {
    reader.take('identifier');
    return { type: 'literal', value: words[name] ?? null, offset };
  }
  if (!names.isFunction(name)) reader.fail(`function ${JSON.stringify(name)} not defined`);
  reader.take('identifier');
  return { type: 'function', name, offset };
}

function literalOf(type: 'string' | 'number' | 'character', text: string): Literal | undefined {
  if (type === 'string') return unquote(text);
  return type === 'number' ? parseNumber(text) : characterCode(text);
}

const noPath: readonly string[] = [];

/** Parses a path of fields such as `.a.b`, which must not contain white space. */
function parsePath(reader: TokenReader): readonly string[] {
  const first = reader.take('field');
  if (first === undefined) return noPath;
  const path = [first.text.slice(1)];
  for (let token = reader.take('field'); token !== undefined; token = reader.take('field')) {
    path.push(token.text.slice(1));
  }
  return path;
}
