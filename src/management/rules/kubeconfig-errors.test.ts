import { describe, expect, it } from 'vitest';
import { kubeconfigFault } from './kubeconfig-errors.ts';

function kubeconfig(user: string, cluster = 'certificate-authority-data: QQ=='): string {
  return `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters:
- name: k
  cluster: {server: "https://10.0.0.1:6443", ${cluster}}
users:
- name: u
  user: {${user}}
`;
}

describe('rules for the kubeconfig of a connected cluster', () => {
  it('takes one whose credentials are inline', () => {
    expect(kubeconfigFault(kubeconfig('token: secret-token'))).toBeUndefined();
    expect(kubeconfigFault(kubeconfig('client-certificate-data: QQ==, client-key-data: QQ=='))).toBeUndefined();
  });

  it.each([
    'exec: {command: sh}',
    'auth-provider: {name: gcp}',
    'tokenFile: /etc/shadow',
    'client-certificate: /x',
    'client-key: /x',
  ])('refuses %s: it would read files or run programs on the server', (member) => {
    expect(kubeconfigFault(kubeconfig(member))).toContain('inline');
  });

  it('refuses a certificate authority from a file', () => {
    expect(kubeconfigFault(kubeconfig('token: a', 'certificate-authority: /x'))).toContain('certificate-authority');
  });

  it.each(['', '{', 'text', '[]', 'current-context: none', 'current-context: c\ncontexts: [{name: c, context: {}}]'])(
    'refuses %j',
    (text) => {
      expect(kubeconfigFault(text)).toMatch(/^must/);
    },
  );

  it('never quotes what it was given', () => {
    expect(kubeconfigFault('secret-token: [')).not.toContain('secret-token');
  });
});
