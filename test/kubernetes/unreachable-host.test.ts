import { readFileSync } from 'node:fs';
import { textAt } from '@flotilla/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, instancesPath, openFlotilla } from './harness/open-flotilla.ts';
import { findKubernetes } from './harness/programs.ts';
import { type Kubernetes, startKubernetes } from './harness/start-kubernetes.ts';

const programs = findKubernetes();

describeIfAvailable(typeof programs === 'string' ? programs : undefined, 'a cluster that stops answering', () => {
  let steady: Kubernetes;
  let shaky: Kubernetes;
  let flotilla: Flotilla;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    [steady, shaky] = await Promise.all([startKubernetes({ programs }), startKubernetes({ programs })]);
    flotilla = await openFlotilla(steady);
    await flotilla.connect('steady', steady);
    await flotilla.connect('shaky', shaky);
  });
  afterAll(async () => {
    await flotilla?.close();
    await Promise.all([steady?.stop(), shaky?.stop()]);
  });

  const make = (name: string, cluster: string) =>
    flotilla.createInstance(name, { clusterRef: { cluster }, template: {} });
  const online = async (value: boolean) =>
    await flotilla.admin.ok(['wait', 'cluster/shaky', `--for=jsonpath={.status.online}=${value}`, '--timeout=90s']);

  it('blocks nothing on another cluster, and continues where it was when it responds again (completions §9.2)', async () => {
    const before = await make('before', 'shaky');
    await flotilla.wait('before', 'condition=Ready');
    const inside = await flotilla.kubectlInside('before');
    await inside.ok(['create', 'namespace', 'kept']);

    shaky.freeze();
    await make('waiting', 'shaky');
    await make('beside', 'steady');
    await flotilla.wait('beside', 'condition=Ready');
    expect(await (await flotilla.kubectlInside('beside')).ok(['get', 'ns', '-o', 'name'])).toContain(
      'namespace/default',
    );
    await online(false);
    const { json } = await flotilla.ask(`${groupPath}/clusters/shaky`);
    expect(textAt(json, 'status', 'message')).not.toBe('');
    expect(JSON.stringify(json)).not.toContain(shaky.token);
    await flotilla.admin.ok(['delete', 'vci/beside', '--timeout=60s']);

    shaky.thaw();
    await online(true);
    await flotilla.wait('waiting', 'condition=Ready');
    await flotilla.wait('before', 'condition=Ready');
    expect(textAt(await flotilla.instance('before'), 'status', 'serviceUID')).not.toBe('');
    expect(textAt(await flotilla.instance('before'), 'metadata', 'uid')).toBe(textAt(before, 'metadata', 'uid'));
    expect(await inside.ok(['get', 'ns', 'kept', '-o', 'name'])).toBe('namespace/kept\n');
  });

  it('permanently keeps its instances until an admin abandons them, which is audited (completions §9.2)', async () => {
    await shaky.stop();
    await online(false);
    const anna = await flotilla.createUser('anna');
    for (const name of ['before', 'waiting']) await flotilla.admin.ok(['delete', `vci/${name}`, '--wait=false']);
    await flotilla.wait('before', 'jsonpath={.status.reason}=RemovalFailed');
    expect(textAt(await flotilla.instance('before'), 'status', 'message')).toContain('platform.sh/abandon');
    expect((await anna.run(['annotate', 'vci/before', 'platform.sh/abandon=mine'])).stderr).toMatch(
      /Forbidden|NotFound/,
    );

    const abandon = mergePatch({ metadata: { annotations: { 'platform.sh/abandon': 'the cluster burnt down' } } });
    for (const name of ['before', 'waiting']) {
      const { code, text } = await flotilla.ask(`${instancesPath}/${name}`, abandon);
      expect(code, text).toBe(200);
      await flotilla.wait(name, 'delete');
    }
    expect(readFileSync(flotilla.bench.file('audit.log'), 'utf8')).toContain('the cluster burnt down');
    await flotilla.admin.ok(['delete', 'cluster/shaky', '--timeout=30s']);
    expect(await flotilla.admin.ok(['get', 'clusters', '-o', 'name'])).toContain('steady');
  });
});
