import { StatusError } from '../../src/api/status.ts';
import type { ColumnDefinition } from '../../src/api/table.ts';
import { followChanges } from '../../src/client/follow-changes.ts';
import type { ItemEvent, WatchRequest } from '../../src/client/resource-client.ts';
import { linesOf } from '../../src/lib/lines.ts';
import { silentLog } from '../../src/lib/log.ts';
import { type ApiRoot, managementRoot } from './api-root.ts';
import { browserClock } from './browser-clock.ts';
import { collectionUrl, type KindRef, queryText } from './kind-ref.ts';
import { noticeEnd, send } from './send.ts';
import { session } from './session.ts';
import { type CompareRows, SortedRows } from './sorted-rows.ts';
import { type Row, readTable, readTableEvent, tableAccept } from './table-rows.ts';

/** Which rows. */
export interface RowsQuery {
  readonly kind: KindRef;
  readonly root?: ApiRoot;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Whole objects with the rows; else their metadata. */
  readonly objects?: boolean;
  /**
   * What breaks or ends is not taken up again before somebody calls `retry`: through a gateway, to ask again is to wake
   * what has fallen asleep.
   */
  readonly isPatient?: boolean;
}

/** Rows as they are at one moment; another object whenever anything is another. */
export interface RowsSnapshot {
  /** `loading` until all of it is there for the first time; `interrupted` while the server cannot be reached. */
  readonly state: 'loading' | 'live' | 'interrupted' | 'refused';
  readonly columns: readonly ColumnDefinition[];
  readonly rows: readonly Row[];
  /** While loading: how many there will be, as far as the server says. */
  readonly expected: number | undefined;
  /** Why it is refused or interrupted. */
  readonly error: unknown;
}

export const noRows: RowsSnapshot = { state: 'loading', columns: [], rows: [], expected: undefined, error: undefined };

/** A page that shows within a moment, then as many as the server gives at once. */
const firstPage = 100;
const furtherPage = 1_000;

/** Changes are shown together, as often as an eye can follow them. */
const showEvery = 100;

/** A server that is being restarted is back in a second or two. */
const longestPause = 3_000;

/** The server's own order, also for those that came later. */
const byKey: CompareRows = (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/**
 * Rows of a kind that follow every change, for as long as somebody looks. A stream that breaks is taken up again by
 * itself; what was there stays in sight meanwhile.
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

  get isPatient(): boolean {
    return this.#query.isPatient === true;
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

  get isLookedAt(): boolean {
    return this.#listeners.size > 0;
  }

  /** Tries at once what would be tried again after a pause. */
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
    void followChanges<Row>({
      resource: { watch: (request) => this.#watch(request) },
      clock: browserClock,
      log: silentLog,
      signal,
      longestPause,
      begin: async () => await this.#list(signal),
      take: (row, gone) => {
        if (gone) this.#rows.delete(row.key);
        else this.#rows.set(row.key, row);
        this.#show();
      },
      onInterruption: (error) => this.#interrupted(error, following),
    });
  }

  #interrupted(error: unknown, following: AbortController): void {
    const { isPatient } = this;
    if ((error === undefined && !isPatient) || following.signal.aborted) return;
    const code = error instanceof StatusError ? error.code : 0;
    // Asking again would be answered the same until somebody's rights or the address change.
    const isFinal = code === 403 || code === 404 || code === 401 || code === 405;
    if (code === 410) return;
    // While somebody signs in again the page waits behind that, as it is.
    const isWaiting = code === 401 && !isPatient;
    this.#state = isFinal && !isWaiting ? 'refused' : 'interrupted';
    this.#error = error ?? new Error('The server has ended the stream of changes.');
    if (isFinal || isPatient) following.abort();
    if (code === 403 || code === 404) this.#rows.clear();
    this.#show();
  }

  #url(members: Readonly<Record<string, string | number | undefined>>): string {
    const { kind, root = managementRoot, namespace, labelSelector, fieldSelector, objects } = this.#query;
    const includeObject = objects === true ? 'Object' : 'Metadata';
    return `${collectionUrl(root, kind, namespace)}${queryText({ labelSelector, fieldSelector, includeObject, ...members })}`;
  }

  /** Page after page: what comes first is in sight while the rest is on its way. */
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
      for await (const line of linesOf(chunks)) yield readTableEvent(line);
    } catch (error) {
      noticeEnd(error, login);
      throw error;
    }
  }

  #show(): void {
    this.#shown ??= browserClock.after(showEvery, () => {
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

/** Not every browser can iterate over a stream. */
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
