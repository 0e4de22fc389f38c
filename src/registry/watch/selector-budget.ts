import { tooManyRequests } from '../../api/status.ts';
import type { ListOptions } from '../verbs.ts';

/**
 * The maximum total length of the long selectors of all open watches of a plane, in characters. Each character takes
 * about 40 bytes of memory.
 */
const maxCharacters = 2 * 1024 * 1024;

/**
 * Selectors shorter than this are not counted. Ordinary clients use short selectors, so their watches can always start.
 */
const minCountedLength = 256;

/**
 * Limits the memory for the selectors of open watches. Each watch keeps its selector, which can have thousands of
 * requirements, so some hundred watches could otherwise take gigabytes. Each loaded plane has one budget.
 */
export class SelectorBudget {
  #used = 0;

  /**
   * Reserves the memory for the selectors of a watch. Throws 429 if too much memory is reserved. Returns a function
   * that releases the reservation.
   */
  reserve(options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>): () => void {
    const length = selectorLength(options);
    if (length < minCountedLength) return () => {};
    if (this.#used + length > maxCharacters) {
      throw tooManyRequests(
        `the selectors of open watches have more than ${maxCharacters} characters together; use shorter selectors or fewer watches`,
        1,
      );
    }
    this.#used += length;
    let isReleased = false;
    return () => {
      if (!isReleased) this.#used -= length;
      isReleased = true;
    };
  }
}

function selectorLength({
  labelSelector,
  fieldSelector,
}: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>): number {
  let length = labelSelector?.text?.length ?? 0;
  for (const { field, value } of fieldSelector?.requirements ?? []) length += field.length + value.length + 2;
  return length;
}
