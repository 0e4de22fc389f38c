import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from './decode/base64.ts';
import { type Kubeconfig, readKubeconfig, writeKubeconfig } from './kubeconfig.ts';

const pem = (label: string) => `-----BEGIN ${label}-----\nTUlJ\n-----END ${label}-----\n`;
const certificate = pem('CERTIFICATE');
const key = pem('EC PRIVATE KEY');

function kubeconfig(user: object | null, cluster: object = {}): string {
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

const faultOf = (text: string) => readKubeconfig(text).fault;
const read = (text: string) => readKubeconfig(text).kubeconfig;

describe('readKubeconfig', () => {
  it('reads the server, the certificate authority and the credentials', () => {
    const user = { 'client-certificate-data': encodeBase64(certificate), 'client-key-data': encodeBase64(key) };
    const cluster = {
      server: 'https://Example.com:443/k8s/clusters/a/',
      'certificate-authority-data': encodeBase64(certificate),
      'tls-server-name': 'kubernetes',
      'proxy-url': 'http://me:word@proxy:3128',
    };
    expect(read(kubeconfig(user, cluster))).toEqual({
      server: 'https://example.com/k8s/clusters/a',
      certificateAuthority: certificate,
      tlsServerName: 'kubernetes',
      proxyUrl: 'http://me:word@proxy:3128/',
      clientCertificate: certificate,
      clientKey: key,
    });
    expect(read(kubeconfig({ token: 'abc' }, { 'insecure-skip-tls-verify': true }))).toEqual({
      server: 'https://10.0.0.1:6443',
      insecureSkipTlsVerify: true,
      token: 'abc',
    });
    expect(read(kubeconfig({ username: 'me', password: 'word' }))).toMatchObject({ username: 'me', password: 'word' });
    expect(read(kubeconfig(null))).toEqual({ server: 'https://10.0.0.1:6443' });
  });

  it('accepts base64 with line breaks, as the base64 command writes it', () => {
    const wrapped = encodeBase64(certificate.repeat(3)).replace(/(.{40})/g, '$1\n');
    expect(read(kubeconfig({}, { 'certificate-authority-data': `${wrapped}\n` }))?.certificateAuthority).toBe(
      certificate.repeat(3),
    );
  });

  it('reads only the current context', () => {
    const text = dump({
      'current-context': 'a',
      contexts: ['a', 'b'].map((name) => ({ name, context: { cluster: name, user: 'u' } })),
      clusters: ['a', 'b'].map((name) => ({ name, cluster: { server: `https://${name}` } })),
      users: [
        { name: 'u', user: { token: 't' } },
        { name: 'other', user: { exec: { command: 'sh' } } },
      ],
    });
    expect(read(text)?.server).toBe('https://a');
  });

  it.each([
    { exec: { command: 'sh' } },
    { 'auth-provider': { name: 'gcp' } },
    { tokenFile: '/etc/shadow' },
    { 'client-certificate': '/x' },
    { 'client-key': '/x' },
  ])('rejects %j, which would read files or run programs on the server (completions §7)', (user) => {
    expect(faultOf(kubeconfig(user))).toBe(
      `must contain all credentials inline; ${Object.keys(user)[0]} would read files or run programs on the server`,
    );
  });

  it.each([
    [{}, { 'certificate-authority': '/x' }, 'certificate-authority would read'],
    [{ as: 'somebody', token: 'a' }, {}, 'must not impersonate'],
    [{ 'as-groups': ['g'], token: 'a' }, {}, 'must not impersonate'],
    [{ 'client-key-data': encodeBase64(key) }, {}, 'both client-certificate-data and client-key-data'],
    [
      { 'client-certificate-data': '???', 'client-key-data': encodeBase64(key) },
      {},
      'valid base64 in client-certificate-data',
    ],
    [
      { 'client-certificate-data': encodeBase64('x'), 'client-key-data': encodeBase64(key) },
      {},
      'a PEM-encoded certificate',
    ],
    [{ 'client-key-data': encodeBase64(pem('ENCRYPTED PRIVATE KEY')) }, {}, 'an unencrypted key'],
    [{ token: 'a', username: 'b' }, {}, 'both a token and a username'],
    [{ token: 12 }, {}, 'a string in token'],
    [{ token: 'a\r\nX-Remote-User: admin' }, {}, 'a token without spaces'],
    [{}, { server: '' }, 'set the server'],
    [{}, { server: 'ftp://x' }, 'set the server'],
    [{}, { server: 'https://' }, 'set the server'],
    [{}, { server: 'https://me:secret-word@x' }, 'a server URL without credentials'],
    [{}, { server: 'https://x?secret-word=1' }, 'a server URL without credentials'],
    [{}, { 'proxy-url': 'socks5://proxy' }, 'a proxy-url that starts with http'],
    [
      {},
      { 'insecure-skip-tls-verify': true, 'certificate-authority-data': encodeBase64(certificate) },
      'both certificate-authority-data and insecure-skip-tls-verify',
    ],
  ])('rejects user %j and cluster %j and reports: %s', (user, cluster, words) => {
    const fault = faultOf(kubeconfig(user, cluster));
    expect(fault).toMatch(/^must /);
    expect(fault).toContain(words);
    expect(fault).not.toContain('secret-word');
  });

  it.each(['', '{', 'text', '[]', 'current-context: none', 'current-context: c\ncontexts: [{name: c, context: {}}]'])(
    'rejects %j',
    (text) => {
      expect(faultOf(text)).toMatch(/^must/);
    },
  );

  it('rejects a text that is longer than any kubeconfig', () => {
    expect(faultOf(' '.repeat(300_000))).toContain('at most');
  });

  it('never quotes the text in an error', () => {
    expect(faultOf('secret-token: [')).not.toContain('secret-token');
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(typeof (faultOf(text) ?? read(text)?.server)).toBe('string');
      }),
    );
  });

  it('reads back what writeKubeconfig writes', () => {
    const texts = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((text) => /^[\x21-\x7e]+$/.test(text));
    const known: fc.Arbitrary<Kubeconfig> = fc
      .record(
        {
          certificateAuthority: fc.constant(certificate),
          tlsServerName: texts,
          proxyUrl: fc.constant('https://proxy:3128/'),
          pair: fc.constant({ clientCertificate: certificate, clientKey: key }),
          token: texts,
        },
        { requiredKeys: [] },
      )
      .map(({ pair, ...members }) => ({ server: 'https://a:6443/x', ...members, ...pair }));
    fc.assert(
      fc.property(known, (given) => {
        expect(read(writeKubeconfig(given))).toEqual(given);
      }),
    );
    for (const given of [
      { server: 'https://a', username: 'me', password: '' },
      { server: 'http://a', insecureSkipTlsVerify: true },
    ]) {
      expect(read(writeKubeconfig(given))).toEqual(given);
    }
  });
});
