import { type FieldError, forbiddenField, notSupported } from '../../api/field-error.ts';
import { invalidObject } from '../../api/status.ts';
import type { ListOptions, WatchOptions } from '../verbs.ts';

const match = 'resourceVersionMatch';

/** Throws 422 if the parameters of a list contradict each other (LIST-07, LIST-08, LIST-10). */
export function validateListOptions(options: ListOptions): void {
  const errors: FieldError[] = [];
  const { resourceVersion, resourceVersionMatch } = options;
  if (resourceVersionMatch !== '') {
    if (options.continue !== '') errors.push(forbiddenField(match, `${match} is forbidden when continue is provided`));
    if (resourceVersion === '') {
      errors.push(forbiddenField(match, `${match} is forbidden unless resourceVersion is provided`));
    }
    if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
      errors.push(forbiddenField(match, `${match} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  refuse(errors);
}

/** Throws 422 if the parameters of a watch contradict each other (WATCH-10, WATCH-11, WATCH-13). */
export function validateWatchOptions(options: WatchOptions): void {
  const errors: FieldError[] = [];
  const { resourceVersionMatch, sendInitialEvents } = options;
  if (resourceVersionMatch !== '') {
    if (options.continue !== '') errors.push(forbiddenField(match, `${match} is forbidden when continue is provided`));
    if (sendInitialEvents === undefined) {
      errors.push(forbiddenField(match, `${match} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (resourceVersionMatch === 'Exact') errors.push(notSupported(match, resourceVersionMatch, ['NotOlderThan']));
  } else if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField(match, `sendInitialEvents requires setting ${match} to NotOlderThan`));
  }
  refuse(errors);
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}
