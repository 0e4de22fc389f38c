/** What the load is made against; see `sides/ours.mjs`. */
export interface LoadTarget {
  readonly url: string;
  readonly ca: string;
  readonly authorization: string;
  readonly pids: readonly number[];
  readonly api: string;
  readonly apiVersion: string;
  readonly namespacePrefix: string;
}
export interface LoadClient {
  run(job: string, target: LoadTarget, options: object): Promise<unknown>;
  stop(): Promise<void>;
}
export function startLoadClient(signal: AbortSignal): LoadClient;
