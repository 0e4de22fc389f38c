/**
 * The limits of each credential, user and connection (completions §10). They are settings of the server, which sends
 * them to its agents. 0 means no limit.
 */
export interface CredentialLimits {
  /** The average number of requests per second that one access key may send. */
  readonly requestsPerSecond: number;
  /** The number of requests that a key may send at once after a pause. The value is at least 1. */
  readonly requestBurst: number;
  /** The maximum number of open watches of one access key. */
  readonly watchesPerKey: number;
  /**
   * The maximum number of open watches of one user over all access keys of the user, or of all service accounts of one
   * cluster.
   */
  readonly watchesPerUser: number;
  /** The maximum number of open watches on one HTTP/2 connection. */
  readonly watchesPerConnection: number;
}

/**
 * The default limits, which ordinary clients do not reach. Requests: a Go client sends at most 50 per second and 300 at
 * once, and ten Go clients may share a key. Watches: a GitOps controller watches a hundred kinds in each of fifty
 * virtual clusters, and a user runs two such controllers. A connection may have as many watches as streams. A lower
 * limit would disturb Go clients: they open another connection when they run out of streams, but not when a watch gets
 * 429.
 */
export const defaultCredentialLimits: CredentialLimits = {
  requestsPerSecond: 500,
  requestBurst: 2000,
  watchesPerKey: 5000,
  watchesPerUser: 10_000,
  watchesPerConnection: 1000,
};
