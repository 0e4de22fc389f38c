import { escapeHtml } from '../html.mjs';
import { scrollable } from '../render-markdown.mjs';
import { fieldTree } from './field-tree.mjs';
import { kindsOfDocument } from './kinds-of-document.mjs';

const pathOfKind = (kind) => `api/${kind.toLowerCase()}.html`;

/** Returns the pages of the API: an index of all kinds, and one page per kind with its operations and fields. */
export function apiPages({ group, json }) {
  const document = JSON.parse(json);
  const kinds = kindsOfDocument(document, group);
  return {
    pages: [indexPage(kinds, group), ...kinds.map((kind) => kindPage(kind, { document, group }))],
    navigation: kinds.map(({ kind }) => ({ title: kind, path: pathOfKind(kind) })),
  };
}

function indexPage(kinds, group) {
  const rows = kinds.map(({ kind, schema }) => {
    const name = `<a href="${pathOfKind(kind).replace('api/', '')}">${kind}</a>`;
    return `<tr><td>${name}</td><td>${escapeHtml(schema.description ?? '')}</td></tr>`;
  });
  const text = `All kinds of the API group ${group}/v1, with their operations and fields.`;
  const html = `<h1 id="api">API</h1>
<p>${escapeHtml(text)} The pages are generated from the <a href="openapi.json">OpenAPI document</a> that the server
serves at <code>/kubernetes/management/openapi/v3/apis/${group}/v1</code>. <code>kubectl explain</code> shows the same
text of a running server.</p>
${scrollable(`<table><thead><tr><th>Kind</th><th>Description</th></tr></thead><tbody>${rows.join('')}</tbody></table>`, 'Kinds')}`;
  return {
    path: 'api/index.html',
    title: 'API',
    html,
    headings: [],
    sections: [{ depth: 1, id: 'api', title: 'API', text }],
  };
}

function kindPage({ kind, version, schema, operations }, { document, group }) {
  const { html: fields, sections } = fieldTree(schema, document);
  const rows = operations.map(({ method, path, description }) => {
    const cells = [method.toUpperCase(), path].map((text) => `<td><code>${escapeHtml(text)}</code></td>`);
    return `<tr>${cells.join('')}<td>${escapeHtml(description ?? '')}</td></tr>`;
  });
  const head = '<thead><tr><th>Method</th><th>Path</th><th>Description</th></tr></thead>';
  const html = `<h1 id="kind">${kind}</h1>
<p>${escapeHtml(schema.description ?? '')}</p>
<p><code>apiVersion: ${group}/${version}</code></p>
<h2 id="fields">Fields</h2>
<div class="tree">
${fields}
</div>
<h2 id="operations">Operations</h2>
<p>Paths are relative to the address of the management API, <code>https://&lt;host&gt;/kubernetes/management</code>.</p>
${scrollable(`<table>${head}<tbody>${rows.join('')}</tbody></table>`, 'Operations')}`;
  return {
    path: pathOfKind(kind),
    title: kind,
    html,
    headings: [
      { depth: 2, id: 'fields', title: 'Fields' },
      { depth: 2, id: 'operations', title: 'Operations' },
    ],
    sections: [
      { depth: 1, id: 'kind', title: kind, text: `${schema.description ?? ''} ${group}/${version}` },
      ...sections,
    ],
  };
}
