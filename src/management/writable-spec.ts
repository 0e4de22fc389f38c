/** Replaces the spec of an object with a shallow, mutable copy and returns the copy. */
export function writableSpec<Spec extends object>(object: { spec?: Partial<Spec> }): Partial<Spec> {
  const spec: Partial<Spec> = object.spec === undefined ? {} : { ...object.spec };
  object.spec = spec;
  return spec;
}
