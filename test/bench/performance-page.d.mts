import type { Figures } from './figures.mjs';

export interface RowFigures extends Figures {
  readonly refused?: number;
  readonly resumed?: number;
  readonly disturbed?: number;
}

export interface BenchResult {
  readonly date: string;
  readonly command: string;
  readonly scale: number;
  readonly seconds: number;
  readonly machine: {
    readonly cores: number;
    readonly processor: string;
    readonly memoryMiB: number;
    readonly kernel: string;
    readonly node: string;
    readonly fileSystem: string;
    readonly syncMilliseconds: number;
    readonly version: string;
    readonly commit: string;
  };
  readonly sides: { readonly ours?: string; readonly theirs?: string };
  readonly rows: readonly {
    readonly scenario: string;
    readonly id: string;
    readonly operation: string;
    readonly ours?: RowFigures;
    readonly theirs?: RowFigures;
  }[];
  /** The reasons why some measurements are not shown. */
  readonly leftOut?: readonly string[];
  readonly failures?: readonly {
    readonly side: 'ours' | 'theirs';
    readonly scenario: string;
    readonly message: string;
  }[];
}
export function performancePage(result: BenchResult, cold?: BenchResult): string;
