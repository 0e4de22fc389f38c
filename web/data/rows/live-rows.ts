import type { KubeObject } from '../../../src/api/meta.ts';
import { StatusError } from '../../../src/api/status.ts';
import type { ColumnDefinition } from '../../../src/api/table.ts';
import { listAndWatch } from '../../../src/client/list-and-watch.ts';
import type { ItemEvent, WatchRequest } from '../../../src/client/resource-client.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { readLines } from '../../../src/lib/read-lines.ts';
import { type ApiRoot, managementRoot } from '../api-root.ts';
import { browserClock } from '../browser-clock.ts';
import { collectionUrl, type KindRef, queryText } from '../kind-ref.ts';
import { endSessionOn401, send } from '../send.ts';
import { session } from '../session/session.ts';
import { type CompareRows, SortedRows } from './sorted-rows.ts';
import { type Row, readTable, readTableEvent, tableAccept } from './table-rows.ts';

/** Selects the objects of a list. */
export interface RowsQuery<Type extends KubeObject = KubeObject> {
  readonly kind: KindRef<Type>;
  readonly root?: ApiRoot;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** True if rows contain whole objects. By default they contain only metadata. */
  readonly objects?: boolean;
  /**
   * Disables automatic retries: after an error or the end of a watch, no request is sent until `retry` is called. Used
   * inside virtual clusters, because automatic retries would fail if the virtual cluster is asleep.
   */
  readonly manualRetry?: boolean;
}

/** A query for rows with whole objects, which have the TypeScript type of the kind. */
export interface ObjectsQuery<Type extends KubeObject> extends RowsQuery<Type> {
  readonly objects: true;
}

/** An immutable snapshot of the rows. Every change creates a new snapshot. */
export interface RowsSnapshot<Type extends KubeObject = KubeObject> {
  /**
   * `loading` until the first list is complete; `interrupted` while the server is unreachable; `refused` if the server
   * rejects the request.
   */
  readonly state: 'loading' | 'live' | 'interrupted' | 'refused';
  readonly columns: readonly ColumnDefinition[];
  readonly rows: readonly Row<Type>[];
  /** The total number of rows, known before all rows are loaded; `undefined` if the server does not report it. */
  readonly expected: number | undefined;
  /** The error that caused the state `refused` or `interrupted`. */
  readonly error: unknown;
}

export const noRows: RowsSnapshot = { state: 'loading', columns: [], rows: [], expected: undefined, error: undefined };

/** The page sizes of a list request: a small first page that appears quickly, then the maximum size of the server. */
const firstPage = 100;
const furtherPage = 1_000;

/** The interval in milliseconds at which changes are shown. Users cannot see more frequent updates. */
const updateIntervalMs = 100;

/**
 * The longest delay between retries, in milliseconds. It is short because a restarted server is available again within
 * one or two seconds.
 */
const longestPause = 3_000;

/** Sorts rows by namespace and name, which is the order of the server. */
const byKey: CompareRows = (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/**
 * The rows of a kind, updated by a watch as long as there are subscribers. If the watch breaks, it is resumed
 * automatically, and the rows stay visible in the meantime.
 */
export class LiveRows {
  readonly #query: RowsQuery;
  readonly #listeners = new Set<() => void>();
  readonly #sorted = new SortedRows();
  #rows = new Map<string, Row>();
  #snapshot: RowsSnapshot = noRows;
  #columns: readonly ColumnDefinition[] = [];
  #state: RowsSnapshot['state'] = 'loading';
  #expected: number | undefined;
  #error: unknown;
  #shown: (() => void) | undefined;
  #following: AbortController | undefined;

  constructor(query: RowsQuery) {
    this.#query = query;
  }

  get manualRetry(): boolean {
    return this.#query.manualRetry === true;
  }

  readonly get = (): RowsSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#following === undefined) this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  };

  get hasSubscribers(): boolean {
    return this.#listeners.size > 0;
  }

  /** Retries immediately, without waiting for the backoff. */
  readonly retry = (): void => {
    this.#stop();
    if (this.#listeners.size > 0) this.#follow();
  };

  #stop(): void {
    this.#following?.abort();
    this.#following = undefined;
    this.#shown?.();
    this.#shown = undefined;
  }

  #follow(): void {
    const following = new AbortController();
    this.#following = following;
    const { signal } = following;
    void listAndWatch<Row>({
      resource: { watch: (request) => this.#watch(request) },
      clock: browserClock,
      log: silentLog,
      signal,
      maxBackoffMs: longestPause,
      relist: async () => await this.#list(signal),
      apply: (row, gone) => {
        if (gone) this.#rows.delete(row.key);
        else this.#rows.set(row.key, row);
        this.#show();
      },
      onInterruption: (error) => this.#interrupted(error, following),
    });
  }

  #interrupted(error: unknown, following: AbortController): void {
    const { manualRetry } = this;
    if ((error === undefined && !manualRetry) || following.signal.aborted) return;
    const code = error instanceof StatusError ? error.code : 0;
    // A request that failed with one of these codes is not retried: the response stays the same until permissions or
    // the URL change.
    const isFinal = code === 403 || code === 404 || code === 401 || code === 405;
    if (code === 410) return;
    // After a 401, the page waits unchanged behind the sign-in form until the user signs in again.
    const isWaiting = code === 401 && !manualRetry;
    this.#state = isFinal && !isWaiting ? 'refused' : 'interrupted';
    this.#error = error ?? new Error('The server closed the watch.');
    if (isFinal || manualRetry) following.abort();
    if (code === 403 || code === 404) this.#rows.clear();
    this.#show();
  }

  #url(members: Readonly<Record<string, string | number | undefined>>): string {
    const { kind, root = managementRoot, namespace, labelSelector, fieldSelector, objects } = this.#query;
    const includeObject = objects === true ? 'Object' : 'Metadata';
    return `${collectionUrl(root, kind, namespace)}${queryText({ labelSelector, fieldSelector, includeObject, ...members })}`;
  }

  /** Requests the list page by page. The first page is visible while the other pages load. */
  async #list(signal: AbortSignal): Promise<string> {
    const rows = new Map<string, Row>();
    const isFirst = this.#state === 'loading';
    let more: string | undefined;
    for (;;) {
      const url = this.#url({ limit: more === undefined ? firstPage : furtherPage, continue: more });
      const response = await send({ method: 'GET', url, accept: tableAccept, signal });
      const page = readTable(await response.text());
      if (page.columns.length > 0) this.#columns = page.columns;
      for (const row of page.rows) rows.set(row.key, row);
      if (page.continue === '') {
        this.#rows = rows;
        this.#state = 'live';
        this.#expected = undefined;
        this.#error = undefined;
        this.#show();
        return page.resourceVersion;
      }
      more = page.continue;
      if (!isFirst) continue;
      this.#rows = rows;
      this.#expected = page.remaining === undefined ? undefined : rows.size + page.remaining;
      this.#show();
    }
  }

  async *#watch({ resourceVersion, signal }: WatchRequest): AsyncGenerator<ItemEvent<Row>> {
    const login = session.login();
    const url = this.#url({ resourceVersion, watch: 'true', allowWatchBookmarks: 'true' });
    const response = await send({
      method: 'GET',
      url,
      accept: tableAccept,
      ...(signal === undefined ? {} : { signal }),
    });
    if (response.body === null) return;
    const chunks = chunksOf(response.body as ReadableStream<Uint8Array>);
    try {
      for await (const line of readLines(chunks)) yield readTableEvent(line);
    } catch (error) {
      endSessionOn401(error, login);
      throw error;
    }
  }

  #show(): void {
    this.#shown ??= browserClock.after(updateIntervalMs, () => {
      this.#shown = undefined;
      this.#snapshot = {
        state: this.#state,
        columns: this.#columns,
        rows: this.#sorted.sort([...this.#rows.values()], '', byKey),
        expected: this.#expected,
        error: this.#error,
      };
      for (const listener of this.#listeners) listener();
    });
  }
}

/** Iterates over a stream. Needed because some browsers do not support `for await` on streams. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
