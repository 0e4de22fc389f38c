/** The state of one item of a bulk action. */
export type BulkItemState =
  | { readonly state: 'waiting' | 'running' | 'done' }
  | { readonly state: 'failed'; error: unknown };

export interface RunForEachOptions {
  /** The maximum number of items that are processed at the same time. Optional; defaults to 4. */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
  onOutcome(key: string, outcome: BulkItemState): void;
}

/**
 * Runs a function for each item with limited concurrency. If the function fails for one item, the other items are still
 * processed. After an abort, no further items are started.
 */
export async function runForEach<Item extends { readonly key: string }>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
  { concurrency = 4, signal, onOutcome }: RunForEachOptions,
): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) {
      if (signal.aborted) return;
      onOutcome(item.key, { state: 'running' });
      try {
        await run(item);
        onOutcome(item.key, { state: 'done' });
      } catch (error) {
        onOutcome(item.key, { state: 'failed', error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
}
