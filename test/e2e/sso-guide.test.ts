import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, listAt, objectAt } from '@flotilla/json';
import { load } from 'js-yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOptions } from '../../src/server/settings/options.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import {
  codeBlocks,
  curlMissing,
  guideText,
  prepareGuideFolder,
  runBlocks,
  shellBlocks,
} from '../harness/walk-guide.ts';
import { OidcProviderFixture } from '../oidc/oidc-provider.fixture.ts';

/** Returns the YAML documents of a section. */
function documents(section?: string): JsonObject[] {
  return codeBlocks(guideText('sso.md', section), 'yaml')
    .map((block) => load(block))
    .filter((document): document is JsonObject => isJsonObject(document as JsonObject));
}

describeIfAvailable(kubectlMissing ?? curlMissing, 'the guide to single sign-on', () => {
  let folder: string;
  let provider: OidcProviderFixture;
  let flotilla: FlotillaProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guide-'));
    prepareGuideFolder(folder);
    provider = await OidcProviderFixture.start();
    const [settings = {}] = documents('Set up a connector');
    const [connector] = listAt(settings, 'auth', 'oidc');
    const { issuer, clientId, clientSecretFile } = provider;
    const oidc = [{ ...(connector as JsonObject), issuer, clientId, clientSecretFile }];
    const config = join(folder, 'flotilla.yaml');
    writeFileSync(config, JSON.stringify({ auth: { ...objectAt(settings, 'auth'), oidc } }));
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla'), args: ['--config', config] });
    provider.allowRedirects([`${flotilla.url}/auth/oidc/company/callback`]);
    const groups = ['staff', 'platform'];
    provider.accounts.set('anna', { preferred_username: 'anna', email: 'anna@example.com', groups });
  });
  afterAll(async () => {
    await flotilla?.remove();
    await provider?.close();
    rmSync(folder, { recursive: true });
  });

  it('leads from the first sign-in to the way back in', async () => {
    const browser = provider.webClient([await readFile(join(flotilla.dataDirectory, 'ca.crt'), 'utf8')]);
    const back = await provider.signIn(browser, `${flotilla.url}/auth/oidc/company/login`, 'anna');
    const page = await browser.visit(back, { stopAt: () => true });
    expect(page.headers.location).toBe('/');
    await browser.close();

    const printed = await runBlocks(shellBlocks('sso.md'), { folder, flotilla });
    expect(printed).toContain('"connectors":[{"name":"company","displayName":"Company login"}]');
    expect(printed).toContain(`[{"issuer":"${provider.issuer}","subject":"anna"}]`);
    expect(printed).toMatch(/^\["platform-team"\]$/m);
    expect(printed).toContain('clusterrolebinding.rbac.authorization.k8s.io/platform-view');
    expect(printed).toMatch(/login with the connector "company"|auth\/oidc\/company\/callback/);
  });

  it('has settings for common providers that the server accepts', async () => {
    const connectors = documents('Settings of common providers').filter(({ issuer }) => issuer !== undefined);
    expect(connectors).toHaveLength(5);
    for (const connector of connectors) {
      const config = join(folder, 'provider.yaml');
      writeFileSync(config, JSON.stringify({ auth: { oidc: [connector] } }));
      const { auth } = await readOptions({ config, 'data-dir': folder });
      expect(auth.oidc[0]).toMatchObject(
        connector.scopes === undefined ? { name: 'company' } : { scopes: connector.scopes },
      );
    }
  });
});
