import { randomBytes, timingSafeEqual } from 'node:crypto';

/** The credentials with which the control server calls this agent. The agent never stores them. */
export class ServerCredentials {
  /** The credential that the agent offers. It is generated at each start. */
  readonly own = randomBytes(32).toString('base64url');
  #shared: string | undefined;

  /** Sets the credential that all agents of the cluster share; `undefined` if the server uses `own`. */
  share(credential: string | undefined): void {
    this.#shared = credential;
  }

  includes(token: string): boolean {
    return isSame(token, this.own) || (this.#shared !== undefined && isSame(token, this.#shared));
  }
}

function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
