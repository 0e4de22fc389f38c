import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostLocation } from '../../../src/hosts/host.ts';
import { startEtcd, startKubeApiserver } from '../../harness/kube-apiserver.mjs';
import { type Kubectl, kubectlWith } from '../../harness/kubectl.ts';
import { type Helm, helmWith } from '../../harness/run-helm.ts';
import { freePorts, startProgram } from '../../harness/start-program.mjs';
import { makeAuthority, type Subject } from './authority.ts';
import { controllerManagerFlags } from './controller-manager.ts';
import { type HostApi, hostApi } from './host-api.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import type { KubernetesPrograms } from './programs.ts';
import type { StandIn } from './stand-in.ts';
import { followPods } from './stand-ins.ts';
import { startNode } from './test-node.ts';

export interface KubernetesOptions {
  readonly programs: KubernetesPrograms;
  /** If false, no API runs for the vCluster pods: the pods are ready at once but do not respond. */
  readonly standIns?: boolean;
  /** Runs pods in the virtual clusters too. */
  readonly nodesInside?: boolean;
  /** Additional flags of kube-apiserver. */
  readonly flags?: readonly string[];
}

/**
 * A Kubernetes cluster of real programs on this machine: etcd, kube-apiserver, kube-controller-manager and one node.
 */
export interface Kubernetes {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** The administrator's token. */
  readonly token: string;
  /** The path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  readonly api: HostApi;
  readonly helm: Helm;
  readonly programs: KubernetesPrograms;
  readonly startMilliseconds: number;
  /** Writes the kubeconfig of a user with a client certificate. RBAC defines the user's permissions. */
  kubeconfigOf(subject: Subject): Promise<string>;
  /**
   * Installs the chart with helm alone, without the server under test, and waits until the virtual cluster responds.
   */
  installByHand(location: HostLocation, ...flags: readonly string[]): Promise<StandIn>;
  /** Returns the API of the virtual cluster at the location. Waits until it responds. */
  standIn(location: HostLocation): Promise<StandIn>;
  /**
   * Sets the address that a pod's port forwards to, such as `127.0.0.1:1234`. `undefined` selects the port with the
   * same number on this machine.
   */
  route(
    location: { readonly namespace: string; readonly pod: string },
    port: number,
    address: string | undefined,
  ): void;
  /** The events of the audit log. */
  audited(): readonly AuditEvent[];
  /** Freezes the API server: it still accepts connections but no longer responds. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username: string; readonly groups?: readonly string[] };
  readonly responseStatus?: { readonly code?: number };
}

export async function startKubernetes(options: KubernetesOptions): Promise<Kubernetes> {
  const { programs, standIns = true, nodesInside = false } = options;
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const running: { stop(): Promise<void> }[] = [];
  async function stop(): Promise<void> {
    for (const each of running.reverse()) await each.stop();
    running.length = 0;
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const authority = await makeAuthority('kubernetes');
    const [serving, kubeletClient, accounts] = await Promise.all([
      authority.serving(['localhost', '127.0.0.1', 'kubernetes', 'kubernetes.default.svc']),
      authority.client({ name: 'kube-apiserver', groups: ['system:masters'] }),
      authority.client({ name: 'accounts' }),
    ]);
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const etcdFolder = join(folder, 'store');
    mkdirSync(etcdFolder);
    const etcd = startEtcd({ programs, dataDir: etcdFolder, ports: await freePorts(2), unsafe: true });
    running.push({ stop: () => etcd.stop('SIGKILL') });
    const server = await startKubeApiserver({
      programs,
      dataDir: join(folder, 'host'),
      authorization: 'RBAC',
      auditLog: true,
      etcd: { url: etcd.url, prefix: '/host' },
      serving,
      clientAuthority: authority.cert,
      accountKey: accounts.key,
      podAccounts: true,
      flags: [
        `--kubelet-client-certificate=${file('kubelet-client.crt', kubeletClient.cert)}`,
        `--kubelet-client-key=${file('kubelet-client.key', kubeletClient.key)}`,
        '--kubelet-preferred-address-types=InternalIP',
        '--allow-privileged=true',
        '--service-cluster-ip-range=10.0.0.0/16',
        // This admission plugin would delay the deletion of a namespace with a persistent volume claim by eight
        // seconds.
        '--disable-admission-plugins=StorageObjectInUseProtection',
        ...(options.flags ?? []),
      ],
    });
    let frozen = false;
    const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
      frozen = name === 'SIGSTOP';
      process.kill(server.pids.kubeApiserver, name);
    };
    running.push({
      async stop() {
        if (frozen) signal('SIGCONT');
        await server.stop('SIGKILL');
      },
    });
    const { url, ca, token } = server;
    const kubeconfig = writeKubeconfig(join(folder, 'admin.kubeconfig'), { server: url, ca, token });
    const api = hostApi(url, ca, token);
    running.push({ stop: () => api.close() });
    const managerFolder = join(folder, 'controller-manager');
    mkdirSync(managerFolder);
    const managerFlags = controllerManagerFlags({
      kubeconfig,
      accountKey: file('account.key', accounts.key),
      authority: file('ca.crt', ca),
    });
    const manager = startProgram(programs.controllerManager, managerFlags, managerFolder);
    running.push({ stop: () => manager.stop('SIGKILL') });
    const node = await startNode({
      program: programs.node,
      kubeconfig,
      clientAuthority: authority.cert,
      folder,
      readyWhenRouted: standIns,
    });
    running.push(node);
    const virtual = standIns ? followPods({ api, node, programs, etcdUrl: etcd.url, folder, nodesInside }) : undefined;
    if (virtual !== undefined) running.push(virtual);
    // The API server refuses pods until their service account exists. The account also shows that the controller
    // manager is running.
    while ((await api.request('GET', '/api/v1/namespaces/default/serviceaccounts/default')).code !== 200) {
      manager.failIfEnded();
      await delay(50);
    }

    const helm = helmWith(programs.helm, kubeconfig, folder);
    const standIn = async (location: HostLocation) => {
      if (virtual === undefined) throw new Error('this cluster was started without stand-ins');
      return await virtual.of(location);
    };
    return {
      url,
      ca,
      token,
      kubeconfig,
      kubectl: kubectlWith(kubeconfig),
      api,
      helm,
      programs,
      startMilliseconds: performance.now() - started,
      async kubeconfigOf(subject) {
        const certificate = await authority.client(subject);
        return writeKubeconfig(join(folder, `${subject.name}.kubeconfig`), { server: url, ca, certificate });
      },
      async installByHand({ namespace, name }, ...flags) {
        await helm(
          'upgrade',
          '--install',
          name,
          programs.chart,
          '--namespace',
          namespace,
          '--create-namespace',
          ...flags,
        );
        const made = await standIn({ namespace, name });
        await kubectlWith(kubeconfig).ok([
          'rollout',
          'status',
          `statefulset/${name}`,
          '-n',
          namespace,
          '--timeout=60s',
        ]);
        return made;
      },
      standIn,
      route: ({ namespace, pod }, port, address) => node.route(namespace, pod, port, address),
      audited: () =>
        readFileSync(join(folder, 'host', 'audit.log'), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line)),
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
