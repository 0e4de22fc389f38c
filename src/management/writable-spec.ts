/** Replaces the spec of a draft with a mutable copy and returns it. */
export function writableSpec<Spec extends object>(object: { spec?: Partial<Spec> }): Partial<Spec> {
  const spec: Partial<Spec> = object.spec === undefined ? {} : { ...object.spec };
  object.spec = spec;
  return spec;
}
