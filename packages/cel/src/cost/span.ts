/** The range of a size or a cost. `max` is MAX_VALUE if the maximum is unknown. */
export interface Span {
  readonly min: number;
  readonly max: number;
}

/** The largest uint64. Kubernetes calculates costs as uint64, and larger results are reduced to this value. */
export const MAX_VALUE = 2 ** 64 - 1;

export const UNKNOWN_SPAN: Span = { min: 0, max: MAX_VALUE };

export function exactly(value: number): Span {
  return { min: value, max: value };
}

function capped(value: number): number {
  // Values are capped before every multiplication, so 0 * Infinity (which is NaN) cannot occur.
  return value >= MAX_VALUE ? MAX_VALUE : value;
}

export function plus(...spans: readonly Span[]): Span {
  let min = 0;
  let max = 0;
  for (const span of spans) {
    min = capped(min + span.min);
    max = capped(max + span.max);
  }
  return { min, max };
}

export function times(left: Span, right: Span): Span {
  return { min: capped(left.min * right.min), max: capped(left.max * right.max) };
}

/** Multiplies both ends of a range by a factor and rounds up. */
export function scaled(span: Span, factor: number): Span {
  return { min: capped(Math.ceil(span.min * factor)), max: capped(Math.ceil(span.max * factor)) };
}

export function union(left: Span, right: Span): Span {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}
