import { join, resolve } from 'node:path';
import { ensureDirectory } from '../../process/private-dir.ts';

/** The paths of all persistent files. Each file has mode 0600, because some of them contain secrets in plain text. */
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
  /** An empty file that requests a new access key of the administrator. */
  readonly adminKeyRequest: string;
  readonly auditLog: string;
  /** The file with the position in the audit log up to which each target has received it. */
  readonly auditForward: string;
  readonly store: string;
  /** The working directory of helm, which contains downloaded charts and temporary files. */
  readonly helm: string;
  /**
   * The file with the identity of the store. The server uses it to detect that the store of another directory has
   * replaced the store.
   */
  readonly installation: string;
  /** The file with the ID of this server among the replicas that share a store. */
  readonly replicaId: string;
  /** The directory for the lock that a server takes if its store is not in the data directory. */
  readonly lock: string;
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
    adminKeyRequest: join(root, 'admin-key.request'),
    auditLog: join(root, 'audit.log'),
    auditForward: join(root, 'audit-forward.json'),
    store: join(root, 'store'),
    helm: join(root, 'helm'),
    installation: join(root, 'installation.json'),
    replicaId: join(root, 'replica.id'),
    lock: join(root, 'lock'),
  };
}

/** Creates the directory if it does not exist, and checks that this process can use it. */
export async function openDataDir(path: string): Promise<DataDir> {
  const dir = dataDirAt(path);
  await ensureDirectory(dir.path);
  return dir;
}
