import { type Kubeconfig, readKubeconfig } from '../../api/kubeconfig.ts';
import type { StatusError } from '../../api/status.ts';
import { parseTrustedJson } from '../../lib/json-parse.ts';
import { objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { HostConnection } from './host-connection.ts';
import { NoAnswerError } from './no-answer.ts';

/** What opens a virtual cluster to the one who may do everything in it. Held in memory alone. */
export type VirtualClusterCredentials = Pick<
  Kubeconfig,
  'certificateAuthority' | 'clientCertificate' | 'clientKey' | 'token' | 'insecureSkipTlsVerify'
>;

/** Reads what a virtual cluster has left for its owner: certificates, or a kubeconfig that holds them or a token. */
export async function readVirtualClusterSecret(
  { fetch }: Pick<HostConnection, 'fetch'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<VirtualClusterCredentials> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const answer = await fetch(path, { method: 'GET', headers: { accept: 'application/json' }, signal });
  const text = await answer.text();
  const where = `the secret ${namespace}/${name}`;
  if (answer.status === 404) {
    throw unusable(`${where} is not there: the virtual cluster writes it when it has started`);
  }
  if (answer.status !== 200) throw unusable(`${where} cannot be read: ${wordsOf(text) ?? `answer ${answer.status}`}`);
  const credentials = credentialsIn(parseTrustedJson(text));
  if (credentials === undefined) throw unusable(`${where} holds no credentials`);
  return credentials;
}

function credentialsIn(secret: JsonValue): VirtualClusterCredentials | undefined {
  const member = (name: string) => Buffer.from(textAt(objectAt(secret, 'data') ?? {}, name), 'base64').toString('utf8');
  const certificateAuthority = member('certificate-authority');
  const clientCertificate = member('client-certificate');
  const clientKey = member('client-key');
  if (certificateAuthority !== '' && clientCertificate !== '' && clientKey !== '') {
    return { certificateAuthority, clientCertificate, clientKey };
  }
  const { kubeconfig } = readKubeconfig(member('config'));
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

function unusable(message: string): StatusError {
  return new NoAnswerError('CredentialsRefused', message);
}

function wordsOf(text: string): string | undefined {
  try {
    const words = textAt(JSON.parse(text) as JsonValue, 'message');
    return words === '' ? undefined : words;
  } catch {
    return undefined;
  }
}
