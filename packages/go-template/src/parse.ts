import { unquote } from './literals.ts';
import type { Node, Pipeline, Template } from './nodes.ts';
import { parsePipeline } from './parse-pipeline.ts';
import { scan, type TemplateSegment } from './scan.ts';
import { positionAt, TemplateError } from './template-error.ts';
import { TokenReader } from './token-reader.ts';

/** The maximum nesting depth of blocks, which limits the recursion of the parser. */
const maxDepth = 100;

/**
 * Parses a template of Go's `text/template`. `isFunction` returns true for names of functions. Throws TemplateError.
 */
export function parseTemplate(text: string, isFunction: (name: string) => boolean): Template {
  return new Parser(text, isFunction).parse();
}

type Keyword = 'if' | 'with' | 'range';

interface Block {
  readonly nodes: Node[];
  /**
   * The keyword that ended the block, and the reader, whose next token is the one after that keyword. Absent if the
   * template ended before such a keyword.
   */
  readonly end?: { readonly word: 'end' | 'else'; readonly reader: TokenReader };
}

class Parser {
  readonly #text: string;
  readonly #isFunction: (name: string) => boolean;
  readonly #pieces: readonly TemplateSegment[];
  readonly #named = new Map<string, readonly Node[]>();
  #next = 0;
  #depth = 0;
  #ranges = 0;
  /** The variables that are defined at this position. `$` is the argument of the template. */
  #variables: string[] = ['$'];

  constructor(text: string, isFunction: (name: string) => boolean) {
    this.#text = text;
    this.#isFunction = isFunction;
    this.#pieces = scan(text);
  }

  parse(): Template {
    const { nodes, end } = this.#block();
    if (end !== undefined) end.reader.fail(`unexpected {{${end.word}}}`);
    return { nodes, named: this.#named };
  }

  #block(): Block {
    if (++this.#depth > maxDepth) this.#fail('blocks are nested too deeply');
    const nodes: Node[] = [];
    for (let piece = this.#pieces[this.#next]; piece !== undefined; piece = this.#pieces[this.#next]) {
      this.#next++;
      if (piece.type === 'text') {
        nodes.push(piece);
        continue;
      }
      const reader = new TokenReader(this.#text, piece.tokens, piece.offset);
      const word = reader.takeWord('end', 'else');
      if (word === 'end') reader.end('end');
      if (word !== undefined) {
        this.#depth--;
        return { nodes, end: { word: word as 'end' | 'else', reader } };
      }
      const node = this.#action(reader);
      if (node !== undefined) nodes.push(node);
    }
    this.#depth--;
    return { nodes };
  }

  #action(reader: TokenReader): Node | undefined {
    const position = reader.position;
    const keyword = reader.takeWord('if', 'with', 'range');
    if (keyword !== undefined) return this.#conditional(keyword as Keyword, reader);
    if (reader.takeWord('define') !== undefined) return this.#define(reader);
    if (reader.takeWord('template') !== undefined) {
      return { type: 'template', ...this.#call(reader, 'template clause'), position };
    }
    if (reader.takeWord('block') !== undefined) {
      const call = this.#call(reader, 'block clause');
      this.#body(call.name, 'block', ['$']);
      return { type: 'template', ...call, position };
    }
    const jump = this.#ranges > 0 ? reader.takeWord('break', 'continue') : undefined;
    if (jump !== undefined) {
      reader.end(jump);
      return { type: jump as 'break' | 'continue' };
    }
    return { type: 'action', pipeline: this.#pipeline(reader, 'command') };
  }

  #conditional(type: Keyword, reader: TokenReader): Node {
    const position = reader.position;
    const known = this.#variables.length;
    const pipeline = this.#pipeline(reader, type);
    if (type === 'range') this.#ranges++;
    const { nodes: body, end } = this.#block();
    if (type === 'range') this.#ranges--;
    const otherwise = end?.word === 'else' ? this.#otherwise(type, end.reader) : [];
    if (end === undefined) throw new TemplateError(`{{${type}}} has no matching {{end}}`, position);
    this.#variables.length = known;
    return { type, pipeline, body, otherwise, position };
  }

  #otherwise(type: Keyword, reader: TokenReader): Node[] {
    const again = type === 'range' ? undefined : reader.takeWord(type);
    // An {{else if}} has no {{end}} of its own: the {{end}} of the outer {{if}} ends both.
    if (again !== undefined) return [this.#conditional(type, reader)];
    reader.end('else');
    const position = reader.position;
    const { nodes, end } = this.#block();
    if (end === undefined) throw new TemplateError(`{{else}} has no matching {{end}}`, position);
    if (end.word === 'else') end.reader.fail('unexpected {{else}}');
    return nodes;
  }

  #define(reader: TokenReader): undefined {
    if (this.#depth > 1) reader.fail('unexpected {{define}}');
    const name = this.#name(reader, 'define clause');
    reader.end('define clause');
    this.#body(name, 'define', ['$']);
  }

  /** Parses the body of a named template until its {{end}}. The body cannot use variables from outside. */
  #body(name: string, word: string, variables: string[]): void {
    const outer = { variables: this.#variables, ranges: this.#ranges };
    this.#variables = variables;
    this.#ranges = 0;
    const { nodes, end } = this.#block();
    if (end?.word !== 'end') this.#fail(`{{${word} ${JSON.stringify(name)}}} has no matching {{end}}`);
    this.#variables = outer.variables;
    this.#ranges = outer.ranges;
    this.#named.set(name, nodes);
  }

  #call(reader: TokenReader, what: string): { name: string; pipeline?: Pipeline } {
    const name = this.#name(reader, what);
    reader.skipSpace();
    return reader.peek() === undefined ? { name } : { name, pipeline: this.#pipeline(reader, what) };
  }

  #name(reader: TokenReader, what: string): string {
    const token = reader.take('string');
    const name = token === undefined ? undefined : unquote(token.text);
    return name ?? reader.fail(`missing quoted name in ${what}`);
  }

  #pipeline(reader: TokenReader, what: string): Pipeline {
    const pipeline = parsePipeline(reader, what, { variables: this.#variables, isFunction: this.#isFunction });
    reader.end(what);
    return pipeline;
  }

  #fail(message: string): never {
    const piece = this.#pieces[Math.min(this.#next, this.#pieces.length) - 1];
    throw new TemplateError(
      message,
      positionAt(this.#text, piece?.type === 'action' ? piece.offset : this.#text.length),
    );
  }
}
