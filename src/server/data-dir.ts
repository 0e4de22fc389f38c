import { join, resolve } from 'node:path';
import { ensureDirectory } from '../process/private-dir.ts';

/** Where everything lies that outlives a run. The files are the only secrets in clear, so each has mode 0600. */
export interface DataDir {
  readonly path: string;
  readonly caCertificate: string;
  readonly caKey: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
  readonly signingKey: string;
  readonly sealKey: string;
  readonly adminKey: string;
  readonly adminKubeconfig: string;
  readonly auditLog: string;
  readonly store: string;
  /** Where helm works: charts that were fetched, and what it needs for as long as it runs. */
  readonly helm: string;
  /** Which store belongs here, so that another one is not taken for it. */
  readonly installation: string;
}

export function dataDirAt(path: string): DataDir {
  const root = resolve(path);
  return {
    path: root,
    caCertificate: join(root, 'ca.crt'),
    caKey: join(root, 'ca.key'),
    servingCertificate: join(root, 'serving.crt'),
    servingKey: join(root, 'serving.key'),
    signingKey: join(root, 'signing.key'),
    sealKey: join(root, 'seal.key'),
    adminKey: join(root, 'admin.key'),
    adminKubeconfig: join(root, 'admin.kubeconfig'),
    auditLog: join(root, 'audit.log'),
    store: join(root, 'store'),
    helm: join(root, 'helm'),
    installation: join(root, 'installation.json'),
  };
}

/** Makes the directory if it is not there, and checks that this process can work in it. */
export async function openDataDir(path: string): Promise<DataDir> {
  const dir = dataDirAt(path);
  await ensureDirectory(dir.path);
  return dir;
}
