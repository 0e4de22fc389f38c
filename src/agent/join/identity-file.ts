import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject, objectAt, textAt } from '@flotilla/json';
import type { JoinToken } from '../../api/agent/join-token.ts';
import { type AgentKeyPair, agentKeyPairOf, generateAgentKeyPair } from '../../auth/agent/agent-key.ts';
import { joinTokenDigest } from '../../auth/agent/agent-proof.ts';
import { errorCode, writePrivateFile } from '../../lib/private-file.ts';
import { StartError } from '../../process/start-error.ts';
import type { Sealer } from '../../seal/sealer.ts';

/** The identity of an agent: its key, and the server, installation and cluster that the key belongs to. */
export interface AgentIdentity extends Omit<JoinToken, 'secret'> {
  readonly keyPair: AgentKeyPair;
  /** The `joinTokenDigest` of the token with which the agent joins, or has joined. */
  readonly tokenDigest: string;
}

/** The identities that an agent stores in its identity file. */
export interface StoredIdentities {
  /** The identity that the server has accepted. */
  readonly current?: AgentIdentity | undefined;
  /**
   * An identity that the server may have accepted. The agent stores it before it uses the join token. If the agent ends
   * before the response arrives, the agent still has the key at its next start.
   */
  readonly joining?: AgentIdentity | undefined;
}

const purpose = 'agent-identity';

/** The file with the identities of an agent, sealed with the seal key of its data directory. */
export class IdentityFile {
  readonly #path: string;
  readonly #sealer: Sealer;

  constructor(path: string, sealer: Sealer) {
    this.#path = path;
    this.#sealer = sealer;
  }

  async read(): Promise<StoredIdentities> {
    let sealed: string;
    try {
      sealed = await readFile(this.#path, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return {};
      throw error;
    }
    try {
      const stored: unknown = JSON.parse(this.#sealer.open(purpose, sealed.trim()));
      if (!isJsonObject(stored)) throw new Error('it is not an object');
      return { current: readIdentity(objectAt(stored, 'current')), joining: readIdentity(objectAt(stored, 'joining')) };
    } catch (error) {
      throw new StartError(
        `cannot read ${this.#path}: it is damaged, or was sealed with another seal.key; restore both from one backup, or remove the file and let the agent join again`,
        { cause: error },
      );
    }
  }

  async write({ current, joining }: StoredIdentities): Promise<void> {
    const content = {
      ...(current === undefined ? {} : { current: writeIdentity(current) }),
      ...(joining === undefined ? {} : { joining: writeIdentity(joining) }),
    };
    await writePrivateFile(this.#path, `${this.#sealer.seal(purpose, JSON.stringify(content))}\n`);
  }
}

/** Creates an identity with a new key. */
export function createIdentity({ secret, ...rest }: JoinToken): AgentIdentity {
  return { ...rest, keyPair: generateAgentKeyPair(), tokenDigest: joinTokenDigest(secret) };
}

function writeIdentity({ keyPair, ...rest }: AgentIdentity): JsonObject {
  return { ...rest, privateKey: keyPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function readIdentity(stored: JsonObject | undefined): AgentIdentity | undefined {
  if (stored === undefined) return undefined;
  const text = (name: string) => textAt(stored, name);
  const authority = text('authority');
  return {
    server: text('server'),
    ...(authority === '' ? {} : { authority }),
    apiPrefix: text('apiPrefix'),
    installation: text('installation'),
    cluster: text('cluster'),
    keyPair: agentKeyPairOf(createPrivateKey(text('privateKey'))),
    tokenDigest: text('tokenDigest'),
  };
}
