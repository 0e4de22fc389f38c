import { type FieldPath, isSamePath } from '../merge/field-path.ts';

/** The completions at the cursor in a YAML text. The text may be incomplete, so only its indentation is used. */
export type CursorContext =
  | {
      readonly kind: 'name';
      /** The path of the object to which the completed name belongs. */
      readonly parent: FieldPath;
      /** The column at which the field name starts. */
      readonly column: number;
      /** The names of the other members that the object already has. */
      readonly present: readonly string[];
    }
  | { readonly kind: 'value'; readonly steps: FieldPath; readonly column: number };

/** A line of a YAML text that contains a member of an object. */
export interface MemberLine {
  readonly line: number;
  readonly parent: FieldPath;
  readonly name: string;
  readonly column: number;
}

interface Level {
  readonly column: number;
  readonly isList: boolean;
  step: string | number;
}

const member = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)/;
const blockText = /^[|>][-+0-9]*\s*(?:#.*)?$/;

/** Reads the lines of a text from the top, and tracks the object that each line belongs to. */
class LineWalk {
  readonly levels: Level[] = [];
  readonly members: MemberLine[] = [];
  /**
   * The column of the field whose value is the current block scalar. Lines that are indented deeper belong to the
   * scalar. -1 outside a block scalar.
   */
  #blockIndent = -1;

  /** True if the line is part of a block scalar, which has no members. */
  isText(line: string): boolean {
    if (this.#blockIndent < 0) return false;
    if (line.trim() === '' || indentOf(line) > this.#blockIndent) return true;
    this.#blockIndent = -1;
    return false;
  }

  take(line: string, number: number): void {
    if (this.isText(line)) return;
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    if (/^(---|\.\.\.)(\s|$)/.test(line)) {
      this.levels.length = 0;
      return;
    }
    const column = this.intoItems(line);
    const rest = line.slice(column);
    const match = member.exec(rest);
    if (match === null) return;
    const name = unquoted(match[1] ?? '');
    this.enter(column);
    this.members.push({ line: number, parent: this.steps(), name, column });
    this.levels.push({ column, isList: false, step: name });
    if (blockText.test(rest.slice(match[0].length).trim())) this.#blockIndent = column;
  }

  /**
   * Enters the list items that start in the line. Returns the column at which the content of the innermost list item
   * starts.
   */
  intoItems(line: string): number {
    let column = indentOf(line);
    while (line[column] === '-' && (line[column + 1] === ' ' || line[column + 1] === undefined)) {
      this.#leave((level) => level.column > column);
      const top = this.levels.at(-1);
      if (top?.isList && top.column === column && typeof top.step === 'number') top.step++;
      else this.levels.push({ column, isList: true, step: 0 });
      column += 1;
      while (line[column] === ' ') column++;
    }
    return column;
  }

  /** Leaves all objects and lists that cannot contain a member at this column. */
  enter(column: number): void {
    this.#leave((level) => level.column >= column);
  }

  steps(): FieldPath {
    return this.levels.map(({ step }) => step);
  }

  #leave(isOver: (level: Level) => boolean): void {
    for (let top = this.levels.at(-1); top !== undefined && isOver(top); top = this.levels.at(-1)) this.levels.pop();
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function unquoted(name: string): string {
  return /^(".*"|'.*')$/.test(name) ? name.slice(1, -1) : name;
}

/** Returns all lines that contain a member, each with the path of the object that has this member. */
export function memberLines(lines: readonly string[]): readonly MemberLine[] {
  const walk = new LineWalk();
  for (const [number, line] of lines.entries()) walk.take(line, number);
  return walk.members;
}

/** Returns the cursor's context; `line` and `column` count from 0. `undefined` if nothing can be completed there. */
export function cursorContext(lines: readonly string[], line: number, column: number): CursorContext | undefined {
  const walk = new LineWalk();
  for (let number = 0; number < line; number++) walk.take(lines[number] ?? '', number);
  const before = (lines[line] ?? '').slice(0, column);
  if (walk.isText(before.trim() === '' ? lines[line] || before : before)) return undefined;
  if (/(^|\s)#/.test(before)) return undefined;
  const start = walk.intoItems(before);
  const rest = before.slice(start);
  const match = member.exec(rest);
  if (match !== null) {
    walk.enter(start);
    const value = rest.slice(match[0].length);
    const steps = [...walk.steps(), unquoted(match[1] ?? '')];
    return { kind: 'value', steps, column: before.length - value.trimStart().length };
  }
  if (/[\s"'{[]/.test(rest)) return undefined;
  walk.enter(start);
  const parent = walk.steps();
  const present = memberLines(lines)
    .filter((other) => other.line !== line && isSamePath(other.parent, parent))
    .map(({ name }) => name);
  return { kind: 'name', parent, column: start, present };
}
