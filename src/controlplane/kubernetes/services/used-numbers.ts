const bitsPerWord = 32;
const fullWord = 0xffffffff;

/**
 * A set of numbers from 0 to `size` - 1, stored as a bitmap. A search for an absent number is fast even if few numbers
 * are absent.
 */
export class UsedNumbers {
  readonly #size: number;
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.#size = size;
    this.#words = new Uint32Array(Math.ceil(size / bitsPerWord));
  }

  has(number: number): boolean {
    return (this.#word(Math.floor(number / bitsPerWord)) & bit(number)) !== 0;
  }

  add(number: number): void {
    const index = Math.floor(number / bitsPerWord);
    if (number < this.#size) this.#words[index] = this.#word(index) | bit(number);
  }

  delete(number: number): void {
    const index = Math.floor(number / bitsPerWord);
    if (number < this.#size) this.#words[index] = this.#word(index) & ~bit(number);
  }

  clear(): void {
    this.#words.fill(0);
  }

  /**
   * Returns a number from `first` to `last` that neither this set nor `other` contains; `undefined` if there is none.
   * The search starts at `start` and continues at `first` after `last`. Both sets must have the same size.
   */
  firstAbsent(range: { first: number; last: number; start: number }, other?: UsedNumbers): number | undefined {
    const { first, last, start } = range;
    return this.#absentIn(start, last, other) ?? this.#absentIn(first, start - 1, other);
  }

  #absentIn(first: number, last: number, other: UsedNumbers | undefined): number | undefined {
    let number = first;
    while (number <= last) {
      const index = Math.floor(number / bitsPerWord);
      const word = (this.#word(index) | (other === undefined ? 0 : other.#word(index))) >>> 0;
      if (word === fullWord) number = (index + 1) * bitsPerWord;
      else if ((word & bit(number)) === 0) return number;
      else number += 1;
    }
    return undefined;
  }

  #word(index: number): number {
    return this.#words[index] ?? 0;
  }
}

function bit(number: number): number {
  return 1 << (number % bitsPerWord);
}
