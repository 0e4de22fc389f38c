import { join, resolve } from 'node:path';
import { ensureDirectory } from '../process/private-dir.ts';

/** The paths of all persistent files of an agent. Files with secrets have mode 0600. */
export interface AgentDir {
  readonly path: string;
  readonly caCertificate: string;
  readonly caKey: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
  readonly sealKey: string;
  readonly signingKey: string;
  readonly auditLog: string;
  /** Audit lines that the control server has not received yet. */
  readonly auditOutbox: string;
  /** The cached policy of the control server. */
  readonly policy: string;
  /** The store of the built-in cluster. */
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
