import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultAuditRules } from '../../audit/audit-policy.ts';
import { defaultHelmSettings } from '../../hosts/kubernetes/release/helm-settings.ts';
import { defaultManagementSettings } from '../../management/settings.ts';
import { consoleDirectory } from '../console/console-directory.ts';
import { type FlagValues, flagName, startFlags } from './flags.ts';
import { readOptions } from './options.ts';

let directory: string;
let config: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'options-'));
  config = join(directory, 'config.yaml');
});
afterEach(() => rm(directory, { recursive: true }));

describe('readOptions', () => {
  it('has the defaults of completions §1', async () => {
    expect(await readOptions({})).toEqual({
      dataDir: '.flotilla',
      listen: { host: '127.0.0.1', port: 8443 },
      peerListen: undefined,
      externalUrl: undefined,
      tls: undefined,
      tlsSan: [],
      apiPrefix: 'kubernetes',
      store: 'embedded',
      sealKeyFile: undefined,
      signingKeyFile: undefined,
      authority: undefined,
      logLevel: 'info',
      audit: {
        maxBytes: 64 * 1024 * 1024,
        keptFiles: 5,
        heldFiles: 20,
        onFailure: 'refuse',
        rules: defaultAuditRules,
        forward: [],
      },
      history: { ageMilliseconds: 300_000, changes: 10_000 },
      etcd: { maxRequestBytes: 1_572_864 },
      encryption: { rows: undefined, kms: undefined, rootKey: undefined },
      limits: {
        bodyBytes: 3 * 1024 * 1024,
        readsInFlight: 400,
        writesInFlight: 200,
        requestsPerSecond: 500,
        requestBurst: 2000,
        watchesPerKey: 5000,
        watchesPerUser: 10_000,
        watchesPerConnection: 1000,
      },
      planes: {
        workers: undefined,
        stallSeconds: 5,
        workerHeapBytes: 2 * 1024 * 1024 * 1024,
        memoryBytes: 64 * 1024 * 1024,
        maxBytes: 512 * 1024 * 1024,
        maxObjects: 100_000,
        maxTokenTTL: 30 * 24 * 3600,
        webhookAddresses: ['public'],
        api: 'full',
      },
      auth: {
        loginTTL: 20 * 24 * 3600,
        renewedLoginTTL: 90 * 24 * 3600,
        freshLoginSeconds: 900,
        oidc: [],
        password: { enabled: true, secondFactor: 'off' },
        oidcProvider: { enabled: false, clients: [] },
        workloadIdentity: [],
      },
      tracing: {
        endpoint: undefined,
        sampleRatio: 0.01,
        trustCallers: false,
        serviceName: 'flotilla',
        headersFile: undefined,
        caFile: undefined,
        certFile: undefined,
        keyFile: undefined,
      },
      usage: { sampleSeconds: 60 },
      server: { trustedProxies: [], hstsSeconds: 0 },
      console: { enabled: true, directory: consoleDirectory() },
      management: {
        ...defaultManagementSettings,
        accessKeys: { ...defaultManagementSettings.accessKeys, maxTTL: undefined, maxUnscopedTTL: undefined },
      },
      helm: { ...defaultHelmSettings, environment: expect.objectContaining({ PATH: process.env.PATH }) },
    });
  });

  it('passes only the environment variables for chart access to helm', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.test');
    vi.stubEnv('KUBECONFIG', '/of/somebody');
    vi.stubEnv('HELM_DRIVER', 'memory');
    const { environment } = (await readOptions({})).helm;
    vi.unstubAllEnvs();
    expect(environment).toMatchObject({ HTTPS_PROXY: 'http://proxy.test' });
    expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['KUBECONFIG']));
    expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['HELM_DRIVER']));
  });

  it('reads the same settings from a file, in both spellings, and flags take precedence', async () => {
    await writeFile(config, 'data-dir: /a\nlisten: 0.0.0.0:1\napiPrefix: k\ntls-san: [x.test, 10.0.0.1]\nstore:\n');
    const options = await readOptions({ config, listen: '[::1]:0' });
    expect(options).toMatchObject({
      dataDir: '/a',
      listen: { host: '::1', port: 0 },
      apiPrefix: 'k',
      tlsSan: ['x.test', '10.0.0.1'],
      store: 'embedded',
    });
  });

  it('accepts every flag as a setting in the file', async () => {
    const values: Record<string, string> = {
      'data-dir': '/d',
      listen: 'h:1',
      'external-url': 'https://x.test',
      'tls-cert-file': '/c',
      'tls-key-file': '/k',
      'tls-san': 'x.test',
      'api-prefix': 'p',
      store: 'memory',
      'seal-key-file': '/s',
      'signing-key-file': '/k',
      'ca-cert-file': '/ca',
      'ca-key-file': '/cak',
      'log-level': 'warn',
    };
    const etcd: Record<string, string> = {
      store: 'https://a:1',
      'etcd-prefix': 'p',
      'etcd-ca-file': '/ca',
      'etcd-cert-file': '/c',
      'etcd-key-file': '/k',
      'etcd-username': 'u',
      'etcd-password-file': '/p',
      'peer-listen': 'h:2',
    };
    for (const flags of [values, etcd]) {
      await writeFile(config, JSON.stringify(flags));
      expect(await readOptions({ config })).toEqual(await readOptions(flags as FlagValues));
    }
    const names = new Set([...Object.keys(values), ...Object.keys(etcd), 'config']);
    expect([...names].sort()).toEqual(startFlags.map(flagName).sort());
  });

  it('reads the addresses of etcd, and the defaults of their settings', async () => {
    const endpoints = 'https://etcd-1:2379,https://etcd-2:2379';
    expect((await readOptions({ store: endpoints })).store).toEqual({
      endpoints,
      prefix: 'flotilla',
      caFile: undefined,
      clientCertificate: undefined,
      user: undefined,
    });
    const flags = { 'etcd-username': 'anna', 'etcd-password-file': '/p', 'etcd-prefix': 'team/one' };
    expect((await readOptions({ store: 'http://[::1]:2379', ...flags })).store).toMatchObject({
      prefix: 'team/one',
      user: { name: 'anna', passwordFile: '/p' },
    });
  });

  it('requires an external URL with etcd, unless the server listens on a loopback address', async () => {
    const store = 'https://etcd-1:2379';
    await expect(readOptions({ store, listen: '0.0.0.0:8443' })).rejects.toThrow('--external-url is required');
    await readOptions({ store, listen: '0.0.0.0:8443', 'external-url': 'https://x.test' });
    await readOptions({ store, listen: '[::1]:8443' });
    await readOptions({ store: 'embedded', listen: '0.0.0.0:8443' });
  });

  it('reads settings without a flag', async () => {
    await writeFile(
      config,
      `audit: {maxBytes: 2048, keptFiles: 0, onFailure: continue, rules: [{level: None, users: [robot]},
        {level: Metadata, resources: [{group: g, resources: [a/b]}], outcome: refused}]}
history: {seconds: 10, changes: 5}
accessKeys: {maxTTL: 60}
charts: {allowed: [{name: mine, repo: 'https://charts.test'}]}
hosts: {allowedValues: [sleepMode], deniedCIDRs: [10.0.0.0/8], allowPlainHttp: true}
helm: {path: '/charts/vcluster-{version}.tgz', version: '', timeoutSeconds: 60}`,
    );
    const { audit, history, management, helm } = await readOptions({ config });
    expect(helm).toMatchObject({
      path: '/charts/vcluster-{version}.tgz',
      version: '',
      timeoutSeconds: 60,
      concurrency: 4,
    });
    expect(management).toEqual({
      ...defaultManagementSettings,
      accessKeys: { ...defaultManagementSettings.accessKeys, maxTTL: 60, maxUnscopedTTL: undefined },
      charts: { allowed: [{ name: 'mine', repo: 'https://charts.test' }] },
      hosts: {
        ...defaultManagementSettings.hosts,
        allowedValues: ['sleepMode'],
        deniedCIDRs: ['10.0.0.0/8'],
        allowPlainHttp: true,
      },
    });
    expect(history).toEqual({ ageMilliseconds: 10_000, changes: 5 });
    expect(audit).toEqual({
      maxBytes: 2048,
      keptFiles: 0,
      heldFiles: 20,
      forward: [],
      onFailure: 'continue',
      rules: [
        { level: 'None', users: ['robot'] },
        { level: 'Metadata', resources: [{ group: 'g', resources: ['a/b'] }], outcome: 'refused' },
      ],
    });
  });

  it.each([
    ['colour: red', '"colour" is not a known setting'],
    ['audit: {forward: [{type: webhook}]}', 'every target under "audit.forward" needs a "name"'],
    ['audit: {forward: [{name: a, type: webhook, url: "http://siem"}]}', 'target a needs a "url" such as https://'],
    ['audit: {forward: [{name: a, type: syslog, url: "https://siem"}]}', 'target a needs a "url" such as tls://'],
    ['audit: {forward: [{name: a, type: webhook, url: "https://u:p@siem"}]}', 'must not have a user or password'],
    ['audit: {forward: [{name: a, type: webhook, url: "https://siem", auth: hmac}]}', 'needs a "secretFile"'],
    ['audit: {forward: [{name: a, type: webhook, url: "https://siem", secretFile: x}]}', 'but no "auth"'],
    ['audit: {forward: [{name: a, type: syslog, url: "tls://siem", certFile: x}]}', 'both "certFile" and "keyFile"'],
    [
      'audit: {forward: [{name: a, type: syslog, url: "tls://s"}, {name: a, type: syslog, url: "tls://s"}]}',
      'two targets have the name a',
    ],
    ['audit: {size: 3}', '"audit.size" is not a known setting'],
    ['audit: {rules: [{level: None, who: x}]}', '"audit.rules[0].who" is not a known setting'],
    ['audit: {rules: [{level: Loud}]}', '"audit.rules[0].level" must be one of None'],
    ['listen: 8443', '"listen" must be a string'],
    ['history: {changes: 0}', '"history.changes" must be an integer'],
    ['charts: {allowed: [{name: x, version: 1}]}', '"repo"'],
    ['hosts: {deniedCIDRs: [10.0.0.0]}', '"hosts.deniedCIDRs" contains "10.0.0.0", which is not a range'],
    ['hosts: {allowedValues: [a..b]}', '"hosts.allowedValues" contains "a..b", which is not a path'],
    ['charts: {allowed: [{name: x, repo: y, version: 1}]}', '"charts.allowed[0].version" is not a known setting'],
    ['directTokens: {defaultTTL: 9, maxTTL: 8}', '"directTokens.defaultTTL" exceeds'],
    ['gateway: {defaultTokenTTL: 9, maxTokenTTL: 8}', '"gateway.defaultTokenTTL" exceeds'],
    ['data-dir: a\ndataDir: b', '"dataDir" is set twice'],
    ['- a', 'must be a map of settings'],
    ['a: [', 'is not valid YAML'],
    ['__proto__: x', '"__proto__" is not a known setting'],
  ])('rejects the file %j with a one-line message', async (text, message) => {
    await writeFile(config, text);
    const error: unknown = await readOptions({ config }).catch((caught: unknown) => caught);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('\n');
  });

  const badFlags: [FlagValues, string][] = [
    [{ listen: '8443' }, '--listen: "8443"'],
    [{ listen: 'host:99999' }, '--listen'],
    [{ listen: '[nonsense]:1' }, '--listen'],
    [{ 'external-url': 'http://x' }, '--external-url'],
    [{ 'external-url': 'https://x/path' }, '--external-url'],
    [{ 'tls-cert-file': '/c' }, 'needs --tls-key-file'],
    [{ 'tls-key-file': '/c' }, 'needs --tls-cert-file'],
    [{ 'tls-san': ['good.test', 'bad name'] }, '"bad name"'],
    [{ 'api-prefix': 'a/b' }, '--api-prefix'],
    [{ 'api-prefix': 'healthz' }, '--api-prefix'],
    [{ 'api-prefix': 'assets' }, '--api-prefix'],
    [{ store: 'sqlite' }, '--store'],
    [{ store: 'etcd://a:1' }, '--store: the etcd address "etcd://a:1" is invalid: it must start with https://'],
    [{ store: 'http://etcd-1:2379' }, 'accepted for loopback addresses only'],
    [{ store: 'https://a:1,http://127.0.0.1:2' }, 'either all https or all http'],
    [{ store: 'https://a:1', 'etcd-prefix': 'a:b' }, '--etcd-prefix: the etcd prefix "a:b" is invalid'],
    [{ store: 'https://a:1', 'peer-listen': '8445' }, '--peer-listen: "8445" is not host:port'],
    [{ 'peer-listen': '127.0.0.1:0' }, '--peer-listen needs --store with the addresses of etcd'],
    [{ 'etcd-prefix': 'p' }, '--etcd-prefix needs --store with the addresses of etcd'],
    [{ store: 'memory', 'etcd-username': 'u' }, '--etcd-username needs --store with the addresses of etcd'],
    [{ store: 'https://a:1', 'etcd-cert-file': '/c' }, '--etcd-cert-file needs --etcd-key-file'],
    [{ store: 'https://a:1', 'etcd-key-file': '/k' }, '--etcd-key-file needs --etcd-cert-file'],
    [{ store: 'https://a:1', 'etcd-username': 'u' }, '--etcd-username needs --etcd-password-file'],
    [{ store: 'https://a:1', 'etcd-password-file': '/p' }, '--etcd-password-file needs --etcd-username'],
    [{ store: 'http://127.0.0.1:1', 'etcd-ca-file': '/c' }, '--etcd-ca-file needs https:// addresses in --store'],
    [{ 'ca-cert-file': 'c' }, '--ca-cert-file needs --ca-key-file'],
    [{ 'ca-key-file': 'k' }, '--ca-key-file needs --ca-cert-file'],
    [{ 'log-level': 'loud' }, '--log-level'],
    [{ config: '/no/such.yaml' }, '/no/such.yaml not found'],
  ];
  it.each(badFlags)('rejects %j', async (flags, message) => {
    await expect(readOptions(flags)).rejects.toThrow(message);
  });
});
