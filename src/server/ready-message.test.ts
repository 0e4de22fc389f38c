import { describe, expect, it } from 'vitest';
import { type ReadyMessageOptions, readyMessage } from './ready-message.ts';

const options: ReadyMessageOptions = {
  url: 'https://127.0.0.1:8443',
  adminKubeconfig: '/home/a/.flotilla/admin.kubeconfig',
  adminKey: '/home/a/.flotilla/admin.key',
  caCertificate: '/home/a/.flotilla/ca.crt',
  hasConsole: true,
  workingDirectory: '/home/a',
};

describe('readyText', () => {
  it('contains ready and the base URL, then two commands, then the console', () => {
    const lines = [
      'ready https://127.0.0.1:8443',
      '  kubectl --kubeconfig .flotilla/admin.kubeconfig get projects,clusters,virtualclustertemplates',
      '  kubectl --kubeconfig .flotilla/admin.kubeconfig explain virtualclusterinstances.spec',
    ];
    const browser = '  console: https://127.0.0.1:8443/ (sign in with the access key in .flotilla/admin.key)';
    expect(readyMessage(options).split('\n')).toEqual([...lines, browser, '']);
    expect(readyMessage({ ...options, hasConsole: false }).split('\n')).toEqual([...lines, '']);
  });

  it('on a server without a kubeconfig of the administrator contains a login command', () => {
    const lines = [
      'ready https://127.0.0.1:8443',
      '  flotilla login https://127.0.0.1:8443 --ca-file .flotilla/ca.crt',
    ];
    const message = readyMessage({ ...options, adminKubeconfig: undefined });
    expect(message.split('\n')).toEqual([...lines, '  console: https://127.0.0.1:8443/', '']);
  });

  it('prints a directory elsewhere as an absolute path, quoted for the shell if needed', () => {
    expect(readyMessage({ ...options, adminKubeconfig: "/var/my data/it's" })).toContain(
      `--kubeconfig '/var/my data/it'\\''s' get`,
    );
  });
});
