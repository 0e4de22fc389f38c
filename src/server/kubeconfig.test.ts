import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultProject, projectNamespace } from '../api/naming.ts';
import { adminKubeconfig, readAdminAccess, refreshKubeconfig } from './kubeconfig.ts';

const content = { url: 'https://127.0.0.1:8443', apiPrefix: 'kubernetes', authority: 'PEM' };
let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  path = join(directory, 'admin.kubeconfig');
});
afterEach(() => rm(directory, { recursive: true }));

describe('adminKubeconfig', () => {
  it('has the contexts management (current) and local', () => {
    const config = new KubeConfig();
    config.loadFromString(adminKubeconfig(content, 'admin', 'secret'));
    expect(config.getCurrentContext()).toBe('management');
    expect(config.getContextObject('management')?.namespace).toBe(projectNamespace(defaultProject));
    expect(config.getCurrentCluster()?.server).toBe('https://127.0.0.1:8443/kubernetes/management');
    expect(config.getCluster('local')?.server).toBe('https://127.0.0.1:8443/kubernetes/cluster/local');
    expect(config.getCurrentCluster()?.caData).toBe(Buffer.from('PEM').toString('base64'));
    expect(config.getCurrentUser()?.token).toBe('secret');
  });

  it('contains no authority if the operating system trusts it', () => {
    expect(adminKubeconfig({ ...content, authority: undefined }, 'admin', 'x')).not.toContain('authority');
  });
});

describe('refreshKubeconfig', () => {
  it('updates the addresses and leaves the rest unchanged', async () => {
    const before = load(adminKubeconfig(content, 'admin', 'secret')) as { [key: string]: unknown; clusters: unknown[] };
    before['current-context'] = 'local';
    before.clusters.push({ name: 'mine', cluster: { server: 'https://elsewhere' } });
    await writeFile(path, JSON.stringify(before), { mode: 0o600 });
    await refreshKubeconfig(path, { ...content, url: 'https://new:1', apiPrefix: 'k' });
    const after = load(await readFile(path, 'utf8')) as typeof before;
    expect(after).toEqual({
      ...before,
      clusters: [
        { name: 'management', cluster: { server: 'https://new:1/k/management', 'certificate-authority-data': 'UEVN' } },
        { name: 'local', cluster: { server: 'https://new:1/k/cluster/local', 'certificate-authority-data': 'UEVN' } },
        { name: 'mine', cluster: { server: 'https://elsewhere' } },
      ],
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each(['PEM', 'P'.repeat(2000), undefined])(
    'changes only the addresses of an unmodified file',
    async (authority) => {
      const own = { ...content, authority };
      for (const url of ['https://new:1', 'https://[::1]:8443']) {
        const behind = '# mine\npreferences: {}\n';
        await writeFile(path, adminKubeconfig(own, 'admin', 'secret') + behind);
        await refreshKubeconfig(path, { ...own, url });
        expect(await readFile(path, 'utf8')).toBe(adminKubeconfig({ ...own, url }, 'admin', 'secret') + behind);
      }
    },
  );

  it('updates a changed authority', async () => {
    await writeFile(path, adminKubeconfig(content, 'admin', 'secret'));
    await refreshKubeconfig(path, { ...content, authority: 'NEW' });
    expect(load(await readFile(path, 'utf8'))).toEqual(
      load(adminKubeconfig({ ...content, authority: 'NEW' }, 'admin', 'secret')),
    );
  });

  it('neither writes an up-to-date file nor creates one', async () => {
    await refreshKubeconfig(path, content);
    await expect(stat(path)).rejects.toThrow('ENOENT');
    const text = `# mine\n${adminKubeconfig(content, 'admin', 'secret')}`;
    await writeFile(path, text);
    await refreshKubeconfig(path, content);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('rejects a file that is not a kubeconfig', async () => {
    await writeFile(path, '[');
    await expect(refreshKubeconfig(path, content)).rejects.toThrow(`${path} is not YAML`);
  });
});

describe('readAdminAccess', () => {
  it('finds the address, authority and key', async () => {
    await writeFile(path, adminKubeconfig(content, 'admin', 'secret'));
    expect(await readAdminAccess(path)).toEqual({
      origin: 'https://127.0.0.1:8443',
      managementPath: '/kubernetes/management',
      authority: 'PEM',
      token: 'secret',
    });
    expect(await readAdminAccess(join(directory, 'none'))).toBeUndefined();
  });
});
