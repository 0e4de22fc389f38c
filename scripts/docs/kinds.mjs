import { fieldRows } from './fields.mjs';
import { anchor, code, codes, page, paragraph, table } from './markdown.mjs';

/** Returns the reference of all kinds that the server serves: paths and fields. */
export async function kindsPage(program) {
  const { naming, apiVersionOf } = program;
  const mounted = [...(await mountedResources(program)), ...(await builtInResources(program))];
  const sections = inOrder(sectionsOf(mounted), naming.managementGroup);
  const headingOf = headingsOf(sections, program);
  const describe = { program, headingOf, shown: new Map() };
  return page(
    '# Kinds',
    'Generated from the code by `npm run docs`. `kubectl explain` shows the same text of a running server.',
    paragraph(
      'Paths are relative to the address of the management API, `https://<host>/kubernetes/management`. Objects of namespaced',
      `kinds belong to the namespace of their project, ${code(naming.projectNamespace('<project>'))}, and can also be listed`,
      'and watched across all namespaces. Every object has `apiVersion`, `kind` and `metadata` as in Kubernetes; the tables',
      'show the other fields. `name[]` is an item of a list, and `name.<name>` is a value of a map. A field is optional unless',
      'stated otherwise.',
    ),
    paragraph(
      `Kinds of ${code(naming.storageGroup)} belong to the built-in cluster, whose paths are relative to`,
      '`https://<host>/kubernetes/cluster/local`. Its other kinds and those of virtual clusters are as in Kubernetes.',
    ),
    paragraph(
      "Only the server's own controllers write `status`. A write to a `status` subresource is checked, changes nothing and",
      'returns a Warning; all other writes ignore the `status` of the request.',
    ),
    table(
      ['kind', 'apiVersion', 'description'],
      sections.map(({ kind }) => [link(headingOf(kind)), code(apiVersionOf(kind)), kind.description ?? '']),
    ),
    sections.flatMap((section) => describeKind(section, describe)),
  );
}

/** Returns the resources that the management API serves. */
export async function mountedResources(program) {
  const {
    openManagementApi,
    openMemoryStore,
    openSealer,
    sealKeyBytes,
    defaultManagementSettings,
    systemClock,
    silentLog,
  } = program;
  const store = openMemoryStore();
  const { plane } = await openManagementApi({
    store,
    sealer: openSealer(new Uint8Array(sealKeyBytes)),
    settings: defaultManagementSettings,
    clock: systemClock,
    log: silentLog,
  });
  const resources = plane.resources();
  plane.close();
  await store.close();
  return resources;
}

/** The kinds of the built-in cluster that Kubernetes does not have. */
async function builtInResources(program) {
  const {
    openBuiltInClusterPlanes,
    openMemoryStore,
    openSealer,
    sealKeyBytes,
    versionInfo,
    systemClock,
    silentLog,
    naming,
  } = program;
  const store = openMemoryStore();
  const { local, close } = await openBuiltInClusterPlanes({
    store,
    clock: systemClock,
    log: silentLog,
    sealing: openSealer(new Uint8Array(sealKeyBytes)),
    tokens: { installation: '' },
    webhookAddresses: [],
    memoryBudget: 0,
    version: versionInfo({ packageVersion: '' }),
    healthChecks: [],
    onUpkeep() {},
  });
  const resources = local.resources().filter(({ kind }) => kind.group === naming.storageGroup);
  close();
  await store.close();
  return resources;
}

/** Returns one section per kind. A kind has its own path or is a subresource of other kinds. */
function sectionsOf(mounted) {
  const sections = mounted.map((resource) => ({ kind: resource.kind, resource, below: [] }));
  for (const { kind: parent, subresources } of mounted) {
    for (const [name, { kind }] of Object.entries(subresources)) {
      const known = sections.find((section) => isSame(section.kind, kind));
      const mount = { parent, name };
      if (known === undefined) sections.push({ kind, below: [mount] });
      else if (known.resource === undefined) known.below.push(mount);
    }
  }
  return sections;
}

/**
 * True if both are the same kind. Compares names, because a stored kind is a copy of the kind's data with added
 * functions.
 */
function isSame(a, b) {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

/** Sorts our own kinds first, then kinds of Kubernetes, each by name. */
function inOrder(sections, ownGroup) {
  const rank = ({ kind: { group } }) => (group === ownGroup ? 0 : 1);
  const key = ({ kind }) => `${kind.kind} ${kind.group}`;
  return sections.sort((a, b) => rank(a) - rank(b) || (key(a) < key(b) ? -1 : 1));
}

/**
 * Returns the heading of each kind: its name. If two groups have a kind of the same name, the heading of the kind that
 * is not Flotilla's also shows the apiVersion.
 */
function headingsOf(sections, { naming, apiVersionOf }) {
  return (kind) => {
    const namesakes = sections.filter((section) => section.kind.kind === kind.kind);
    const alone = namesakes.length === 1 || kind.group === naming.managementGroup;
    return alone ? kind.kind : `${kind.kind} (${apiVersionOf(kind)})`;
  };
}

function describeKind({ kind, resource, below }, { program, headingOf, shown }) {
  return [
    `## ${headingOf(kind)}`,
    kind.description,
    resource === undefined
      ? below.map((mount) => subresourcePath(mount, headingOf)).join('\n')
      : kindProperties(resource, program),
    resource === undefined ? undefined : subresourceTable(resource, program, headingOf),
    fields(kind, headingOf(kind), shown),
  ];
}

/** Returns the table of fields. Kinds with identical schemas share one table. */
function fields(kind, heading, shown) {
  const writeOnly = new Set((kind.writeOnly ?? []).map((path) => path.join('.')));
  const rows = fieldRows(kind.schema, writeOnly);
  if (rows.length === 0) return 'This kind has no fields of its own.';
  const shape = JSON.stringify(kind.schema);
  const earlier = shown.get(shape);
  if (earlier !== undefined) return `The fields are the same as those of ${link(earlier)}.`;
  shown.set(shape, heading);
  return table(['field', 'type', 'rules', 'meaning'], rows);
}

function link(heading) {
  return `[${heading}](#${anchor(heading)})`;
}

function subresourcePath({ parent, name }, headingOf) {
  return `The subresource ${code(`${parent.plural}/<name>/${name}`)} of ${link(headingOf(parent))}.`;
}

function kindProperties(resource, { discoveryVerbsOf }) {
  const { kind, verbs } = resource;
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const path = `${root}/${kind.namespaced ? 'namespaces/<namespace>/' : ''}${kind.plural}`;
  const properties = [
    ['path', code(path)],
    ['verbs', discoveryVerbsOf(resource).join(', ')],
    ['scope', kind.namespaced ? 'namespaced' : 'cluster'],
    ['short names', codes(kind.shortNames ?? [])],
    ['categories', codes(kind.categories ?? [])],
    ['names', namesOf(kind)],
    ['columns', columnsOf(kind, verbs)],
    ['field selectors', codes(kind.selectableFields ?? [])],
  ];
  return properties
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `- ${name}: ${text}`)
    .join('\n');
}

const nameRules = {
  subdomain: ['a DNS subdomain', 253],
  label: ['a DNS label', 63],
  'path-segment': ['any path segment', undefined],
};

/** Returns the rules for object names. Only stored kinds have names that clients choose. */
function namesOf(kind) {
  if (kind.hasStatus === undefined) return '';
  const [rule, usual] = nameRules[kind.nameRule ?? 'subdomain'];
  const most = kind.maxNameLength ?? usual;
  const length = most === undefined ? '' : ` of at most ${most} characters`;
  const auto = kind.autoName === undefined ? '' : `; if it is empty, the server generates ${code(`${kind.autoName}…`)}`;
  return `${rule}${length}${auto}`;
}

function columnsOf(kind, verbs) {
  if (verbs.list === undefined) return '';
  const columns = [{ name: 'Name' }, ...(kind.columns ?? [{ name: 'Age' }])];
  const usual = columns.filter(({ priority = 0 }) => priority === 0).map(({ name }) => name);
  const wide = columns.filter(({ priority = 0 }) => priority > 0).map(({ name }) => name);
  return wide.length === 0 ? usual.join(', ') : `${usual.join(', ')}; with \`-o wide\` also ${wide.join(', ')}`;
}

function subresourceTable({ kind, subresources }, { subresourceVerbsOf }, headingOf) {
  const rows = Object.entries(subresources).map(([name, part]) => {
    return [
      code(`${kind.plural}/<name>/${name}`),
      subresourceVerbsOf(part).join(', '),
      isSame(part.kind, kind) ? '' : link(headingOf(part.kind)),
    ];
  });
  return rows.length === 0 ? undefined : table(['subresource', 'verbs', 'kind'], rows);
}
