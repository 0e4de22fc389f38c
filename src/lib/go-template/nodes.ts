import type { Position } from './template-error.ts';

export type Literal = string | number | boolean | null;

/** Something that has a value. `path`: members that are taken of it, one after the other. */
export type Operand =
  | { readonly type: 'literal'; readonly value: Literal; readonly position: Position }
  | { readonly type: 'dot'; readonly path: readonly string[]; readonly position: Position }
  | { readonly type: 'variable'; readonly name: string; readonly path: readonly string[]; readonly position: Position }
  | { readonly type: 'function'; readonly name: string; readonly position: Position }
  | {
      readonly type: 'pipeline';
      readonly pipeline: Pipeline;
      readonly path: readonly string[];
      readonly position: Position;
    };

/** One step of a pipeline: a value, or a function and what it is given. */
export interface Command {
  readonly operands: readonly Operand[];
  readonly position: Position;
}

export interface Pipeline {
  /** Variables that it declares or sets. */
  readonly variables: readonly string[];
  readonly declares: boolean;
  readonly commands: readonly Command[];
  readonly position: Position;
}

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly pipeline: Pipeline }
  | {
      readonly type: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
      readonly position: Position;
    }
  | { readonly type: 'template'; readonly name: string; readonly pipeline?: Pipeline; readonly position: Position }
  | { readonly type: 'break' | 'continue' };

/** A template as it was read: its own nodes, and those that `define` and `block` gave a name. */
export interface Template {
  readonly nodes: readonly Node[];
  readonly named: ReadonlyMap<string, readonly Node[]>;
}
