/** What became of one of many. */
export type Outcome = { readonly state: 'waiting' | 'running' | 'done' } | { readonly state: 'failed'; error: unknown };

export interface RunForEachOptions {
  /** How many at once. */
  readonly atOnce?: number;
  readonly signal: AbortSignal;
  onOutcome(key: string, outcome: Outcome): void;
}

/** Does it for one after the other, some at once; one that fails holds up no other. Those not begun when the signal fires are left. */
export async function runForEach<Item extends { readonly key: string }>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
  { atOnce = 4, signal, onOutcome }: RunForEachOptions,
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
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}
