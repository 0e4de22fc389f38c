/** The state of one item. */
export type ItemOutcome =
  | { readonly state: 'waiting' | 'running' | 'done' }
  | { readonly state: 'failed'; error: unknown };

export interface RunForEachOptions {
  /** The maximum concurrency. */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
  onOutcome(key: string, outcome: ItemOutcome): void;
}

/**
 * Runs the function for each item with limited concurrency. A failure does not stop the others; an abort skips items
 * not yet started.
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
