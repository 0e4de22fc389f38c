export type Literal = string | number | boolean | null;

/**
 * An expression with a value. `offset` is its offset in the template. `path` lists the nested fields that are selected from
 * the value: `.a.b`.
 */
export type Operand =
  | { readonly type: 'literal'; readonly value: Literal; readonly offset: number }
  | { readonly type: 'dot'; readonly path: readonly string[]; readonly offset: number }
  | { readonly type: 'variable'; readonly name: string; readonly path: readonly string[]; readonly offset: number }
  | { readonly type: 'function'; readonly name: string; readonly offset: number }
  | {
      readonly type: 'pipeline';
      readonly pipeline: Pipeline;
      readonly path: readonly string[];
      readonly offset: number;
    };

/** One command of a pipeline: a value, or a function with its arguments. */
export interface Command {
  readonly operands: readonly Operand[];
  readonly offset: number;
}

export interface Pipeline {
  /** The variables that the pipeline declares or assigns. */
  readonly variables: readonly string[];
  readonly declares: boolean;
  readonly commands: readonly Command[];
  readonly offset: number;
}

export type Node =
  | { readonly type: 'text'; readonly text: string; readonly offset: number }
  | { readonly type: 'action'; readonly pipeline: Pipeline }
  | {
      readonly type: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
      readonly offset: number;
    }
  | { readonly type: 'template'; readonly name: string; readonly pipeline?: Pipeline; readonly offset: number }
  | { readonly type: 'break' | 'continue' };

/** A parsed template: its own nodes, and the templates that `define` and `block` name. */
export interface Template {
  readonly text: string;
  readonly nodes: readonly Node[];
  readonly named: ReadonlyMap<string, readonly Node[]>;
}
