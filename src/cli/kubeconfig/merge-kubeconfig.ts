import { equalJson, isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';

/** The parts of a kubeconfig context: the address of an instance, the credential for it, and its namespace. */
export interface KubeconfigEntry {
  readonly cluster: JsonObject;
  readonly user: JsonObject;
  /** The namespace of a space; absent for a virtual cluster. */
  readonly namespace?: string;
}

/**
 * Identifies the instance of a context. It is stored in the context. Contexts without it were not created by this
 * program and are never removed.
 */
export type EntryOrigin = {
  readonly server: string;
  readonly project: string;
  readonly name: string;
  /** Absent for a virtual cluster. */
  readonly kind?: string;
};

const extensionName = 'flotilla';

export function entryOf(kubeconfig: JsonObject): KubeconfigEntry {
  const namespace = textAt(listAt(kubeconfig, 'contexts')[0], 'context', 'namespace');
  return {
    cluster: objectAt(listAt(kubeconfig, 'clusters')[0], 'cluster') ?? {},
    user: objectAt(listAt(kubeconfig, 'users')[0], 'user') ?? {},
    ...(namespace === '' ? {} : { namespace }),
  };
}

/**
 * Returns the name of an instance's context. An existing context of the instance keeps its name. The name of a new
 * context is `flotilla/<project>/<name>`, or `flotilla/<project>/space/<name>` for a space. If another context has that
 * name, the host of the server is appended.
 */
export function entryName(before: JsonObject, origin: EntryOrigin): string {
  const [known] = entryNamesFor(before, origin);
  if (known !== undefined) return known;
  const { project, kind, name } = origin;
  const plain = ['flotilla', project, ...(kind === undefined ? [] : [kind]), name].join('/');
  return named(before, 'contexts', plain) === undefined ? plain : `${plain}@${new URL(origin.server).host}`;
}

/** Adds an entry to a kubeconfig and makes it the current context. Everything else is unchanged. */
export function withEntry(
  before: JsonObject,
  name: string,
  { cluster, user, namespace }: KubeconfigEntry,
  origin: EntryOrigin,
): JsonObject {
  const current = textAt(before, 'current-context');
  const previous = current === name ? textAt(extensionOf(named(before, 'contexts', name)), 'previous') : current;
  const extension = { origin: { ...origin }, ...(previous === '' ? {} : { previous }) };
  const context = {
    cluster: name,
    user: name,
    ...(namespace === undefined ? {} : { namespace }),
    extensions: [{ name: extensionName, extension }],
  };
  return {
    ...before,
    apiVersion: 'v1',
    kind: 'Config',
    clusters: replaced(before, 'clusters', { name, cluster }),
    users: replaced(before, 'users', { name, user }),
    contexts: replaced(before, 'contexts', { name, context }),
    'current-context': name,
  };
}

/**
 * Removes an entry from a kubeconfig. The context that was current before the entry was added becomes current again.
 */
export function withoutEntry(before: JsonObject, name: string): JsonObject {
  const context = named(before, 'contexts', name);
  const after: JsonObject = { ...before };
  for (const list of ['clusters', 'users', 'contexts']) {
    after[list] = listAt(before, list).filter((entry) => textAt(entry, 'name') !== name);
  }
  if (textAt(before, 'current-context') === name) {
    const previous = textAt(extensionOf(context), 'previous');
    after['current-context'] = named(after, 'contexts', previous) === undefined ? '' : previous;
  }
  return after;
}

/** Returns the names of the entries that this program created for an instance. */
export function entryNamesFor(before: JsonObject, origin: EntryOrigin): string[] {
  return listAt(before, 'contexts')
    .filter((context) => equalJson(objectAt(extensionOf(context), 'origin'), { ...origin }))
    .map((context) => textAt(context, 'name'));
}

function extensionOf(context: JsonValue | undefined): JsonObject | undefined {
  const extension = listAt(context, 'context', 'extensions').find((entry) => textAt(entry, 'name') === extensionName);
  return objectAt(extension, 'extension');
}

function named(config: JsonObject, list: string, name: string): JsonObject | undefined {
  const found = listAt(config, list).find((entry) => textAt(entry, 'name') === name);
  return isJsonObject(found) ? found : undefined;
}

function replaced(before: JsonObject, list: string, entry: JsonObject & { name: string }): JsonValue[] {
  const entries = [...listAt(before, list)];
  const at = entries.findIndex((other) => textAt(other, 'name') === entry.name);
  if (at < 0) entries.push(entry);
  else entries[at] = entry;
  return entries;
}
