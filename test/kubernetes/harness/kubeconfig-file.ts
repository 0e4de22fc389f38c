import { writeFileSync } from 'node:fs';
import type { KeyPairPem } from '../../harness/self-signed.ts';

export interface KubeconfigParts {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly token?: string;
  readonly certificate?: KeyPairPem;
}

/** A self-contained kubeconfig of one cluster and one user, in JSON, which is valid YAML. */
export function kubeconfigText({ server, ca, token, certificate }: KubeconfigParts): string {
  const user = {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined
      ? {}
      : { 'client-certificate-data': base64(certificate.cert), 'client-key-data': base64(certificate.key) }),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'it', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'caller', user }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'caller' } }],
    'current-context': 'it',
  });
}

export function writeKubeconfig(path: string, parts: KubeconfigParts): string {
  writeFileSync(path, kubeconfigText(parts), { mode: 0o600 });
  return path;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
