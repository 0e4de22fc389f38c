/** A parsed label selector (rules SEL-01 to SEL-06). */
export interface LabelSelector {
  /** True if it selects everything. */
  readonly empty: boolean;
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
}
