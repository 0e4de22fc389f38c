import { join, resolve } from 'node:path';
import { ensureDirectory } from '../process/private-dir.ts';

/** The paths of all files that an agent stores on disk. Files with secrets have mode 0600. */
export interface AgentDir {
  readonly path: string;
  readonly caCertificate: string;
  readonly caKey: string;
  readonly servingCertificate: string;
  readonly servingKey: string;
  readonly sealKey: string;
  readonly signingKey: string;
  /** The sealed key of an agent that has joined. */
  readonly identity: string;
  readonly auditLog: string;
  /** The directory of audit lines that the agent has not uploaded to the control server yet. */
  readonly auditOutbox: string;
  /** The file with the policy that the agent cached from the control server. */
  readonly policy: string;
  /** The directory of the store, if the agent runs a built-in cluster. */
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
    identity: join(root, 'identity.sealed'),
    auditLog: join(root, 'audit.log'),
    auditOutbox: join(root, 'audit-outbox'),
    policy: join(root, 'policy.sealed'),
    store: join(root, 'store'),
    helm: join(root, 'helm'),
  };
}
