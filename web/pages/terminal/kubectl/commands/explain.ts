import { apiVersionOf } from '../../../../../src/api/meta.ts';
import {
  type OpenApiDocument,
  type OpenApiSchema,
  type SchemaTree,
  schemaOfKind,
  typeText,
} from '../../../../components/editor/schema/schema-tree.ts';
import type { ServedKind } from '../../../../data/discovery.ts';
import type { Command, CommandContext } from '../command.ts';
import { KubectlError } from '../kubectl-error.ts';
import { resolveKind } from '../syntax/resolve-kind.ts';

export const explainCommand: Command = {
  name: 'explain',
  usage: 'TYPE[.FIELD…]',
  about: 'show the fields of a kind and their descriptions',
  positional: 'kind',
  flags: [{ name: 'recursive', type: 'switch', about: 'show the names and types of all fields below' }],
  async run(args, context) {
    const [text, more] = args.words;
    if (text === undefined || more !== undefined) throw new KubectlError('explain needs one TYPE or TYPE.FIELD');
    const { kind, fields } = await resolvePath(text, context);
    const tree = await schemaTree(kind, context);
    const schema = fieldSchema(tree, fields, text);
    const lines = [
      ...(kind.group === '' ? [] : [`GROUP:      ${kind.group}`]),
      `KIND:       ${kind.kind}`,
      `VERSION:    ${kind.version}`,
      '',
      ...(fields.length === 0 ? [] : [`FIELD: ${fields.at(-1)} <${typeText(schema.own, tree)}>`, '']),
      'DESCRIPTION:',
      ...wrapped(schema.own.description ?? '<empty>', '    '),
      '',
      ...fieldsText(schema.members, tree, args.isOn('recursive')),
    ];
    context.print(lines.join('\n').trimEnd());
  },
};

/** Splits `deployments.apps.spec.replicas` into the kind and the path of the field. */
async function resolvePath(
  text: string,
  context: CommandContext,
): Promise<{ readonly kind: ServedKind; readonly fields: readonly string[] }> {
  const served = await context.served();
  const parts = text.split('.');
  // Uses the longest prefix that names a kind. The prefix may contain dots, because it can include the name of the API
  // group.
  for (let count = parts.length; count > 1; count -= 1) {
    try {
      return { kind: resolveKind(served, parts.slice(0, count).join('.')), fields: parts.slice(count) };
    } catch {
      // This prefix names no kind, so the loop tries a shorter one.
    }
  }
  return { kind: resolveKind(served, parts[0] ?? ''), fields: parts.slice(1) };
}

async function schemaTree(kind: ServedKind, { root, api, signal }: CommandContext): Promise<SchemaTree> {
  const url = `${root}/openapi/v3/${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`;
  const tree = schemaOfKind(await api.json<OpenApiDocument>({ url, signal }), kind);
  if (tree === undefined) throw new KubectlError(`the server publishes no schema of ${kind.kind}`);
  return tree;
}

/**
 * Returns the schema of a field, and the schema that lists the field's members. For a list, the second schema is that
 * of the items.
 */
function fieldSchema(tree: SchemaTree, fields: readonly string[], text: string) {
  let own = tree.root;
  let members = itemOf(tree, own);
  for (const field of fields) {
    const next = tree.member(members, field);
    if (next === undefined) throw new KubectlError(`field "${field}" of "${text}" does not exist`);
    own = next;
    members = itemOf(tree, own);
  }
  return { own, members };
}

function itemOf(tree: SchemaTree, schema: OpenApiSchema): OpenApiSchema {
  const item = schema.type === 'array' ? tree.item(schema) : undefined;
  return item === undefined ? schema : itemOf(tree, item);
}

function fieldsText(schema: OpenApiSchema, tree: SchemaTree, isRecursive: boolean): string[] {
  const names = Object.keys(schema.properties ?? {}).sort();
  if (names.length === 0) return [];
  return ['FIELDS:', ...names.flatMap((name) => oneField(schema, name, tree, { isRecursive, indent: '  ', depth: 0 }))];
}

/**
 * The maximum depth of listed fields. Needed because some schemas are recursive, such as the schema of JSON Schema
 * itself.
 */
const maxDepth = 12;

interface FieldForm {
  readonly isRecursive: boolean;
  readonly indent: string;
  readonly depth: number;
}

function oneField(parent: OpenApiSchema, name: string, tree: SchemaTree, form: FieldForm): string[] {
  const field = tree.member(parent, name);
  if (field === undefined) return [];
  const { isRecursive, indent, depth } = form;
  const required = parent.required?.includes(name) === true ? ' -required-' : '';
  const line = `${indent}${name}\t<${typeText(field, tree)}>${required}`;
  if (!isRecursive) return [line, ...wrapped(field.description ?? '<empty>', `${indent}  `), ''];
  const members = itemOf(tree, field);
  const below = depth >= maxDepth ? [] : Object.keys(members.properties ?? {}).sort();
  return [
    line,
    ...below.flatMap((each) => oneField(members, each, tree, { isRecursive, indent: `${indent}  `, depth: depth + 1 })),
  ];
}

const maxWidth = 90;

function wrapped(text: string, indent: string): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(/\s+/)) {
      if (line !== '' && indent.length + line.length + word.length + 1 > maxWidth) {
        lines.push(line);
        line = '';
      }
      line = line === '' ? word : `${line} ${word}`;
    }
    return [...lines, line].map((each) => `${indent}${each}`.trimEnd());
  });
}
