import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import { managementGroup } from '../../../src/api/naming.ts';
import {
  groupPath,
  type ParsedResponse,
  type RequestOptions,
  ServerTestEnv,
} from '../../../src/server/server.fixture.ts';
import type { RunningServer } from '../../../src/server/start-server.ts';
import { type Kubectl, kubectlWith, rawPath } from '../../harness/kubectl.ts';
import type { Kubernetes } from './start-kubernetes.ts';

export const instancesPath = `${groupPath}/namespaces/platform-p-default/virtualclusterinstances`;

/** The server under test with real connected clusters, and users with kubectl. */
export interface Flotilla {
  readonly bench: ServerTestEnv;
  readonly server: RunningServer;
  /** kubectl for the management API. */
  readonly admin: Kubectl;
  /** Connects a cluster and waits until it is online. */
  connect(name: string, cluster: Pick<Kubernetes, 'kubeconfig'>): Promise<void>;
  /** Creates an instance in the project `default` without waiting for it. */
  createInstance(name: string, spec: JsonObject, annotations?: JsonObject): Promise<JsonObject>;
  instance(name: string): Promise<JsonObject>;
  /**
   * Waits for a condition or path of the instance, given as for `kubectl wait`: `condition=Ready`, `delete`,
   * `jsonpath=…`.
   */
  wait(name: string, what: string, seconds?: number): Promise<void>;
  ask(path: string, call?: RequestOptions): Promise<ParsedResponse>;
  /** Creates a user with an access key and returns kubectl for the management API. */
  createUser(name: string): Promise<Kubectl>;
  /**
   * Returns kubectl for the virtual cluster or space of the instance, with the kubeconfig that the server issues to the
   * user.
   */
  kubectlInside(name: string, by?: Kubectl, plural?: 'virtualclusterinstances' | 'spaceinstances'): Promise<Kubectl>;
  close(): Promise<void>;
}

/**
 * The options of a server under test. `programs` installs virtual clusters; an empty chart path selects the chart
 * repository.
 */
export interface FlotillaOptions {
  readonly programs: { readonly helm: string; readonly chart: string };
  /** Additional settings of the configuration file. */
  readonly settings?: JsonObject;
  /** The directory of the built console. Optional; without it, the server serves no console. */
  readonly pages?: string;
}

export async function openFlotilla({ programs, settings = {}, pages }: FlotillaOptions): Promise<Flotilla> {
  const bench = await ServerTestEnv.open();
  if (pages !== undefined) cpSync(pages, bench.consoleDir, { recursive: true });
  const config = join(bench.root, 'config.yaml');
  writeFileSync(config, JSON.stringify({ ...settings, helm: { program: programs.helm, path: programs.chart } }));
  const server = await bench.start({ config });
  const admin = kubectlWith(bench.file('admin.kubeconfig'));
  let files = 0;
  const newFile = (text: string) => {
    files += 1;
    const path = join(bench.root, `${files}.kubeconfig`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const create = async (kind: string, name: string, spec: JsonObject, metadata: JsonObject = {}) => {
    const object = { apiVersion: `${managementGroup}/v1`, kind, metadata: { name, ...metadata }, spec };
    return JSON.parse(await admin.ok(['create', '-f', '-', '-o', 'json'], { input: JSON.stringify(object) }));
  };

  return {
    bench,
    server,
    admin,
    async connect(name, { kubeconfig }) {
      await create('Cluster', name, { kubeconfig: readFileSync(kubeconfig, 'utf8') });
      await admin.ok(['wait', `cluster/${name}`, '--for=condition=Ready', '--timeout=30s']);
    },
    async createInstance(name, spec, annotations = {}) {
      const body = { metadata: { name, annotations }, spec };
      const { code, text, json } = await bench.send(server, instancesPath, { method: 'POST', body });
      if (code !== 201) throw new Error(`${name} was not created: ${text}`);
      return json;
    },
    instance: async (name) => (await bench.send(server, `${instancesPath}/${name}`)).json,
    async wait(name, what, seconds = 90) {
      const args = ['wait', `vci/${name}`, `--for=${what}`, `--timeout=${seconds}s`];
      const { code, stdout, stderr } = await admin.run(args);
      if (code === 0) return;
      const { json } = await bench.send(server, `${instancesPath}/${name}`);
      throw new Error(`${stdout}${stderr}${JSON.stringify(json.status, undefined, 1)}`);
    },
    ask: (path, call) => bench.send(server, path, call),
    async createUser(name) {
      await create('User', name, {});
      const key = textAt(await create('OwnedAccessKey', `${name}s`, { user: name }), 'spec', 'key');
      const own = kubectlWith(newFile(await admin.ok(['config', 'view', '--raw', '--minify'])));
      await own.ok(['config', 'set-credentials', 'admin', `--token=${key}`]);
      return own;
    },
    async kubectlInside(name, by = admin, plural = 'virtualclusterinstances') {
      const path = rawPath(`/apis/${managementGroup}/v1/namespaces/platform-p-default/${plural}/${name}/kubeconfig`);
      const answer = await by.ok(['create', '--raw', path, '-f', '-'], { input: '{}' });
      return kubectlWith(newFile(textAt(JSON.parse(answer), 'status', 'kubeConfig')));
    },
    close: () => bench.close(),
  };
}
