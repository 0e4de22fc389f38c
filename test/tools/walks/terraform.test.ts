import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../../harness/kubectl.ts';
import { describeIfAvailable } from '../../harness/suite.ts';
import { copyGitOpsExamples } from './gitops-examples.ts';
import { Tofu, tofuMissing } from './tofu.ts';

const apiVersion = 'management.platform.sh/v1';

describeIfAvailable(kubectlMissing ?? tofuMissing, 'the Terraform configuration of the GitOps guide', () => {
  let folder: string;
  let flotilla: FlotillaProcess;
  let kubectl: Kubectl;
  let outside: Tofu;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'terraform-'));
    flotilla = await startFlotilla({ dataDirectory: join(folder, '.flotilla') });
    kubectl = kubectlWith(flotilla.kubeconfig);
    copyGitOpsExamples('terraform', folder, { 'https://127.0.0.1:8443': flotilla.url });
    outside = new Tofu(folder);
  });
  afterAll(async () => {
    await flotilla.remove();
    rmSync(folder, { recursive: true });
  });

  const live = async (...args: string[]) => JSON.parse(await kubectl.ok(['get', ...args, '-o', 'json']));
  const instance = () => live('virtualclusterinstances', 'shop', '-n', 'platform-p-web');

  /** Changes the text of a file. */
  function edit(file: string, from: string, to: string): void {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replaceAll(from, to));
  }

  it('plans and creates a template, a project, a virtual cluster and an access key', async () => {
    expect(await outside.hasChanges()).toBe(true);
    expect(await outside.apply()).toContain('4 added, 0 changed, 0 destroyed');
    expect(await instance()).toMatchObject({ status: { phase: 'Ready', observedGeneration: 1 } });
    expect(await live('ownedaccesskeys', 'deploy')).toMatchObject({ spec: { displayName: 'Deployments' } });
  });

  it('plans no changes afterwards', async () => {
    expect(await outside.hasChanges()).toBe(false);
    expect(await outside.apply()).toContain('0 added, 0 changed, 0 destroyed');
  });

  it('changes an object in place', async () => {
    const before = await instance();
    edit('main.tf', 'Web shop', 'Shop on the web');
    expect(await outside.hasChanges()).toBe(true);
    expect(await outside.apply()).toContain('0 added, 1 changed, 0 destroyed');
    const after = await instance();
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid, generation: 2 });
    expect(after.spec.displayName).toBe('Shop on the web');
    expect(await outside.hasChanges()).toBe(false);
  });

  it.each([
    ['kubernetes_manifest.template', 'kind=VirtualClusterTemplate,name=small'],
    ['kubernetes_manifest.project', 'kind=Project,name=web'],
    ['kubernetes_manifest.shop', 'kind=VirtualClusterInstance,namespace=platform-p-web,name=shop'],
    ['kubernetes_manifest.key', 'kind=OwnedAccessKey,name=deploy'],
  ])('imports %s without a change of the object', async (address, id) => {
    const { uid } = (await instance()).metadata;
    await outside.forget(address);
    await outside.import(address, `apiVersion=${apiVersion},${id}`);
    expect(await outside.apply()).toContain('0 added, 1 changed, 0 destroyed');
    expect(await outside.hasChanges()).toBe(false);
    expect((await instance()).metadata).toMatchObject({ uid, generation: 2 });
  });

  it('manages objects inside the virtual cluster', async () => {
    const inside = new Tofu(join(folder, 'inside'));
    const site = join(folder, 'inside/site.tf');
    const custom = readFileSync(site, 'utf8');
    // Terraform reads the kind of a custom resource during the plan, so the definition must already exist. The custom
    // resource is added later.
    rmSync(site);
    expect(await inside.apply()).toContain('2 added');
    expect(await inside.hasChanges()).toBe(false);
    writeFileSync(site, custom);
    expect(await inside.apply()).toContain('1 added');
    expect(await inside.hasChanges()).toBe(false);
    edit('inside/main.tf', 'color = "blue"', 'color = "green"');
    edit('inside/site.tf', 'shop.example.com', 'www.example.com');
    expect(await inside.apply()).toContain('0 added, 2 changed, 0 destroyed');
    expect(await inside.hasChanges()).toBe(false);
    expect(await inside.destroy()).toContain('3 destroyed');
  });

  it('destroys everything', async () => {
    expect(await outside.destroy()).toContain('4 destroyed');
    for (const object of ['project/web', 'virtualclustertemplate/small', 'ownedaccesskey/deploy']) {
      expect((await kubectl.run(['get', object])).stderr).toContain('not found');
    }
  });
});
