import { type JsonValue, objectAt, parseTrustedJson, textAt } from '@flotilla/json';
import { type Kubeconfig, readKubeconfig } from '../../../api/kubeconfig.ts';
import type { StatusError } from '../../../api/status.ts';
import type { HostConnection } from './host-connection.ts';
import { NoResponseError } from './no-response.ts';

/** The administrator credentials of a virtual cluster. They are kept in memory and never written to disk. */
export type VirtualClusterCredentials = Pick<
  Kubeconfig,
  'certificateAuthority' | 'clientCertificate' | 'clientKey' | 'token' | 'insecureSkipTlsVerify'
>;

/**
 * Reads the administrator credentials from the secret that a virtual cluster writes to its host. The secret contains
 * certificates, or a kubeconfig with certificates or a token.
 */
export async function readVirtualClusterSecret(
  { fetch }: Pick<HostConnection, 'fetch'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<VirtualClusterCredentials> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const response = await fetch(path, { method: 'GET', headers: { accept: 'application/json' }, signal });
  const text = await response.text();
  const where = `the secret ${namespace}/${name}`;
  if (response.status === 404) {
    throw credentialsError(`${where} does not exist yet: the virtual cluster creates it once it has started`);
  }
  if (response.status !== 200)
    throw credentialsError(`${where} cannot be read: ${messageOf(text) ?? `status ${response.status}`}`);
  const credentials = credentialsIn(parseTrustedJson(text));
  if (credentials === undefined) throw credentialsError(`${where} contains no credentials`);
  return credentials;
}

function credentialsIn(secret: JsonValue): VirtualClusterCredentials | undefined {
  const field = (name: string) => Buffer.from(textAt(objectAt(secret, 'data') ?? {}, name), 'base64').toString('utf8');
  const certificateAuthority = field('certificate-authority');
  const clientCertificate = field('client-certificate');
  const clientKey = field('client-key');
  if (certificateAuthority !== '' && clientCertificate !== '' && clientKey !== '') {
    return { certificateAuthority, clientCertificate, clientKey };
  }
  const { kubeconfig } = readKubeconfig(field('config'));
  const hasUser = kubeconfig?.token !== undefined || kubeconfig?.clientCertificate !== undefined;
  return hasUser ? kubeconfig : undefined;
}

export function sameCredentials(one: VirtualClusterCredentials, other: VirtualClusterCredentials): boolean {
  return (
    one.certificateAuthority === other.certificateAuthority &&
    one.clientCertificate === other.clientCertificate &&
    one.clientKey === other.clientKey &&
    one.token === other.token &&
    one.insecureSkipTlsVerify === other.insecureSkipTlsVerify
  );
}

function credentialsError(message: string): StatusError {
  return new NoResponseError('CredentialsRefused', message);
}

function messageOf(text: string): string | undefined {
  try {
    const message = textAt(JSON.parse(text) as JsonValue, 'message');
    return message === '' ? undefined : message;
  } catch {
    return undefined;
  }
}
