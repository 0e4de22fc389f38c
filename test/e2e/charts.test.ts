import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type JsonObject, textAt } from '@flotilla/json';
import { dump, loadAll } from 'js-yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { findHelm } from '../harness/run-helm.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const root = new URL('../..', import.meta.url).pathname;
const programs = (['helm', 'helm4'] as const).map((name) => ({ name, path: findHelm(name) }));
const agent = ['cluster=edge', 'server.url=https://flotilla.example.com', 'accessKeySecret=key'];
const etcd = ['store.type=etcd', 'store.etcd.endpoints={https://etcd:2379}'];

/**
 * Values that the charts refuse, and a pattern for part of the message. The patterns contain no quotes, because the two
 * versions of helm quote differently.
 */
const refusals: readonly [chart: string, values: readonly string[], message: RegExp][] = [
  ['flotilla', ['replica=2'], /replica.* not allowed/],
  ['flotilla', ['replicas=two'], /replicas.*\n?.*(integer|string)/i],
  ['flotilla', ['service.type=External'], /service.*type.*\n?.*must be one of/],
  ['flotilla', ['externalUrl=http://flotilla.example.com'], /externalUrl.*\n?.*pattern/i],
  ['flotilla', ['image.digest=latest'], /image.*digest.*\n?.*pattern/i],
  ['flotilla', ['probes.liveness.path=/healthz'], /path.* not allowed/],
  ['flotilla', ['replicas=2'], /replicas: 2 servers need a shared store; set store\.type=etcd/],
  ['flotilla', ['store.type=etcd'], /store\.etcd\.endpoints: required/],
  ['flotilla', [...etcd, 'replicas=2'], /encryption\.sealKeySecret: required for more than one server/],
  ['flotilla', [...etcd, 'store.etcd.username=root'], /store\.etcd\.passwordSecret must be set together/],
  ['flotilla', ['ingress.enabled=true'], /ingress\.host: required/],
  ['flotilla', ['gateway.tlsRoute.enabled=true'], /gateway\.parentRefs and gateway\.hostnames: required/],
  ['flotilla', ['tls.certManager.enabled=true'], /tls\.certManager\.issuerRef\.name: required/],
  ['flotilla', ['serviceMonitor.enabled=true'], /serviceMonitor\.accessKeySecret: required/],
  ['flotilla', ['terminationGracePeriodSeconds=12'], /terminationGracePeriodSeconds: must be at least 15/],
  ['flotilla', ['config.dataDir=/other'], /config\.dataDir: the chart sets it; remove it/],
  [
    'flotilla',
    ['config.sealKeyFile=/key'],
    /config\.sealKeyFile: the chart sets it; use the value encryption\.sealKeySecret/,
  ],
  ['flotilla-agent', agent.slice(1), /cluster: required/],
  ['flotilla-agent', ['cluster=edge', 'accessKeySecret=key'], /server\.url: required/],
  ['flotilla-agent', agent.slice(0, 2), /joinToken: required/],
  ['flotilla-agent', ['joinToken=join1.e30'], /joinToken.*\n?.*pattern/i],
  ['flotilla-agent', ['joinToken=join1.e30.x', 'joinTokenSecret=token'], /joinTokenSecret: must be empty/],
  ['flotilla-agent', ['joinTokenSecret=token', 'persistence.enabled=false'], /persistence\.enabled: must be true/],
  ['flotilla-agent', [...agent, 'builtIn=true', 'persistence.enabled=false'], /persistence\.enabled: must be true/],
  ['flotilla-agent', [...agent, 'proxy.url=http://proxy:3128', 'proxy.urlSecret=a'], /proxy\.url: must be empty/],
  ['flotilla-agent', [...agent, 'proxy.url=http://user:password@proxy:3128'], /proxy.*url.*\n?.*pattern/i],
  ['flotilla-agent', [...agent, 'replicas=2'], /replicas: more than 1 needs tunnel=true/],
  ['flotilla-agent', [...agent, 'replicas=9', 'tunnel=true'], /replicas.*\n?.*(maximum|less than)/i],
  ['flotilla-agent', [...agent, 'replicas=2', 'builtIn=true'], /replicas: must be 1 if builtIn is true/],
  [
    'flotilla-agent',
    [...agent, 'replicas=2', 'tunnel=true', 'persistence.existingClaim=a'],
    /existingClaim: must be empty/,
  ],
  [
    'flotilla-agent',
    [...agent, 'replicas=2', 'tunnel=true', 'externalUrl=https://a.example.com'],
    /tls\.secretName: required/,
  ],
  ['flotilla-agent', [...agent, 'readOnly=true', 'builtIn=true'], /readOnly: must be false/],
  ['flotilla-agent', [...agent, 'maxPolicyAge=1 day'], /maxPolicyAge.*\n?.*pattern/i],
];

/** Sorts the objects and their members, because the order and the blank lines depend on the version of helm. */
function normalized(manifests: string): string {
  const objects = loadAll(manifests).filter((object) => object !== null) as JsonObject[];
  const nameOf = (object: JsonObject) => `${textAt(object, 'kind')} ${textAt(object, 'metadata', 'name')}`;
  return objects
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    .map((object) => `---\n${dump(object, { sortKeys: true })}`)
    .join('');
}

describe.each(programs)('the Helm charts with $name', ({ name, path = '' }) => {
  const missing = path === '' ? `there is no ${name} (test/tools/build.sh builds it)` : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'charts-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function helm(...args: readonly string[]): Promise<string> {
    const homes = ['CACHE', 'CONFIG', 'DATA'].map((home) => [`HELM_${home}_HOME`, join(folder, home)]);
    const env = { ...process.env, ...Object.fromEntries(homes) };
    return (await promisify(execFile)(path, args, { cwd: root, env, maxBuffer: 64 << 20 })).stdout;
  }
  const template = (chart: string, ...flags: string[]) =>
    helm('template', 'flotilla', `charts/${chart}`, '--namespace', 'flotilla-system', ...flags);

  describeIfAvailable(missing, 'render', () => {
    const cases = ['flotilla', 'flotilla-agent'].flatMap((chart) =>
      readdirSync(join(root, 'test/charts', chart))
        .filter((file) => file.endsWith('.values.yaml'))
        .map((file) => [chart, file.replace('.values.yaml', '')] as const),
    );

    it.each(cases)('%s with %s.values.yaml as expected, and without a finding of lint', async (chart, values) => {
      const file = `test/charts/${chart}/${values}`;
      expect(await helm('lint', '--strict', `charts/${chart}`, '-f', `${file}.values.yaml`)).toContain(
        '0 chart(s) failed',
      );
      const rendered = await template(chart, '-f', `${file}.values.yaml`);
      await expect(normalized(rendered)).toMatchFileSnapshot(join(root, `${file}.golden.yaml`));
    });

    it.each(refusals)('nothing of %s with %j', async (chart, values, message) => {
      const flags = values.flatMap((each) => ['--set', each]);
      await expect(template(chart, ...flags)).rejects.toThrow(message);
    });
  });
});
