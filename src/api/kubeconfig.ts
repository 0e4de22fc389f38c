import { flagAt, type JsonObject, type JsonValue, listAt, objectAt, textAt, valueAt, writeJson } from '@flotilla/json';
import { withoutTrailingSlashes } from '../lib/without-trailing-slashes.ts';
import { base64Fault, decodeBase64, encodeBase64 } from './decode/base64.ts';
import { readYaml } from './decode/yaml-document.ts';

/**
 * The cluster and user of one kubeconfig context. It contains credentials, so no part of it may appear in logs,
 * messages or responses.
 */
export interface Kubeconfig {
  /** URL of the API server, without a trailing slash: `https://host:6443/path`. */
  readonly server: string;
  /** PEM-encoded CA certificates that verify the server's certificate. Optional; defaults to the public CAs. */
  readonly certificateAuthority?: string;
  /** The host name that the server's certificate must contain. Optional; defaults to the host of `server`. */
  readonly tlsServerName?: string;
  /** If true, the client does not verify the server's certificate. */
  readonly insecureSkipTlsVerify?: boolean;
  /** URL of a proxy, with the scheme `http:` or `https:`. It may contain a user name and password. */
  readonly proxyUrl?: string;
  /** PEM-encoded client certificate. Set if and only if `clientKey` is set. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  /** User name and password for basic authentication. Never set together with `token`. */
  readonly username?: string;
  readonly password?: string;
}

export type KubeconfigResult =
  | { readonly kubeconfig: Kubeconfig; readonly fault?: undefined }
  /**
   * The reason why the text is invalid. It completes a sentence that starts with the field name. Never quotes the text.
   */
  | { readonly fault: string; readonly kubeconfig?: undefined };

/** Members of a user that are rejected, because they would make the server read its own files or run programs. */
const externalUserMembers = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'];
const externalClusterMembers = ['certificate-authority'];
/**
 * Members of a user that are rejected because they impersonate another user. The server itself must impersonate its
 * callers, which would not work with such a kubeconfig.
 */
const impersonationMembers = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

const maxKubeconfigLength = 256 * 1024;

/** Thrown for an invalid kubeconfig. Only `readKubeconfig` catches it, and it never leaves this file. */
class KubeconfigError extends Error {}

/** Parses a kubeconfig in YAML or JSON and returns the cluster and user of its current context. */
export function readKubeconfig(text: string): KubeconfigResult {
  try {
    return { kubeconfig: read(documentOf(text)) };
  } catch (error) {
    if (error instanceof KubeconfigError) return { fault: error.message };
    throw error;
  }
}

function documentOf(text: string): JsonValue {
  if (text.length > maxKubeconfigLength)
    throw new KubeconfigError(`must have at most ${maxKubeconfigLength} characters`);
  let value: JsonValue;
  try {
    ({ value } = readYaml(text));
  } catch {
    throw new KubeconfigError('must be a kubeconfig, in YAML or JSON');
  }
  if (objectAt(value) === undefined) throw new KubeconfigError('must be a kubeconfig, in YAML or JSON');
  return value;
}

function read(document: JsonValue): Kubeconfig {
  const context = named(document, 'contexts', textAt(document, 'current-context'), 'context');
  if (context === undefined) throw new KubeconfigError('must have a current-context that names one of its contexts');
  const cluster = named(document, 'clusters', textAt(context, 'cluster'), 'cluster');
  const user = named(document, 'users', textAt(context, 'user'), 'user');
  if (cluster === undefined) throw new KubeconfigError('must set the server of its current context');
  if (user === undefined) throw new KubeconfigError('must define the user of its current context');
  rejectExternalReferences(cluster, user);
  return { ...clusterOf(cluster), ...userOf(user) };
}

function rejectExternalReferences(cluster: JsonObject, user: JsonObject): void {
  const isSet = (holder: JsonObject) => (member: string) => {
    const value = valueAt(holder, member);
    return value !== undefined && value !== null && value !== '';
  };
  const external = [...externalUserMembers.filter(isSet(user)), ...externalClusterMembers.filter(isSet(cluster))];
  if (external.length > 0) {
    throw new KubeconfigError(
      `must contain all credentials inline; ${external.join(', ')} would read files or run programs on the server`,
    );
  }
  const impersonation = impersonationMembers.filter(isSet(user));
  if (impersonation.length > 0) {
    throw new KubeconfigError(
      `must not impersonate (${impersonation.join(', ')}): the server impersonates each of its callers`,
    );
  }
}

function clusterOf(cluster: JsonObject): Kubeconfig {
  const certificateAuthority = pemAt(cluster, 'certificate-authority-data', 'CERTIFICATE');
  const insecure = flagAt(cluster, 'insecure-skip-tls-verify');
  if (insecure && certificateAuthority !== undefined) {
    throw new KubeconfigError('must not have both certificate-authority-data and insecure-skip-tls-verify');
  }
  const tlsServerName = string(cluster, 'tls-server-name');
  const proxy = string(cluster, 'proxy-url');
  return {
    server: serverOf(string(cluster, 'server') ?? ''),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(proxy === undefined ? {} : { proxyUrl: proxyOf(proxy) }),
  };
}

function userOf(user: JsonObject): Omit<Kubeconfig, 'server'> {
  const clientCertificate = pemAt(user, 'client-certificate-data', 'CERTIFICATE');
  const clientKey = pemAt(user, 'client-key-data', 'PRIVATE KEY');
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw new KubeconfigError('must have both client-certificate-data and client-key-data, or neither');
  }
  const token = string(user, 'token');
  const username = string(user, 'username');
  if (token !== undefined && username !== undefined)
    throw new KubeconfigError('must not have both a token and a username');
  // Reject characters such as line breaks, because the token is sent in a header and a line break would start another
  // header.
  if (/[^\x21-\x7e]/.test(token ?? ''))
    throw new KubeconfigError('must have a token without spaces or control characters');
  return {
    ...(clientCertificate === undefined || clientKey === undefined ? {} : { clientCertificate, clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(username === undefined ? {} : { username, password: string(user, 'password') ?? '' }),
  };
}

function serverOf(text: string): string {
  const url = urlOf(text);
  if (url === undefined) throw new KubeconfigError('must set the server of its current context');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new KubeconfigError('must have a server URL without credentials, query or fragment');
  }
  return `${url.origin}${withoutTrailingSlashes(url.pathname)}`;
}

function proxyOf(text: string): string {
  const url = urlOf(text);
  if (url === undefined) throw new KubeconfigError('must have a proxy-url that starts with http:// or https://');
  return url.href;
}

function urlOf(text: string): URL | undefined {
  if (!/^https?:\/\/./i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/**
 * Returns a string member; `undefined` if it is absent, null or ''. Kubeconfig readers treat these three cases alike.
 */
function string(holder: JsonObject, member: string): string | undefined {
  const value = valueAt(holder, member);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new KubeconfigError(`must have a string in ${member}`);
  return value;
}

function pemAt(holder: JsonObject, member: string, label: string): string | undefined {
  const data = string(holder, member)?.trim();
  if (data === undefined) return undefined;
  if (base64Fault(data) !== undefined) throw new KubeconfigError(`must have valid base64 in ${member}`);
  const pem = decodeBase64(data);
  // Allow a prefix before the label, because `EC PRIVATE KEY` and `RSA PRIVATE KEY` are also private keys.
  if (!new RegExp(`-----BEGIN [A-Z ]*${label}-----`).test(pem)) {
    throw new KubeconfigError(`must have a PEM-encoded ${label.toLowerCase()} in ${member}`);
  }
  if (pem.includes('-----BEGIN ENCRYPTED')) throw new KubeconfigError(`must have an unencrypted key in ${member}`);
  return pem;
}

function named(document: JsonValue, list: string, name: string, member: string): JsonObject | undefined {
  const found = name === '' ? undefined : listAt(document, list).find((entry) => textAt(entry, 'name') === name);
  // An entry with an empty `user:` is a user without credentials.
  return found !== undefined && valueAt(found, member) === null ? {} : objectAt(found, member);
}

/** Writes a kubeconfig with one context and inline credentials, for external programs. The result is a secret. */
export function writeKubeconfig(kubeconfig: Kubeconfig): string {
  const { server, certificateAuthority, tlsServerName, insecureSkipTlsVerify, proxyUrl } = kubeconfig;
  const { clientCertificate, clientKey, token, username, password } = kubeconfig;
  const name = 'cluster';
  return writeJson({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: definedMembers({
          server,
          'certificate-authority-data': base64(certificateAuthority),
          'tls-server-name': tlsServerName,
          'insecure-skip-tls-verify': insecureSkipTlsVerify,
          'proxy-url': proxyUrl,
        }),
      },
    ],
    users: [
      {
        name,
        user: definedMembers({
          'client-certificate-data': base64(clientCertificate),
          'client-key-data': base64(clientKey),
          token,
          username,
          password,
        }),
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function base64(text: string | undefined): string | undefined {
  return text === undefined ? undefined : encodeBase64(text);
}

function definedMembers(members: Readonly<Record<string, string | boolean | undefined>>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}
