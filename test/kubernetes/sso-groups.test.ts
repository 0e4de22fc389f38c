import { listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { OidcProviderFixture } from '../oidc/oidc-provider.fixture.ts';
import { SsoServer } from '../oidc/sso-server.fixture.ts';
import type { WebClient } from '../oidc/web-client.ts';
import { AgentOnKubernetes } from './harness/agent-on-kubernetes.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();
const anna = { preferred_username: 'anna', name: 'Anna', groups: ['builders', 'staff'] };
/** The cluster that the server reaches directly. The cluster `env.cluster` is behind an agent. */
const connected = 'africa';

describeIfAvailable(
  typeof programs === 'string' ? programs : undefined,
  'the groups of a person who signed in at a provider',
  () => {
    let provider: OidcProviderFixture;
    let env: AgentOnKubernetes;
    let kubernetes: Kubernetes;
    let sso: SsoServer;
    let browser: WebClient;
    let directToken = '';

    beforeAll(async () => {
      if (typeof programs === 'string') return;
      provider = await OidcProviderFixture.start();
      provider.accounts.set('1', anna);
      const connector = provider.connector('company', { groupsPrefix: 'company:' });
      env = await AgentOnKubernetes.open(programs, { usesTunnel: false, settings: { auth: { oidc: [connector] } } });
      kubernetes = await startKubernetes({ programs });
      const { flotilla } = env;
      await flotilla.connect(connected, kubernetes);
      sso = await SsoServer.of(flotilla.bench, flotilla.server);
      provider.allowRedirects([sso.callbackUrl('company')]);
      browser = sso.browser();
      await signIn(browser);
      const access = [{ name: 'use', verbs: ['use'], users: ['anna'] }];
      for (const cluster of [connected, env.cluster]) {
        const { code, text } = await flotilla.ask(`${groupPath}/clusters/${cluster}`, mergePatch({ spec: { access } }));
        expect(code, text).toBe(200);
      }
      for (const { kubectl } of [kubernetes, env.kubernetes])
        await kubectl.ok([
          'create',
          'clusterrolebinding',
          'builders',
          '--clusterrole=view',
          '--group=company:builders',
        ]);
      const { json, text } = await sso.send(`${groupPath}/directclusterendpointtokens`, browser, 'POST', { spec: {} });
      directToken = textAt(json, 'status', 'token');
      expect(directToken, text).not.toBe('');
    }, 180_000);
    afterAll(async () => {
      await browser?.close();
      await env?.close();
      await kubernetes?.stop();
      await provider?.close();
    });

    async function signIn(client: WebClient): Promise<void> {
      const page = await sso.finish(client, await provider.signIn(client, sso.loginUrl('company'), '1'));
      expect(sso.problemOf(page)).toBeUndefined();
    }

    /** Returns the username and the provider's groups that a cluster sees in a request through the server. */
    async function seenBy(cluster: string): Promise<readonly unknown[]> {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const path = `/kubernetes/cluster/${cluster}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
      const { json } = await sso.send(path, browser, 'POST', body);
      const groups = listAt(json, 'status', 'userInfo', 'groups').map(String);
      return [textAt(json, 'status', 'userInfo', 'username'), groups.filter((group) => group.includes('company:'))];
    }

    /** Returns the status codes of two requests: the first is allowed to the group, the second only to admins. */
    const codesAt = async (cluster: string) => {
      const api = `/kubernetes/cluster/${cluster}/api/v1/namespaces/default`;
      return await Promise.all(
        ['configmaps', 'secrets'].map(async (plural) => (await sso.send(`${api}/${plural}`, browser)).code),
      );
    };

    const atAgent = () => env.direct('/kubernetes/cluster', directToken);

    it('are impersonated on a connected cluster, whose role bindings decide', async () => {
      expect(await seenBy(connected)).toEqual(['anna', ['company:builders', 'company:staff']]);
      expect(await codesAt(connected)).toEqual([200, 403]);
    });

    it('are impersonated on a cluster behind an agent', async () => {
      expect(await seenBy(env.cluster)).toEqual(['anna', ['company:builders', 'company:staff']]);
      expect(await codesAt(env.cluster)).toEqual([200, 403]);
    });

    it('are known at the direct endpoint of the agent', async () => {
      const kubectl = atAgent();
      const { userInfo } = JSON.parse(await kubectl.ok(['auth', 'whoami', '-o', 'json'])).status;
      expect(userInfo.username).toBe('anna');
      expect(userInfo.groups).toEqual(expect.arrayContaining(['company:builders', 'company:staff']));
      expect(await kubectl.ok(['get', 'configmaps', '-o', 'name'])).toContain('configmap/kube-root-ca.crt');
      expect((await kubectl.run(['get', 'secrets'])).stderr).toMatch(/User "anna" cannot list resource "secrets"/);
    });

    it('end everywhere with the next sign-in after the person has lost them, also for logins and tokens from before', async () => {
      provider.accounts.set('1', { ...anna, groups: ['staff'] });
      // Signs in with another browser, so the first login and its token stay valid.
      await signIn(sso.browser());
      for (const cluster of [connected, env.cluster]) {
        expect(await seenBy(cluster)).toEqual(['anna', ['company:staff']]);
        expect(await codesAt(cluster)).toEqual([403, 403]);
      }
      const kubectl = atAgent();
      const refused = async () => (await kubectl.run(['get', 'configmaps'])).stderr;
      // The server sends the changed permissions to the agent, so the agent soon refuses the request.
      await expect.poll(refused, { timeout: 30_000 }).toMatch(/User "anna" cannot list resource "configmaps"/);
    });
  },
);
