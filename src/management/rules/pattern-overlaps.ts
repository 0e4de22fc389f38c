/** The parts of a valid pattern. `subresource` is absent if the pattern has no slash. */
interface Pattern {
  readonly text: string;
  readonly resource: string;
  readonly subresource: string | undefined;
}

/**
 * Finds overlaps between the resource patterns in a list: for example between `pods`, `pods/*`, `*` followed by `/log`,
 * and `*`. Takes constant time per pattern.
 */
export class PatternOverlaps {
  /** The index of the first pattern, by its text. */
  readonly #byText = new Map<string, number>();
  /**
   * The indexes of the first patterns with a subresource in three groups, in this order: the resource is `*`, the
   * subresource is `*`, and any of the two is `*`.
   */
  #firstOfAllResources = Number.POSITIVE_INFINITY;
  #firstOfAllSubresources = Number.POSITIVE_INFINITY;
  #firstWithSubresources = Number.POSITIVE_INFINITY;

  /** `patterns` may contain invalid patterns, which are ignored. */
  constructor(patterns: readonly string[]) {
    for (const [index, text] of patterns.entries()) if (isResourcePattern(text)) this.#add(parse(text), index);
  }

  #add({ text, resource, subresource }: Pattern, index: number): void {
    if (!this.#byText.has(text)) this.#byText.set(text, index);
    if (subresource === undefined) return;
    if (resource === '*') this.#firstOfAllResources = Math.min(this.#firstOfAllResources, index);
    if (subresource === '*') this.#firstOfAllSubresources = Math.min(this.#firstOfAllSubresources, index);
    this.#firstWithSubresources = Math.min(this.#firstOfAllResources, this.#firstOfAllSubresources);
  }

  /**
   * Returns the index of the first other pattern that overlaps the valid pattern at `index`; `undefined` if there is
   * none. A pattern with wildcards overlaps every pattern that it covers. If two patterns are equal, or they intersect
   * and neither covers the other, only the later one overlaps the earlier one, so each overlap is reported once.
   */
  firstOf(text: string, index: number): number | undefined {
    const pattern = parse(text);
    const first = Math.min(this.#firstCovering(pattern, index), this.#firstIntersecting(pattern, index));
    return first === Number.POSITIVE_INFINITY ? undefined : first;
  }

  #firstCovering({ text, resource, subresource }: Pattern, index: number): number {
    const same = this.#indexOf(text);
    const firstSame = same < index ? same : Number.POSITIVE_INFINITY;
    if (text === '*') return firstSame;
    const wider = subresource === undefined ? ['*'] : ['*', `*/${subresource}`, `${resource}/*`, '*/*'];
    return Math.min(firstSame, ...wider.filter((each) => each !== text).map((each) => this.#indexOf(each)));
  }

  /**
   * Returns the first earlier pattern that intersects the pattern at `index`: for example, `pods/*` and `*` with `/log`
   * share pods/log.
   */
  #firstIntersecting({ resource, subresource }: Pattern, index: number): number {
    if (subresource === undefined) return Number.POSITIVE_INFINITY;
    let first = Number.POSITIVE_INFINITY;
    if (resource === '*' && subresource === '*') first = this.#firstWithSubresources;
    else if (subresource === '*') first = this.#firstOfAllResources;
    else if (resource === '*') first = this.#firstOfAllSubresources;
    return first < index ? first : Number.POSITIVE_INFINITY;
  }

  #indexOf(text: string): number {
    return this.#byText.get(text) ?? Number.POSITIVE_INFINITY;
  }
}

/** True if the text is a resource, optionally followed by a slash and a subresource. Both may be `*`. */
export function isResourcePattern(text: string): boolean {
  const parts = text.split('/');
  return parts.length <= 2 && parts.every((part) => part === '*' || /^[^*\s]+$/.test(part));
}

function parse(text: string): Pattern {
  const [resource = '', subresource] = text.split('/');
  return { text, resource, subresource };
}
