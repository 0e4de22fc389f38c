import type { BenchResult, RowFigures } from './performance-page.mjs';

type Side = 'embedded' | 'replicas-1' | 'replicas-2' | 'replicas-3' | 'theirs';

/** The result of the scenario `replicas`, which has sides of its own. */
export interface ReplicasResult extends Omit<BenchResult, 'sides' | 'rows' | 'failures'> {
  readonly etcd: { readonly version: string; readonly members: number };
  readonly sides: { readonly [Each in Side]?: string };
  readonly rows: readonly ({
    readonly scenario: string;
    readonly id: string;
    readonly operation: string;
  } & { readonly [Each in Side]?: RowFigures })[];
  readonly failures?: readonly { readonly side: Side; readonly scenario: string; readonly message: string }[];
}
export const replicasHeading: string;
export function replicasPage(result: ReplicasResult): string;
export function replicasSection(result: ReplicasResult): string;
