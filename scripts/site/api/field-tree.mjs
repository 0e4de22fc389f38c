import { marked } from 'marked';
import { rulesOf, typeOf } from '../../docs/fields.mjs';
import { escapeHtml } from '../html.mjs';
import { resolveSchema } from './kinds-of-document.mjs';

/** Fields of every Kubernetes object, which readers know. They are initially collapsed. */
const closedFields = new Set(['metadata', 'apiVersion', 'kind']);

/**
 * Returns the fields of a kind as nested lists that can be opened and closed without a script, and as sections for the
 * search. The anchor of each field is its path.
 */
export function fieldTree(schema, document) {
  const sections = [];
  const html = members(schema, '', { document, sections });
  return { html, sections };
}

function members(schema, path, context) {
  const entries = Object.entries(schema.properties ?? {});
  const items = entries.map(([name, member]) => {
    const required = schema.required?.includes(name) === true;
    return field(name, member, { path: path === '' ? name : `${path}.${name}`, required }, context);
  });
  return `<ul class="fields">\n${items.join('\n')}\n</ul>`;
}

function field(name, given, { path, required }, context) {
  const schema = resolved(given, context.document);
  const { inner, innerPath } = innermost(schema, path);
  const rules = [...(required ? ['required'] : []), ...rulesOf(schema)];
  const isKubernetes = path === 'metadata' || path.startsWith('metadata.');
  if (!isKubernetes && schema.description !== undefined) {
    context.sections.push({ depth: 3, id: path, title: path, text: schema.description });
  }
  const line = [
    `<code class="name">${escapeHtml(name)}</code>`,
    `<span class="type">${escapeHtml(typeOf(schema))}</span>`,
    ...rules.map((rule) => `<span class="rule">${inlineText(rule)}</span>`),
  ].join(' ');
  const meaning = [schema.description, schema.items?.description]
    .filter((text) => text !== undefined)
    .map((text) => `<p>${inlineText(text)}</p>`)
    .join('');
  const id = escapeHtml(path);
  if (inner.properties === undefined) return `<li id="${id}"><div class="field">${line}</div>${meaning}</li>`;
  const open = closedFields.has(path) || path.split('.').length > 2 ? '' : ' open';
  return `<li id="${id}"><details${open}><summary>${line}</summary>${meaning}${members(inner, innerPath, context)}</details></li>`;
}

/** Returns the schema with resolved references, including the references in lists and maps, which `typeOf` needs. */
function resolved(given, document) {
  const schema = resolveSchema(given, document);
  if (schema.items !== undefined) return { ...schema, items: resolved(schema.items, document) };
  if (typeof schema.additionalProperties === 'object') {
    return { ...schema, additionalProperties: resolved(schema.additionalProperties, document) };
  }
  return schema;
}

function innermost(schema, path) {
  if (schema.items !== undefined) return innermost(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') return innermost(schema.additionalProperties, `${path}.<name>`);
  return { inner: schema, innerPath: path };
}

/** Descriptions are plain text with code in backticks. */
function inlineText(text) {
  return marked.parseInline(text.replaceAll('<', '&lt;').replaceAll('*', '\\*'));
}
