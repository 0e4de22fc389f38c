/** The suffix of the names in the certificates of replicas. These names do not exist in DNS. */
const suffix = 'replica.flotilla.internal';

/** Returns the name in the certificate of a replica. */
export function peerName(replica: string): string {
  return `${replica}.${suffix}`;
}

const pattern = new RegExp(`^DNS:([0-9a-z-]+)\\.${suffix.replaceAll('.', '\\.')}$`);

/**
 * Returns the ID of the replica that a certificate belongs to; `undefined` if the certificate does not belong to a
 * replica. `alternativeNames` are the subject alternative names, as Node prints them.
 */
export function replicaOf(alternativeNames: string | undefined): string | undefined {
  return pattern.exec(alternativeNames ?? '')?.[1];
}
