import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import { cursorContext, memberLines } from './cursor-context.ts';
import { type OpenApiSchema, type SchemaTree, suggestedValues, typeText } from './schema-tree.ts';

export const setSchema = StateEffect.define<SchemaTree | undefined>();

/** The schema that completion and hints use; `undefined` until it is loaded. */
export const schemaField = StateField.define<SchemaTree | undefined>({
  create: () => undefined,
  update: (tree, { effects }) => effects.reduce((now, effect) => (effect.is(setSchema) ? effect.value : now), tree),
});

function linesOf(state: EditorState): readonly string[] {
  return state.doc.toString().split('\n');
}

function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const tree = state.field(schemaField);
  if (tree === undefined) return null;
  const line = state.doc.lineAt(pos);
  const place = cursorContext(linesOf(state), line.number - 1, pos - line.from);
  if (place === undefined) return null;
  const from = line.from + place.column;
  if (place.kind === 'value') {
    const schema = tree.at(place.steps);
    const values = schema === undefined ? [] : suggestedValues(schema);
    return values.length === 0 ? null : { from, options: values.map((label) => ({ label, type: 'constant' })) };
  }
  if (from === pos && !explicit) return null;
  const parent = tree.at(place.parent);
  const names = Object.keys(parent?.properties ?? {}).filter((name) => !place.present.includes(name));
  if (parent === undefined || names.length === 0) return null;
  const hasColon = /^\s*:/.test(state.doc.sliceString(pos, line.to));
  return {
    from,
    options: names.map((name) => fieldOption(name, parent, tree, { indent: place.column, hasColon })),
    validFor: /^[\w$-]*$/,
  };
}

/**
 * Returns the completion option for a field name. `hasColon` is true if a colon already follows the name in the text.
 */
function fieldOption(
  name: string,
  parent: OpenApiSchema,
  tree: SchemaTree,
  { indent, hasColon }: { readonly indent: number; readonly hasColon: boolean },
): Completion {
  const schema = tree.member(parent, name) ?? {};
  const isRequired = parent.required?.includes(name) === true;
  return {
    label: name,
    type: 'property',
    detail: `${typeText(schema, tree)}${isRequired ? ', required' : ''}`,
    ...(schema.description === undefined ? {} : { info: schema.description }),
    apply: hasColon ? name : `${name}${opening(schema, indent)}`,
    boost: isRequired ? 1 : 0,
  };
}

/** Returns the text to insert after a completed field name, for example the start of a list. */
function opening(schema: OpenApiSchema, indent: number): string {
  const pad = ' '.repeat(indent);
  if (schema.type === 'array') return `:\n${pad}- `;
  return schema.type === 'object' ? `:\n${pad}  ` : ': ';
}

/** A field of the text that the schema describes, with its offsets. */
interface KnownField {
  readonly name: string;
  readonly schema: OpenApiSchema;
  readonly from: number;
  readonly to: number;
}

function fieldOfLine(state: EditorState, pos: number): KnownField | undefined {
  const tree = state.field(schemaField);
  if (tree === undefined) return undefined;
  const line = state.doc.lineAt(pos);
  const found = memberLines(linesOf(state)).find((each) => each.line === line.number - 1);
  const schema = found === undefined ? undefined : tree.at([...found.parent, found.name]);
  if (found === undefined || schema === undefined) return undefined;
  const from = line.from + found.column;
  return { name: found.name, schema, from, to: from + found.name.length };
}

/**
 * Describes the field in the cursor's line, for users who cannot hover over the field; '' if the schema does not
 * contain it.
 */
export function fieldHint(state: EditorState): string {
  const tree = state.field(schemaField);
  const field = fieldOfLine(state, state.selection.main.head);
  if (tree === undefined || field === undefined) return '';
  const { name, schema } = field;
  return `${name}: ${typeText(schema, tree)}.${schema.description === undefined ? '' : ` ${schema.description}`}`;
}

function hint(view: EditorView, pos: number): Tooltip | null {
  const tree = view.state.field(schemaField);
  const field = fieldOfLine(view.state, pos);
  if (tree === undefined || field === undefined || pos < field.from || pos > field.to) return null;
  const { name, schema, from, to } = field;
  return { pos: from, end: to, above: true, create: () => ({ dom: hintElement(name, schema, tree) }) };
}

/** Builds the tooltip of a field. Schema texts are untrusted, so they are inserted as text, not as HTML. */
function hintElement(name: string, schema: OpenApiSchema, tree: SchemaTree): HTMLElement {
  const part = (tag: string, className: string, text: string) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const hintBox = part('div', 'cm-hint', '');
  const head = document.createElement('div');
  head.append(part('span', 'cm-hint-name', name), part('span', 'cm-hint-type', `  ${typeText(schema, tree)}`));
  hintBox.append(head);
  if (schema.description !== undefined) hintBox.append(part('div', '', schema.description));
  if (schema.enum !== undefined) hintBox.append(part('div', 'cm-hint-type', schema.enum.map(String).join(', ')));
  return hintBox;
}

export const schemaSupport: Extension = [
  schemaField,
  autocompletion({ override: [complete], icons: false }),
  hoverTooltip(hint),
];
