/** Thrown if a patch is not an object, or if one of its directives has an invalid format. */
export class MalformedPatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedPatchError';
  }
}

/**
 * Thrown if a patch cannot be merged into the document. The message may quote values of the patch and of the document.
 */
export class UnmergeablePatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnmergeablePatchError';
  }
}

/** Thrown for a list of lists. This error has its own class, because kube-apiserver hides its message from clients. */
export class ListOfListsError extends UnmergeablePatchError {
  constructor() {
    super('lists of lists are not supported');
    this.name = 'ListOfListsError';
  }
}
