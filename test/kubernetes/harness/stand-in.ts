import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostLocation } from '../../../src/hosts/host.ts';
import { startKubeApiserver } from '../../harness/kube-apiserver.mjs';
import { type Kubectl, kubectlWith } from '../../harness/kubectl.ts';
import type { KeyPairPem } from '../../harness/self-signed.ts';
import { startProgram } from '../../harness/start-program.mjs';
import { type Authority, makeAuthority } from './authority.ts';
import { controllerManagerFlags } from './controller-manager.ts';
import { kubeconfigText, writeKubeconfig } from './kubeconfig-file.ts';
import type { KubernetesPrograms } from './programs.ts';
import { startNode } from './test-node.ts';

/** The persistent state of a virtual cluster, kept in the volume of its claim. */
export interface StandInVolume {
  readonly id: string;
  readonly authority: Authority;
  readonly admin: KeyPairPem;
  readonly accountKey: string;
}

/**
 * The API of one virtual cluster. A separate kube-apiserver on this machine takes the place of the one in a real pod.
 */
export interface StandIn {
  readonly location: HostLocation;
  /** The local address of the API. Only the test node connects to it. */
  readonly url: string;
  readonly ca: string;
  readonly pid: number;
  /** The path of the administrator's kubeconfig, with a direct connection to the API. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  /** The data of the secret `vc-<name>`, as vCluster writes it. */
  readonly secret: Readonly<Record<string, string>>;
  /**
   * Starts a node and a controller manager in the virtual cluster, so pods run and roles are aggregated. Does nothing
   * after the first call.
   */
  startNode(): Promise<void>;
  stop(): Promise<void>;
}

export interface StandInOptions {
  readonly location: HostLocation;
  readonly volume: StandInVolume;
  readonly programs: KubernetesPrograms;
  readonly etcdUrl: string;
  /** A folder for the stand-in's files, which the stand-in creates at its start and removes when it stops. */
  readonly folder: string;
}

export async function makeVolume(id: string): Promise<StandInVolume> {
  const authority = await makeAuthority(`virtual-${randomBytes(4).toString('hex')}`);
  const [admin, { key }] = await Promise.all([
    authority.client({ name: 'kubernetes-super-admin', groups: ['system:masters'] }),
    authority.client({ name: 'accounts' }),
  ]);
  return { id, authority, admin, accountKey: key };
}

export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { location, volume, programs, etcdUrl, folder } = options;
  const { name, namespace } = location;
  mkdirSync(folder, { recursive: true });
  const hosts = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost', '127.0.0.1'];
  const own = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `*.${name}.${namespace}`];
  const serving = await volume.authority.serving([...hosts, ...own]);
  const kubeletClient = await volume.authority.client({ name: 'kube-apiserver', groups: ['system:masters'] });
  const file = (called: string, text: string) => {
    writeFileSync(join(folder, called), text, { mode: 0o600 });
    return join(folder, called);
  };
  const server = await startKubeApiserver({
    programs,
    dataDir: folder,
    authorization: 'RBAC',
    etcd: { url: etcdUrl, prefix: `/${volume.id}` },
    serving,
    clientAuthority: volume.authority.cert,
    accountKey: volume.accountKey,
    flags: [
      `--kubelet-client-certificate=${file('kubelet-client.crt', kubeletClient.cert)}`,
      `--kubelet-client-key=${file('kubelet-client.key', kubeletClient.key)}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--allow-privileged=true',
    ],
  });
  const ca = volume.authority.cert;
  const access = { server: 'https://localhost:8443', ca, certificate: volume.admin };
  const kubeconfig = writeKubeconfig(join(folder, 'admin.kubeconfig'), { ...access, server: server.url });
  const inside = kubectlWith(kubeconfig);
  const workers: { stop(): Promise<void> }[] = [];
  return {
    location,
    url: server.url,
    ca,
    pid: server.pids.kubeApiserver,
    kubeconfig,
    kubectl: inside,
    secret: {
      config: kubeconfigText(access),
      'certificate-authority': ca,
      'client-certificate': volume.admin.cert,
      'client-key': volume.admin.key,
      token: '',
    },
    async startNode() {
      if (workers.length > 0) return;
      const files = { kubeconfig, accountKey: join(folder, 'account.key'), authority: file('ca.crt', ca) };
      const manager = startProgram(programs.controllerManager, controllerManagerFlags(files), folder);
      workers.push({ stop: () => manager.stop('SIGKILL') });
      workers.push(await startNode({ program: programs.node, kubeconfig, clientAuthority: ca, folder }));
      const aggregated = ['get', 'clusterrole/view', '-o', 'jsonpath={.rules}'];
      while ((await inside.ok(aggregated)) === '') manager.failIfEnded();
    },
    async stop() {
      for (const worker of workers) await worker.stop();
      await server.stop('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
