/** A parsed field selector (rules SEL-07 to SEL-14): all requirements must hold. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** `read` gives a field's printed value, '' where the object lacks it. */
  matches(read: (field: string) => string): boolean;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}
