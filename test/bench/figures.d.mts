export type Figure =
  | 'rate'
  | 'throughput'
  | 'p50'
  | 'p99'
  | 'serverCpu'
  | 'etcdCpu'
  | 'clientCpu'
  | 'milliseconds'
  | 'growth'
  | 'memory'
  | 'share'
  | 'perWatch'
  | 'quietP50'
  | 'quietP99'
  | 'loadedP50'
  | 'loadedP99'
  | 'added'
  | 'delivered';
export type Figures = Partial<Record<Figure, number>>;
export function percentile(sorted: ArrayLike<number>, share: number): number;
export function median(values: readonly number[]): number;
export function middleBy<Each>(all: readonly Each[], figure: (each: Each) => number): Each | undefined;
export function timesBetter(figure: Figure, ours: number | undefined, theirs: number | undefined): number | undefined;
