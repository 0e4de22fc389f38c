type Labels = Readonly<Record<string, string>>;

/** The current value of a counter for one set of labels. */
export interface CounterSeries {
  value: number;
}

/**
 * A counter that returns an object for each set of labels. Callers keep that object, so an increment is a single
 * addition. The counters of the Prometheus library search for the set of labels on each increment, which took longer
 * than serving a request.
 */
export class FastCounter {
  readonly #name: string;
  readonly #help: string;
  readonly #lines = new Map<string, CounterSeries>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  series(labels: Labels): CounterSeries {
    return getOrCreate(this.#lines, labelText(labels), () => ({ value: 0 }));
  }

  /** Returns the counter in the Prometheus text format. */
  text(): string {
    let text = head(this.#name, this.#help, 'counter');
    for (const [labels, { value }] of this.#lines) text += `${this.#name}{${labels}} ${value}\n`;
    return text;
  }
}

/**
 * A histogram that returns an object for each set of labels. Callers keep that object, because searching for the set of
 * labels on each recorded value would be slow.
 */
export class FastHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #lines = new Map<string, HistogramSeries>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  series(labels: Labels): HistogramSeries {
    return getOrCreate(this.#lines, labelText(labels), () => new HistogramSeries(this.#bounds));
  }

  text(): string {
    let text = head(this.#name, this.#help, 'histogram');
    for (const [labels, measured] of this.#lines) text += measured.text(this.#name, labels);
    return text;
  }
}

/** The observed values of a histogram for one set of labels. */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /**
   * The number of values in each bucket. Unlike in Prometheus, a value counts only in the first bucket whose upper
   * bound is at least the value. The last bucket has no upper bound.
   */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  text(name: string, labels: string): string {
    let text = '';
    let count = 0;
    this.#counts.forEach((here, at) => {
      count += here;
      text += `${name}_bucket{le="${this.#bounds[at] ?? '+Inf'}",${labels}} ${count}\n`;
    });
    return `${text}${name}_sum{${labels}} ${this.#sum}\n${name}_count{${labels}} ${count}\n`;
  }
}

function getOrCreate<T>(lines: Map<string, T>, key: string, make: () => T): T {
  const known = lines.get(key);
  if (known !== undefined) return known;
  const made = make();
  lines.set(key, made);
  return made;
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}
