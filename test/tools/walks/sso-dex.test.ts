import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../../harness/kubectl.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { CodeFlow } from '../../oidc/code-flow.ts';
import { DexFixture, dexMissing } from '../../oidc/dex.fixture.ts';
import { WebClient } from '../../oidc/web-client.ts';

const ada = { userID: '1', email: 'ada@acme.test', password: 'correct horse', username: 'Ada', groups: ['platform'] };

describeIfAvailable(dexMissing, 'Dex of the tests', () => {
  let dex: DexFixture;
  let flow: CodeFlow;
  let browser: WebClient;

  beforeAll(async () => {
    dex = await DexFixture.start([ada]);
    flow = new CodeFlow(dex);
    await dex.allowRedirects([flow.callback]);
    browser = new WebClient();
  });
  afterAll(async () => {
    await browser.close();
    await dex.close();
  });

  it('gives the current groups at sign-in and at a refresh, and no tokens for people who are gone', async () => {
    const start = flow.authorizationUrl(`${dex.issuer}/auth`);
    const back = await dex.signIn(browser, start, ada.email, ada.password);
    const first = await flow.exchange(`${dex.issuer}/token`, back);
    expect(decodeJwt(first.id_token ?? '')).toMatchObject({ iss: dex.issuer, email: ada.email, groups: ['platform'] });

    await dex.setPeople([{ ...ada, groups: ['billing'] }]);
    const second = await flow.refresh(`${dex.issuer}/token`, first.refresh_token);
    expect(decodeJwt(second.id_token ?? '')).toMatchObject({ email: ada.email, groups: ['billing'] });

    await dex.setPeople([]);
    expect(await flow.refresh(`${dex.issuer}/token`, second.refresh_token)).toEqual({ error: 'invalid_request' });
  });
});

describeIfAvailable(dexMissing ?? kubectlMissing, 'a server with a connector to Dex', () => {
  let folder: string;
  let dex: DexFixture;
  let flotilla: FlotillaProcess;
  let admin: Kubectl;
  let browser: WebClient;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sso-dex-'));
    dex = await DexFixture.start([ada]);
    const connector = dex.connector('dex', {
      displayName: 'Dex',
      claims: { user: 'email' },
      allowedDomains: ['acme.test'],
      groupsToTeams: { platform: 'platform-team' },
    });
    const config = join(folder, 'flotilla.yaml');
    writeFileSync(config, JSON.stringify({ auth: { oidc: [connector], password: { enabled: false } } }));
    flotilla = await startFlotilla({ args: ['--config', config] });
    await dex.allowRedirects([`${flotilla.url}/auth/oidc/dex/callback`]);
    admin = kubectlWith(flotilla.kubeconfig);
    await admin.ok(['create', '-f', '-'], { input: JSON.stringify(team) });
    await admin.ok(['create', '-f', '-'], { input: JSON.stringify(sharedCluster) });
    await admin.ok(['wait', '--for=condition=Ready', 'vci/demo', '--timeout=60s']);
    browser = new WebClient([readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8')]);
  });
  afterAll(async () => {
    await browser?.close();
    await flotilla?.remove();
    await dex?.close();
    rmSync(folder, { recursive: true });
  });

  const apiVersion = 'management.platform.sh/v1';
  const team = { apiVersion, kind: 'Team', metadata: { name: 'platform-team' }, spec: {} };
  const sharedCluster = {
    apiVersion,
    kind: 'VirtualClusterInstance',
    metadata: { name: 'demo', namespace: 'platform-p-default' },
    spec: {
      access: [{ name: 'team', verbs: ['get', 'use'], subresources: ['*'], teams: ['platform-team'] }],
    },
  };

  async function signIn(): Promise<string | undefined> {
    const back = await dex.signIn(browser, `${flotilla.url}/auth/oidc/dex/login`, ada.email, ada.password);
    const { headers } = await browser.visit(back, { stopAt: () => true });
    return [headers.location].flat()[0];
  }

  /** Runs kubectl in the virtual cluster with the session key of the browser. */
  const inside = (...args: string[]) => {
    const key = browser.cookie(flotilla.url, '__Host-flotilla-session') ?? '';
    const server = `${flotilla.url}/kubernetes/project/default/virtualcluster/demo`;
    return kubectlWith('/dev/null').run([
      ...['--server', server, '--token', key],
      ...['--certificate-authority', join(flotilla.dataDirectory, 'ca.crt'), ...args],
    ]);
  };

  it('creates the user at the first sign-in, with the teams of the groups', async () => {
    expect(await signIn()).toBe('/');
    const user = JSON.parse(await admin.ok(['get', 'user', 'ada', '-o', 'json']));
    expect(user.spec).toMatchObject({ displayName: 'Ada', email: ada.email });
    expect(user.status.identities).toMatchObject([{ connector: 'dex', issuer: dex.issuer, teams: ['platform-team'] }]);
    // The team's spec names no users: the membership comes only from the group.
    expect(await admin.ok(['get', 'team', 'platform-team', '-o', 'jsonpath={.spec.users}'])).toBe('');
  });

  it('shows name and groups inside a virtual cluster that the team may use', async () => {
    const { code, stdout, stderr } = await inside('auth', 'whoami', '-o', 'json');
    expect(code, stderr).toBe(0);
    const { userInfo } = JSON.parse(stdout).status;
    expect(userInfo.username).toContain('ada');
    expect(userInfo.groups).toContain('platform');
    expect((await inside('get', 'namespaces')).stdout).toContain('kube-system');
  });

  it('keeps access keys as the way in while Dex is down', async () => {
    await dex.down();
    expect((await inside('get', 'namespaces')).code).toBe(0);
    expect(await admin.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('admin');
    await dex.up();
  });

  it('refuses people whose domain is not allowed', async () => {
    await dex.setPeople([{ ...ada, email: 'eve@evil.test', userID: '2' }]);
    const back = await dex.signIn(browser, `${flotilla.url}/auth/oidc/dex/login`, 'eve@evil.test', ada.password);
    const { headers } = await browser.visit(back, { stopAt: () => true });
    expect(headers.location).toBe('/sign-in?problem=NotAllowed&connector=dex');
  });
});
