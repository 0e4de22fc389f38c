import { flagAt, listAt, objectAt, textAt, valueAt } from '../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../lib/json-value.ts';
import { writeJson } from '../lib/json-write.ts';
import { base64Fault, decodeBase64, encodeBase64 } from './decode/base64.ts';
import { readYaml } from './decode/yaml-document.ts';

/**
 * One way to one cluster: what a kubeconfig says of the cluster and the user of one context. It holds credentials, so
 * nothing of it goes into logs, messages or answers.
 */
export interface Kubeconfig {
  /** `https://host:6443/path`, without a slash at the end. */
  readonly server: string;
  /** Certificates that the server's is checked with, PEM. Absent: those that everybody trusts. */
  readonly certificateAuthority?: string;
  /** The name that the server's certificate must carry, where it is not the host of `server`. */
  readonly tlsServerName?: string;
  /** The server's certificate is not looked at. */
  readonly insecureSkipTlsVerify?: boolean;
  /** `http:` or `https:`, possibly with a name and password in it. */
  readonly proxyUrl?: string;
  /** PEM, both or neither. */
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
  /** Never together with a token. */
  readonly username?: string;
  readonly password?: string;
}

export type KubeconfigReading =
  | { readonly kubeconfig: Kubeconfig; readonly fault?: undefined }
  /** What is wrong, as the end of a sentence that begins with the name of the field. Never quotes the text. */
  | { readonly fault: string; readonly kubeconfig?: undefined };

/** Members that would make this server read its own files or run programs because a client says so. */
const outsideOfUser = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'];
const outsideOfCluster = ['certificate-authority'];
/** The server acts for its callers by these; a name that is taken on already cannot take on another. */
const impersonating = ['as', 'as-uid', 'as-groups', 'as-user-extra'];

const longestKubeconfig = 256 * 1024;

/** Thrown and caught in this file alone. */
class Fault extends Error {}

/** Reads the current context of a kubeconfig, in YAML or JSON. */
export function readKubeconfig(text: string): KubeconfigReading {
  try {
    return { kubeconfig: read(documentOf(text)) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

function documentOf(text: string): JsonValue {
  if (text.length > longestKubeconfig) throw new Fault(`must have at most ${longestKubeconfig} characters`);
  let value: JsonValue;
  try {
    ({ value } = readYaml(text));
  } catch {
    throw new Fault('must be a kubeconfig, in YAML or JSON');
  }
  if (objectAt(value) === undefined) throw new Fault('must be a kubeconfig, in YAML or JSON');
  return value;
}

function read(document: JsonValue): Kubeconfig {
  const context = named(document, 'contexts', textAt(document, 'current-context'), 'context');
  if (context === undefined) throw new Fault('must have a current-context that is one of its contexts');
  const cluster = named(document, 'clusters', textAt(context, 'cluster'), 'cluster');
  const user = named(document, 'users', textAt(context, 'user'), 'user');
  if (cluster === undefined) throw new Fault('must name the server of its current context');
  if (user === undefined) throw new Fault('must have the user of its current context');
  refuseOutside(cluster, user);
  return { ...clusterOf(cluster), ...userOf(user) };
}

function refuseOutside(cluster: JsonObject, user: JsonObject): void {
  const isSet = (holder: JsonObject) => (member: string) => {
    const value = valueAt(holder, member);
    return value !== undefined && value !== null && value !== '';
  };
  const outside = [...outsideOfUser.filter(isSet(user)), ...outsideOfCluster.filter(isSet(cluster))];
  if (outside.length > 0) {
    throw new Fault(
      `must hold its credentials inline; ${outside.join(', ')} would read files or run programs on the server`,
    );
  }
  const taken = impersonating.filter(isSet(user));
  if (taken.length > 0) {
    throw new Fault(`must not impersonate (${taken.join(', ')}): the server does so for each of its callers`);
  }
}

function clusterOf(cluster: JsonObject): Kubeconfig {
  const certificateAuthority = pemAt(cluster, 'certificate-authority-data', 'CERTIFICATE');
  const insecure = flagAt(cluster, 'insecure-skip-tls-verify');
  if (insecure && certificateAuthority !== undefined) {
    throw new Fault('must have certificate-authority-data or insecure-skip-tls-verify, not both');
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
    throw new Fault('must have both client-certificate-data and client-key-data, or neither');
  }
  const token = string(user, 'token');
  const username = string(user, 'username');
  if (token !== undefined && username !== undefined) throw new Fault('must have a token or a username, not both');
  // It becomes a header: a line break would begin another one.
  if (/[^\x21-\x7e]/.test(token ?? '')) throw new Fault('must have a token without spaces and control characters');
  return {
    ...(clientCertificate === undefined || clientKey === undefined ? {} : { clientCertificate, clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(username === undefined ? {} : { username, password: string(user, 'password') ?? '' }),
  };
}

function serverOf(text: string): string {
  const url = urlOf(text);
  if (url === undefined) throw new Fault('must name the server of its current context');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Fault('must have a server without credentials, query and fragment');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function proxyOf(text: string): string {
  const url = urlOf(text);
  if (url === undefined) throw new Fault('must have a proxy-url that begins with http:// or https://');
  return url.href;
}

function urlOf(text: string): URL | undefined {
  if (!/^https?:\/\/./i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/** Absent, null and '' are the same to whoever reads kubeconfigs. */
function string(holder: JsonObject, member: string): string | undefined {
  const value = valueAt(holder, member);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new Fault(`must have a string as ${member}`);
  return value;
}

function pemAt(holder: JsonObject, member: string, label: string): string | undefined {
  const data = string(holder, member)?.trim();
  if (data === undefined) return undefined;
  if (base64Fault(data) !== undefined) throw new Fault(`must have base64 as ${member}`);
  const pem = decodeBase64(data);
  // `EC PRIVATE KEY` and `RSA PRIVATE KEY` are private keys too.
  if (!new RegExp(`-----BEGIN [A-Z ]*${label}-----`).test(pem)) {
    throw new Fault(`must have a ${label.toLowerCase()} in PEM as ${member}`);
  }
  if (pem.includes('-----BEGIN ENCRYPTED')) throw new Fault(`must have a key without a password as ${member}`);
  return pem;
}

function named(document: JsonValue, list: string, name: string, member: string): JsonObject | undefined {
  const found = name === '' ? undefined : listAt(document, list).find((entry) => textAt(entry, 'name') === name);
  // `user:` without anything below it is a user without credentials.
  return found !== undefined && valueAt(found, member) === null ? {} : objectAt(found, member);
}

/** A kubeconfig of one context with everything inline, for programs that take one. A secret. */
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
        cluster: given({
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
        user: given({
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

function given(members: Readonly<Record<string, string | boolean | undefined>>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}
