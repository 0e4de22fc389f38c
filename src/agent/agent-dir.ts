import { join, resolve } from 'node:path';
import { ensureDirectory } from '../process/private-dir.ts';

/** Where everything of an agent lies that outlives a run. Files with secrets have mode 0600. */
export interface AgentDir {
  readonly path: string;
  readonly caCertificate: string;
  readonly caKey: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
  readonly sealKey: string;
  readonly signingKey: string;
  readonly auditLog: string;
  /** Lines of it that the centre does not have yet. */
  readonly auditOutbox: string;
  /** What the centre told. */
  readonly policy: string;
  /** Of the built-in cluster. */
  readonly store: string;
  readonly helm: string;
}

export async function openAgentDir(path: string): Promise<AgentDir> {
  const root = resolve(path);
  await ensureDirectory(root);
  return {
    path: root,
    caCertificate: join(root, 'ca.crt'),
    caKey: join(root, 'ca.key'),
    servingCertificate: join(root, 'serving.crt'),
    servingKey: join(root, 'serving.key'),
    sealKey: join(root, 'seal.key'),
    signingKey: join(root, 'signing.key'),
    auditLog: join(root, 'audit.log'),
    auditOutbox: join(root, 'audit-outbox'),
    policy: join(root, 'policy.sealed'),
    store: join(root, 'store'),
    helm: join(root, 'helm'),
  };
}
