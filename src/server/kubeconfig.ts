import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { dump, load } from 'js-yaml';
import { builtInClusterName, defaultProject, projectNamespace } from '../api/naming.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { withoutTrailingSlashes } from '../lib/without-trailing-slashes.ts';
import { readIfExists } from '../process/private-dir.ts';
import { StartError } from '../process/start-error.ts';

export interface KubeconfigContent {
  /** The URL of the server without a trailing slash, for example `https://127.0.0.1:8443`. */
  readonly url: string;
  readonly apiPrefix: string;
  /** The CA certificates in PEM format; `undefined` if clients trust the certificate through their operating system. */
  readonly authority: string | undefined;
}

const managementContext = 'management';

function servers(content: KubeconfigContent): Record<string, string> {
  const root = `${content.url}/${content.apiPrefix}`;
  return { [managementContext]: `${root}/management`, [builtInClusterName]: `${root}/cluster/${builtInClusterName}` };
}

function authorityData(content: KubeconfigContent): string | undefined {
  return content.authority === undefined ? undefined : Buffer.from(content.authority).toString('base64');
}

/** Returns the administrator's kubeconfig. It has the contexts `management`, which is the current one, and `local`. */
export function adminKubeconfig(content: KubeconfigContent, user: string, token: string): string {
  const data = authorityData(content);
  const context = (cluster: string, namespace?: string): JsonObject => ({
    name: cluster,
    context: { cluster, user, ...(namespace === undefined ? {} : { namespace }) },
  });
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: Object.entries(servers(content)).map(([name, server]) => ({
      name,
      cluster: { server, ...(data === undefined ? {} : { 'certificate-authority-data': data }) },
    })),
    users: [{ name: user, user: { token } }],
    contexts: [context(managementContext, projectNamespace(defaultProject)), context(builtInClusterName)],
    'current-context': managementContext,
  });
}

/**
 * Updates the server addresses in an existing kubeconfig. If the server uses a new CA, also updates the CA
 * certificates, because clients could not connect with the old ones. Leaves everything else unchanged.
 */
export async function refreshKubeconfig(path: string, content: KubeconfigContent): Promise<void> {
  const text = await readIfExists(path);
  if (text === undefined) return;
  const before = unmodifiedPrefix(text, content);
  if (before !== undefined) {
    const now = addressPrefix(content);
    if (now !== before) await writePrivateFile(path, now + text.slice(before.length));
    return;
  }
  const file = parse(text, path);
  const wanted = servers(content);
  const data = authorityData(content);
  let changed = false;
  for (const entry of listOf(file.clusters)) {
    const { cluster } = entry;
    const server = typeof entry.name === 'string' && Object.hasOwn(wanted, entry.name) ? wanted[entry.name] : undefined;
    if (server === undefined || !isJsonObject(cluster)) continue;
    if (cluster.server !== server) {
      cluster.server = server;
      changed = true;
    }
    if (cluster['certificate-authority-data'] !== data) {
      if (data === undefined) delete cluster['certificate-authority-data'];
      else cluster['certificate-authority-data'] = data;
      changed = true;
    }
  }
  if (changed) await writePrivateFile(path, dump(file));
}

/**
 * Returns the kubeconfig `text` with `origin` in all cluster addresses. Keeps their paths. Throws StartError if `text`
 * is not a kubeconfig.
 */
export function kubeconfigForServer(text: string, path: string, origin: string): string {
  const file = parse(text, path);
  for (const { cluster } of listOf(file.clusters)) {
    if (!isJsonObject(cluster) || typeof cluster.server !== 'string') continue;
    cluster.server = `${origin}${new URL(cluster.server).pathname}`;
  }
  return dump(file);
}

/** Returns the first lines of the output of `adminKubeconfig`, which contain the server's addresses and CA. */
function addressPrefix(content: KubeconfigContent): string {
  const data = authorityData(content);
  const authority = data === undefined ? '' : `      certificate-authority-data: ${data}\n`;
  const clusters = Object.entries(servers(content)).map(
    ([name, server]) => `  - name: ${name}\n    cluster:\n      server: ${server}\n${authority}`,
  );
  return `apiVersion: v1\nkind: Config\nclusters:\n${clusters.join('')}users:\n`;
}

/**
 * Returns the first lines of a kubeconfig if they are as `adminKubeconfig` wrote them, apart from the address; the
 * address can then be updated without parsing YAML at every start. `undefined` if a user has modified these lines or
 * the CA has changed.
 */
function unmodifiedPrefix(text: string, content: KubeconfigContent): string | undefined {
  const server = /^ {6}server: (\S+)$/m.exec(text)?.[1] ?? '';
  const below = `/${content.apiPrefix}/${managementContext}`;
  if (!server.endsWith(below)) return undefined;
  const known = addressPrefix({ ...content, url: server.slice(0, -below.length) });
  return text.startsWith(known) ? known : undefined;
}

/** The address and access key with which the administrator reaches the running server. */
export interface AdminAccess {
  /** The URL of the server without a path. */
  readonly origin: string;
  /** The path of the management API, without a trailing slash: `/kubernetes/management`. */
  readonly managementPath: string;
  readonly authority: string | undefined;
  readonly token: string;
}

export async function readAdminAccess(path: string): Promise<AdminAccess | undefined> {
  const text = await readIfExists(path);
  if (text === undefined) return undefined;
  const file = parse(text, path);
  const cluster = listOf(file.clusters).find((entry) => entry.name === managementContext)?.cluster;
  const user = listOf(file.users)[0]?.user;
  if (!isJsonObject(cluster) || typeof cluster.server !== 'string' || !isJsonObject(user)) {
    throw new StartError(`${path} has no context ${managementContext}`);
  }
  if (typeof user.token !== 'string') throw new StartError(`${path} contains no access key`);
  const data = cluster['certificate-authority-data'];
  const { origin, pathname } = new URL(cluster.server);
  return {
    origin,
    managementPath: withoutTrailingSlashes(pathname),
    authority: typeof data === 'string' ? Buffer.from(data, 'base64').toString('utf8') : undefined,
    token: user.token,
  };
}

function parse(text: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    throw new StartError(`${path} is not YAML`, { cause: error });
  }
  if (!isJsonObject(value)) throw new StartError(`${path} is not a kubeconfig`);
  return value;
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
