import { fieldRows } from './fields.mjs';
import { anchor, code, codes, page, paragraph, table } from './markdown.mjs';

/** Every kind as the server mounts it: how it is reached, and what its fields are. */
export async function kindsPage(program) {
  const { naming, apiVersionOf } = program;
  const mounted = [...(await mountedResources(program)), ...(await builtInResources(program))];
  const sections = inOrder(sectionsOf(mounted), naming.managementGroup);
  const headingOf = headingsOf(sections, program);
  const describe = { program, headingOf, shown: new Map() };
  return page(
    '# Kinds',
    'Made from the code by `npm run docs`. `kubectl explain` says the same of a running server.',
    paragraph(
      'Paths begin at the address of the management API, `https://<host>/kubernetes/management`. Namespaced kinds live in',
      `the namespace of their project, ${code(naming.projectNamespace('<project>'))}, and can be listed and watched over`,
      'all namespaces too. Every object has `apiVersion`, `kind` and `metadata` as in Kubernetes; the tables show the rest:',
      '`name[]` is an item of a list, `name.<name>` a value of a map, and a field is optional where nothing else is said.',
    ),
    paragraph(
      `Kinds of ${code(naming.storageGroup)} are of the built-in cluster, whose paths begin at`,
      '`https://<host>/kubernetes/cluster/local`. What it has besides, and what virtual clusters have, is as in Kubernetes.',
    ),
    paragraph(
      "`status` is written by the server's own controllers only: writes to a `status` subresource are refused with 403,",
      'and other writes leave it as it is.',
    ),
    table(
      ['kind', 'apiVersion', 'what it is'],
      sections.map(({ kind }) => [link(headingOf(kind)), code(apiVersionOf(kind)), kind.description ?? '']),
    ),
    sections.flatMap((section) => describeKind(section, describe)),
  );
}

async function mountedResources(program) {
  const { openManagement, openMemoryStore, openSealer, sealKeyBytes, defaultSettings, systemClock, silentLog } =
    program;
  const store = openMemoryStore();
  const { plane } = await openManagement({
    store,
    sealer: openSealer(new Uint8Array(sealKeyBytes)),
    settings: defaultSettings,
    clock: systemClock,
    log: silentLog,
  });
  const resources = plane.resources();
  plane.close();
  await store.close();
  return resources;
}

/** What the built-in cluster has and Kubernetes has not. */
async function builtInResources(program) {
  const { openPlanes, openMemoryStore, openSealer, sealKeyBytes, versionInfo, systemClock, silentLog, naming } =
    program;
  const store = openMemoryStore();
  const { local, close } = await openPlanes({
    store,
    clock: systemClock,
    log: silentLog,
    sealing: openSealer(new Uint8Array(sealKeyBytes)),
    tokens: { installation: '' },
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

/** A kind is reached by its own path, or as the subresource of others. */
function sectionsOf(mounted) {
  const sections = mounted.map((resource) => ({ kind: resource.kind, resource, below: [] }));
  for (const { kind: parent, subresources } of mounted) {
    for (const [name, { kind }] of Object.entries(subresources)) {
      const known = sections.find((section) => isSame(section.kind, kind));
      const place = { parent, name };
      if (known === undefined) sections.push({ kind, below: [place] });
      else if (known.resource === undefined) known.below.push(place);
    }
  }
  return sections;
}

/** A stored kind is a copy of its data with functions added. */
function isSame(a, b) {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

/** Our own kinds by name, then what every Kubernetes API has. */
function inOrder(sections, ownGroup) {
  const rank = ({ kind: { group } }) => (group === ownGroup ? 0 : 1);
  const key = ({ kind }) => `${kind.kind} ${kind.group}`;
  return sections.sort((a, b) => rank(a) - rank(b) || (key(a) < key(b) ? -1 : 1));
}

/** What each kind is headed with: its name; where two groups have one of the same name, ours bears it alone. */
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
      ? below.map((place) => reachedBelow(place, headingOf)).join('\n')
      : reachedByPath(resource, program),
    resource === undefined ? undefined : subresourceTable(resource, program, headingOf),
    fields(kind, headingOf(kind), shown),
  ];
}

/** What two kinds have alike, member for member, is shown once. */
function fields(kind, heading, shown) {
  const writeOnly = new Set((kind.writeOnly ?? []).map((path) => path.join('.')));
  const rows = fieldRows(kind.schema, writeOnly);
  if (rows.length === 0) return 'It has no fields of its own.';
  const shape = JSON.stringify(kind.schema);
  const earlier = shown.get(shape);
  if (earlier !== undefined) return `Its fields are those of ${link(earlier)}.`;
  shown.set(shape, heading);
  return table(['field', 'type', 'rules', 'meaning'], rows);
}

function link(heading) {
  return `[${heading}](#${anchor(heading)})`;
}

function reachedBelow({ parent, name }, headingOf) {
  const place = `Reached as ${code(`${parent.plural}/<name>/${name}`)} of ${link(headingOf(parent))}`;
  return `${place}.`;
}

function reachedByPath(resource, { verbsOf }) {
  const { kind, verbs } = resource;
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const path = `${root}/${kind.namespaced ? 'namespaces/<namespace>/' : ''}${kind.plural}`;
  const facts = [
    ['path', code(path)],
    ['verbs', verbsOf(resource).join(', ')],
    ['scope', kind.namespaced ? 'namespaced' : 'cluster'],
    ['short names', codes(kind.shortNames ?? [])],
    ['categories', codes(kind.categories ?? [])],
    ['names', namesOf(kind)],
    ['columns', columnsOf(kind, verbs)],
    ['field selectors', codes(kind.selectableFields ?? [])],
  ];
  return facts
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `- ${name}: ${text}`)
    .join('\n');
}

const nameRules = {
  subdomain: ['a DNS subdomain', 253],
  label: ['a DNS label', 63],
  'path-segment': ['any segment of a path', undefined],
};

/** Only stored kinds have names that clients give. */
function namesOf(kind) {
  if (kind.hasStatus === undefined) return '';
  const [rule, usual] = nameRules[kind.nameRule ?? 'subdomain'];
  const most = kind.maxNameLength ?? usual;
  const length = most === undefined ? '' : ` of at most ${most} characters`;
  const auto = kind.autoName === undefined ? '' : `; without one the server makes ${code(`${kind.autoName}…`)}`;
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
