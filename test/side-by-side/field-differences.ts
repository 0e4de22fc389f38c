/** A field that differs between the two responses; `undefined` if a response does not contain it. */
export interface FieldDifference {
  /**
   * The path of the field: `status`, `headers.vary`, `body.items[0].spec`. For an object whose members differ only in
   * their order: the path with a suffix, `body.metadata (order)`.
   */
  readonly path: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** Compares two values field by field. The order of members counts. */
export function fieldDifferences(theirs: unknown, ours: unknown, path = ''): FieldDifference[] {
  if (theirs === ours) return [];
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    const most = Math.max(theirs.length, ours.length);
    return Array.from({ length: most }, (_, at) => fieldDifferences(theirs[at], ours[at], `${path}[${at}]`)).flat();
  }
  if (!isObject(theirs) || !isObject(ours)) return [{ path, theirs, ours }];
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  const found = names.flatMap((name) => {
    return fieldDifferences(theirs[name], ours[name], path === '' ? name : `${path}.${name}`);
  });
  const order = (one: object, other: object) =>
    Object.keys(one)
      .filter((name) => Object.hasOwn(other, name))
      .join();
  const orders = { theirs: order(theirs, ours), ours: order(ours, theirs) };
  return orders.theirs === orders.ours ? found : [...found, { path: `${path} (order)`, ...orders }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Returns a readable description with both values, shortened to the parts that differ. */
export function describeField({ path, theirs, ours }: FieldDifference): string {
  const texts = [theirs, ours].map((value) => (value === undefined ? '(absent)' : JSON.stringify(value)));
  const [one = '', other = ''] = texts;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const from = Math.max(0, same - 60);
  const cut = (text: string) => `${from > 0 ? '…' : ''}${text.slice(from, from + 240)}`;
  return `${path}\n      kube-apiserver: ${cut(one)}\n      this server:    ${cut(other)}`;
}
