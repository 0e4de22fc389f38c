import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoles, sleepForceAnnotation } from '../../src/api/naming.ts';
import { spacesOf } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch } from '../../src/server/server.fixture.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, openFlotilla } from '../kubernetes/harness/open-flotilla.ts';
import { createAccount, deleteAccount } from './cluster-account.ts';

const { KUBECONFIG: kubeconfig = '', FLOTILLA_IMAGE: image = 'busybox' } = process.env;
const missing = kubeconfig === '' ? 'KUBECONFIG names no cluster' : kubectlMissing;
/** Includes the time to pull images. */
const timeout = '--timeout=300s';

describeIfAvailable(missing, 'the lifecycle of a space, on the cluster that KUBECONFIG names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'space-life-'));
  let host: Kubectl;
  let flotilla: Flotilla;
  let namespace = '';
  /** kubectl for the owner of the space. */
  let anna: Kubectl;
  let ben: Kubectl;

  const force = (value: 'true' | null) =>
    flotilla.ask(
      `${spacesOf('default')}/shop`,
      mergePatch({ metadata: { annotations: { [sleepForceAnnotation]: value } } }),
    );
  const waitForSpace = (name: string, what: string) =>
    flotilla.admin.ok(['wait', `si/${name}`, `--for=${what}`, timeout]);
  const podsOnHost = () => host.ok(['get', 'pods', '-n', namespace, '-o', 'name']);

  beforeAll(async () => {
    host = kubectlWith(kubeconfig);
    flotilla = await openFlotilla({ programs: { helm: 'helm', chart: '' } });
    await flotilla.connect('real', { kubeconfig: await createAccount(host, folder) });
    const users = { anna: await flotilla.createUser('anna'), ben: await flotilla.createUser('ben') };
    const members = Object.keys(users).map((name) => ({ kind: 'User', name, clusterRole: projectRoles.user }));
    await flotilla.ask(`${groupPath}/projects/default`, mergePatch({ spec: { members } }));
    for (const [name, user] of [
      ['shop', 'anna'],
      ['other', 'ben'],
    ] as const) {
      const body = { metadata: { name }, spec: { owner: { user }, clusterRef: { cluster: 'real' } } };
      const { code, text } = await flotilla.ask(spacesOf('default'), { method: 'POST', body });
      expect(code, text).toBe(201);
      await waitForSpace(name, 'condition=Ready');
    }
    namespace = await flotilla.admin.ok(['get', 'si/shop', '-o', 'jsonpath={.spec.clusterRef.namespace}']);
    anna = await flotilla.kubectlInside('shop', users.anna, 'spaceinstances');
    ben = await flotilla.kubectlInside('other', users.ben, 'spaceinstances');
  });
  afterAll(async () => {
    await flotilla?.admin.run(['delete', 'si', '--all', timeout]);
    await flotilla?.close();
    await deleteAccount(host);
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs the pod of a deployment, which exec and logs reach', async () => {
    const command = ['sh', '-c', 'echo has started; sleep 3600'];
    await anna.ok(['create', 'deployment', 'web', `--image=${image}`, '--', ...command]);
    await anna.ok(['rollout', 'status', 'deployment/web', timeout]);
    expect(await anna.ok(['exec', 'deployment/web', '--', 'echo', 'from inside'])).toBe('from inside\n');
    expect(await anna.ok(['logs', 'deployment/web'])).toMatch(/has started/);
  });

  it('refuses the owner of another space', async () => {
    for (const args of [
      ['get', 'pods', '-n', namespace],
      ['get', 'pods', '--all-namespaces'],
      ['exec', '-n', namespace, 'deployment/web', '--', 'id'],
      ['get', 'namespaces'],
      ['get', 'nodes'],
    ]) {
      expect((await ben.run(args)).stderr, args.join(' ')).toMatch(/Forbidden/);
    }
  });

  it('sleeps without pods, and wakes with them', async () => {
    await force('true');
    await waitForSpace('shop', 'jsonpath={.status.phase}=Sleeping');
    while ((await podsOnHost()) !== '') await delay(500);
    await force(null);
    await waitForSpace('shop', 'condition=Ready');
    await anna.ok(['rollout', 'status', 'deployment/web', timeout]);
    expect(await podsOnHost()).toMatch(/^pod\/web-/);
  });

  it('leaves nothing on the cluster when it is deleted', async () => {
    await flotilla.admin.ok(['delete', 'si/shop', timeout]);
    expect((await host.run(['get', 'namespace', namespace])).stderr).toMatch(/NotFound/);
  });
});
