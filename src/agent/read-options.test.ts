import { describe, expect, it } from 'vitest';
import { type AgentFlags, readAgentOptions } from './read-options.ts';

const needed = { management: 'https://server:8443', cluster: 'edge', 'access-key-file': 'k' };

function flags(given: Readonly<Record<string, string | true>>): AgentFlags {
  const text = (name: string) => {
    const value = given[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { text, list: (name) => [text(name) ?? []].flat(), flag: (name) => given[name] === true };
}

describe('the options of an agent', () => {
  it('have defaults', () => {
    expect(readAgentOptions(flags(needed))).toMatchObject({
      management: 'https://server:8443',
      listen: { host: '127.0.0.1', port: 8444 },
      host: { kind: 'kubernetes', kubeconfigFile: undefined },
      apiPrefix: undefined,
      planeWorkers: undefined,
      encryptedRows: undefined,
      maxPolicyAge: 24 * 3600_000,
    });
    const given = {
      ...needed,
      'built-in': true,
      'max-policy-age': '90m',
      'plane-workers': '0',
      'encryption-rows': 'all',
    } as const;
    expect(readAgentOptions(flags(given))).toMatchObject({
      host: { kind: 'built-in' },
      maxPolicyAge: 90 * 60_000,
      planeWorkers: 0,
      encryptedRows: 'all',
    });
  });

  it.each<[Record<string, string | true>, string]>([
    [{ management: '' }, '--management is required'],
    [{ management: 'http://a' }, '--management: "http://a" is not https://'],
    [{ management: 'https://a/b' }, '--management'],
    [{ cluster: '' }, '--cluster is required'],
    [{ listen: 'nowhere' }, '--listen: "nowhere" is not host:port'],
    [{ 'external-url': 'edge' }, '--external-url'],
    [{ 'tls-cert-file': 'c' }, '--tls-cert-file needs --tls-key-file'],
    [{ 'tls-san': 'a b' }, '--tls-san'],
    [{ 'max-policy-age': 'long' }, '--max-policy-age'],
    [{ 'proxy-url': 'proxy:3128' }, '--proxy-url: the value is not a URL such as http://host:port'],
    [{ 'proxy-url': 'http://anna:hush@proxy:3128' }, '--proxy-url contains a password'],
    [{ 'plane-workers': '-1' }, '--plane-workers: "-1" is not a number from 0 to 999'],
    [{ 'encryption-rows': 'none' }, '--encryption-rows: "none" is not all or secrets'],
    [{ 'log-level': 'loud' }, '--log-level'],
    [{ 'built-in': true, kubeconfig: 'k' }, '--built-in and --kubeconfig'],
  ])('are rejected with a one-line message: %j', (given, message) => {
    expect(() => readAgentOptions(flags({ ...needed, ...given }))).toThrow(message);
  });
});
