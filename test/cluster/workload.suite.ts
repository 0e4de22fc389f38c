import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Kubectl } from '../harness/kubectl.ts';

/** A virtual cluster whose pods run real programs. */
export interface WorkloadOptions {
  /** kubectl for the virtual cluster, through the gateway. */
  readonly inside: Kubectl;
  /** An image with the programs of busybox. */
  readonly image: string;
  /** A folder for files of the tests. */
  readonly folder: string;
}

const copiedBytes = 100_000_000;
const namespace = 'shop';
/** Includes the time to pull images. */
const timeout = '--timeout=600s';

/**
 * Tests users at work in a virtual cluster with real pods. `options` is called in each test. The deployment `web` in
 * the namespace `shop` remains afterwards.
 */
export function workload(options: () => WorkloadOptions): void {
  /** The arguments of a command in the namespace. */
  const there = (...args: readonly string[]) => ['--namespace', namespace, ...args];
  const exec = (...command: readonly string[]) => there('exec', 'deployment/web', '--', ...command);

  it('runs the pod of a deployment in a new namespace', async () => {
    const { inside, image } = options();
    await inside.ok(['create', 'namespace', namespace]);
    await inside.ok(['apply', '-f', '-'], { input: JSON.stringify(deployment(image)) });
    await inside.ok(there('rollout', 'status', 'deployment/web', timeout));
    expect(await inside.ok(exec('cat', '/tmp/www/index.html'))).toBe('this is web\n');
    expect((await inside.run(exec('sh', '-c', 'exit 7'))).code).toBe(7);
  });

  it('streams a log while its pod writes it', async () => {
    const { inside } = options();
    const log = inside.follow(there('logs', '-f', 'deployment/web'));
    await log.waitForOutput(/has started/);
    await inside.ok(exec('sh', '-c', 'echo said by exec >/proc/1/fd/1'));
    await log.waitForOutput(/said by exec/);
    await log.stop();
  });

  it('forwards a port to its pod', async () => {
    const { inside } = options();
    const forward = inside.follow(there('port-forward', 'deployment/web', ':8080'));
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(await forward.waitForOutput(/127\.0\.0\.1:\d+/)) ?? [];
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('this is web\n');
    await forward.stop();
  });

  it('copies 100 MB to its pod and back', async () => {
    const { inside, folder } = options();
    const pod = await inside.ok(there('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].metadata.name}'));
    const [sent, received] = [join(folder, 'sent'), join(folder, 'received')];
    const content = randomBytes(copiedBytes);
    writeFileSync(sent, content);
    await inside.ok(there('cp', sent, `${pod}:/tmp/copied`));
    expect(await inside.ok(exec('sha256sum', '/tmp/copied'))).toContain(sha256(content));
    await inside.ok(there('cp', `${pod}:/tmp/copied`, received));
    expect(sha256(readFileSync(received))).toBe(sha256(content));
  });

  it('resolves the names of services', async () => {
    const { inside } = options();
    await inside.ok(there('expose', 'deployment/web', '--port=80', '--target-port=8080'));
    const address = await inside.ok(there('get', 'service/web', '-o', 'jsonpath={.spec.clusterIP}'));
    const lookup = `until nslookup web.${namespace}.svc.cluster.local; do sleep 1; done`;
    expect(await inside.ok(exec('timeout', '60', 'sh', '-c', lookup))).toContain(address);
  });
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function deployment(image: string): object {
  const serve = 'mkdir /tmp/www; echo this is web >/tmp/www/index.html; httpd -f -p 8080 -h /tmp/www';
  const container = { name: 'web', image, command: ['sh', '-c', `echo has started; ${serve}`] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { terminationGracePeriodSeconds: 1, containers: [container] },
      },
    },
  };
}
